#!/usr/bin/env python3
"""Deflates run files in place, as `lockstep record` writes them: the same entries in the same order, with the same bytes.

usage: scripts/pack.py FILE.npz...
"""
import io
import pathlib
import sys
import zipfile


def entries(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return [(entry.filename, opened.read(entry)) for entry in opened.infolist()]


def packed(archive):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        for name, content in entries(archive):
            written.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)
    return target.getvalue()


def main(paths):
    if not paths:
        sys.exit(__doc__)
    before = after = 0
    for path in map(pathlib.Path, paths):
        old = path.read_bytes()
        new = packed(old)
        if entries(new) != entries(old):
            sys.exit(f"{path}: not the same after packing; left as it is")
        path.write_bytes(new)
        before, after = before + len(old), after + len(new)
    print(f"{len(paths)} files: {before / 1e6:.1f} MB, packed {after / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
