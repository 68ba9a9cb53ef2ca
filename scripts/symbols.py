#!/usr/bin/env python3
"""Fails where a program or library asks for more than a system with an old glibc has.

usage: scripts/symbols.py FOLDER GLIBC      (2.31)
"""
import pathlib
import re
import subprocess
import sys

# What every such system has, and what a machine with a display has: GLFW asks for it when a window is opened.
EVERYWHERE = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
WITH_A_DISPLAY = {"libX11.so.6", "libwayland-client.so.0", "libwayland-cursor.so.0", "libwayland-egl.so.1", "libxkbcommon.so.0"}


def number(version):
    return tuple(int(part) for part in version.split("."))


def mistakes(file, newest):
    said = subprocess.run(["readelf", "-W", "-d", "-V", file], capture_output=True, text=True, check=True).stdout
    allowed = EVERYWHERE | (WITH_A_DISPLAY if file.name.startswith("libglfw") else set())
    for library in re.findall(r"NEEDED.*\[(.*)\]", said):
        if library not in allowed:
            yield f"{file} needs {library}, which is not on every system"
    for version in sorted(set(re.findall(r"GLIBC_([0-9.]+)", said))):
        if number(version) > newest:
            yield f"{file} needs glibc {version}"


def is_elf(file):
    with open(file, "rb") as opened:
        return opened.read(4) == b"\x7fELF"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    files = [f for f in sorted(pathlib.Path(sys.argv[1]).rglob("*")) if f.is_file() and is_elf(f)]
    found = [text for f in files for text in mistakes(f, number(sys.argv[2]))]
    if not files:
        found = [f"{sys.argv[1]} holds no program"]
    sys.exit("\n".join(found) if found else None)


if __name__ == "__main__":
    main()
