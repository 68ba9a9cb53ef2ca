#!/usr/bin/env python3
"""Layers are held by include roots: what a folder may not use it cannot include.

usage: layers.py BUILD_DIR SOURCE_DIR    (reads BUILD_DIR/compile_commands.json)

For each folder one of its files is taken with the flags that it is compiled with, and asked which folders it can see;
the answer must be the table below, no more and no less. Then a file with a wrong include is built, and must fail.
What a browser lacks beyond that stands in one file each (ONLY_IN).
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# A header of each folder that others may want.
HEADERS = {
    "app/model": "app/model/run.hpp",
    "app/devices": "app/devices/gpus.hpp",
    "app/platform": "app/platform/paths.hpp",
    "app/program": "app/program/source/rewrite.hpp",
    "app/draw": "app/draw/canvas.hpp",
    "app/labs": "app/labs/lab.hpp",
    "app/stories": "app/stories/story.hpp",
    "app/engine": "app/engine/engine.hpp",
    "app/shell": "app/shell/app.hpp",
    "app/pages": "app/pages/command_info.hpp",
    "app/cli": "app/cli/verbs.hpp",
    "kernels": "kernels/ladder.hpp",
    "kernels/plain": "kernels/plain/plain_cuda.hpp",
    "kernels/simt": "kernels/simt/machine.hpp",
    "kernels/cuda": "kernels/cuda/gpu.hpp",
}
# What each of them may use beside itself. The launchers of kernels/cuda are there only where nvcc is.
MAY_USE = {
    "app/model": set(),
    "app/devices": {"app/model"},
    "app/platform": {"app/model"},
    "app/program": {"app/model", "app/devices", "app/platform", "kernels", "kernels/plain", "kernels/simt"},
    "app/draw": {"app/model", "app/platform"},
    "kernels": {"app/model", "app/devices"},
    "kernels/plain": set(),
    "kernels/simt": {"app/model", "app/devices", "kernels"},
    "app/labs": {"app/model", "app/devices", "app/platform", "app/draw", "kernels", "kernels/plain"},
    "app/stories": {"app/model", "app/devices", "app/platform", "app/draw", "app/labs", "kernels", "kernels/plain"},
    "app/shell": {"app/model", "app/devices", "app/platform", "app/program", "app/draw", "app/labs", "app/stories", "kernels", "kernels/plain"},
    "app/pages": {"app/model", "app/devices", "app/platform", "app/program", "app/draw", "app/labs", "app/stories", "app/shell", "kernels", "kernels/plain"},
    "app/engine": {"app/model", "app/devices", "app/platform", "kernels", "kernels/plain", "kernels/simt", "kernels/cuda"},
}
# The folders that run in a browser, too, and what a plain C++20 library does not give there: each thing where it may
# stand, so that a port changes those files alone.
PORTABLE = ("app/model", "app/draw", "app/labs", "app/stories", "kernels")
NOT_PORTABLE = ("kernels/cuda",)
ONLY_IN = {
    "bit_cast": (r"std::bit_cast", {"app/model/portable.hpp"}),
    "numbers with a point as text": (r"std::to_chars|std::chars_format|std::(format|print)\b|<format>", {"app/model/portable.hpp"}),
    "threads": (r"<(thread|future|execution)>|std::(j?thread|async|execution)\b|pthread_", {"kernels/simt/workers.cpp"}),
    "fibers": (r"boost/|boost::|<ucontext.h>", {"kernels/simt/fibers.cpp"}),
    "fonts": (r"freetype|ft2build", {"app/draw/text_metrics.cpp"}),
}
READ_NUMBER = re.compile(r"std::from_chars\([^;]*,\s*([\w.]+)\)")


def unportable_in(text):
    """Which of the things in ONLY_IN a source text uses; comments aside."""
    code = re.sub(r"//[^\n]*", "", text)
    found = {thing for thing, (pattern, _) in ONLY_IN.items() if re.search(pattern, code)}
    if any(re.search(rf"\b(double|float)\s+{re.escape(name)}\b", code) for name in READ_NUMBER.findall(code)):
        found.add("numbers with a point as text")
    return found


def portable_files(source):
    for folder in PORTABLE:
        for path in sorted((source / folder).rglob("*")):
            name = str(path.relative_to(source))
            if path.suffix in (".cpp", ".hpp", ".cuh", ".inl", ".in") and not name.startswith(NOT_PORTABLE):
                yield name, path.read_text()


def sources_of(path):
    """What is compiled with this file: itself, or those that a file of several includes."""
    if path.parent.parent.name == "unity" and path.exists():    # cmake/precompiled.cmake
        return [(path.parent / name).resolve() for name in re.findall(r'#include "([^"]+\.cpp)"', path.read_text())]
    return [path]


def flags_of(commands, source, folder):
    """The compile command of one C++ file right in this folder, without its input and output."""
    for entry in commands:
        folders = {path.parent for path in sources_of(pathlib.Path(entry["file"]))}
        if folders & {source / folder, source / folder / "source"}:
            words = shlex.split(entry["command"])
            words = words[1:] if words[0].endswith("ccache") else words
            cut = words.index("-o")
            return [w for w in words[:cut] + words[cut + 2:] if w not in ("-c", entry["file"])], entry["directory"]
    sys.exit(f"no file of {folder} is compiled")


def compiled(flags, directory, text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "layer.cpp"
        file.write_text(text)
        return subprocess.run(flags + ["-fsyntax-only", str(file)], cwd=directory, capture_output=True, text=True, check=False)


def seen(flags, directory):
    """The folders of which a file with these flags finds the header."""
    lines = [f'#if __has_include("{header}")\n#pragma message("sees {folder};")\n#endif' for folder, header in HEADERS.items()]
    said = compiled(flags, directory, "\n".join(lines) + "\n").stderr
    return {folder for folder in HEADERS if f"sees {folder};" in said}


def main(build, source):
    source = pathlib.Path(source).resolve()
    commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    has_cuda = any(pathlib.Path(e["file"]).parent == source / "kernels/cuda" for e in commands)
    passed = failed = 0

    def claim(text, holds, detail=""):
        nonlocal passed, failed
        passed, failed = passed + bool(holds), failed + (not holds)
        if not holds:
            print(f"FAILED: {text}{': ' + detail if detail else ''}")

    for folder, uses in MAY_USE.items():
        flags, directory = flags_of(commands, source, folder)
        wanted = {folder} | uses - (set() if has_cuda else {"kernels/cuda"})
        found = seen(flags, directory)
        claim(f"{folder} sees {', '.join(sorted(wanted))} and nothing else", found == wanted, f"it sees {', '.join(sorted(found))}")
    flags, directory = flags_of(commands, source, "app/model")
    right = compiled(flags, directory, f'#include "{HEADERS["app/model"]}"\n')
    claim("a file of the model that includes the model compiles", right.returncode == 0, right.stderr)
    wrong = compiled(flags, directory, f'#include "{HEADERS["app/engine"]}"\n')
    claim("a file of the model that includes an engine does not compile",
          wrong.returncode != 0 and HEADERS["app/engine"] in wrong.stderr, wrong.stderr)
    for name, text in portable_files(source):
        for thing in unportable_in(text):
            claim(f"{thing}: in {', '.join(sorted(ONLY_IN[thing][1]))} alone", name in ONLY_IN[thing][1], name)
    claim("a double that is read by from_chars is found", unportable_in("double x = 0;\nstd::from_chars(a, b, x)") != set())
    claim("a whole number that is read by from_chars may stand anywhere", unportable_in("int x = 0;\nstd::from_chars(a, b, x)") == set())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
