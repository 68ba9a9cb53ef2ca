#!/usr/bin/env python3
"""The corpus on a GPU (programs.json of on_gpu.py) beside the emulator: outputs, global sectors, shared wavefronts.

  tests/programs/compare.py PROGRAMS.json LOCKSTEP

A program's global sectors agree where every launch's loads and stores are within one per cent of the profiler's. Where
shared wavefronts differ, the lines are named at which nvcc chose another access width than clang. Exit 1 where fewer than
36 of 40 agree, where an output differs, or where a difference has no line."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent / "right"
GLOBAL = ("global_load_sectors", "global_store_sectors")
SHARED = ("shared_load_wavefronts", "shared_store_wavefronts")
NEEDED = 36


def emulated(lockstep, name):
    ran = subprocess.run([lockstep, "run", HERE / f"{name}.cu", "--all", "--json"], capture_output=True, text=True, timeout=120)
    try:
        return json.loads(ran.stdout)
    except ValueError:
        sys.exit(f"{name}: no JSON from lockstep: {(ran.stdout + ran.stderr)[-500:]}")


def is_near(ours, theirs):
    return abs(ours - theirs) <= max(0.01 * theirs, 0)


def shared_widths(listing):
    """Line -> bytes of the widest shared access of a thread, from the names of instructions: LDS.128 takes 16."""
    widths = {}
    for line, names in listing.items():
        shared = [name for name in names if re.match(r"(LDS|STS)\b", name)]
        if shared:
            bits = [int(found[1]) if (found := re.search(r"\.(8|16|64|128)\b|\.[US](8|16)\b", n)) and found[1] else 32 for n in shared]
            widths[int(line)] = max(bits) // 8
    return widths


def compare(name, real, ours):
    """What differs, as sentences; and whether global sectors agree."""
    said, sectors_agree = [], True
    theirs, mine = real.get("launches", []), [l for l in ours["launches"] if not l.get("refused")]
    if len(theirs) != len(mine):
        return [f"{len(theirs)} launches on the GPU, {len(mine)} here"], False
    nvcc = shared_widths(real.get("widths", {}))
    for at, (there, here) in enumerate(zip(theirs, mine)):
        for key in GLOBAL:
            if not is_near(here["counts"].get(key, 0), there["counters"].get(key, 0)):
                sectors_agree = False
                said.append(f"launch {at} {here['kernel']}: {key} {here['counts'].get(key, 0)}, profiler {there['counters'].get(key, 0)}")
        if any(here["counts"].get(key, 0) != there["counters"].get(key, 0) for key in SHARED):
            clang = {row["line"]: row["shared_width"] for row in here.get("lines", []) if row.get("shared_width")}
            other = [f"line {line}: clang {clang[line]} bytes, nvcc {nvcc.get(line, 'none')}" for line in sorted(clang) if nvcc.get(line) != clang[line]]
            counts = ", ".join(f"{key} {here['counts'].get(key, 0)}, profiler {there['counters'].get(key, 0)}" for key in SHARED)
            said.append(f"launch {at} {here['kernel']}: {counts}: {'; '.join(other) or 'NO LINE TO NAME'}")
    return said, sectors_agree


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("lockstep")
    options = parser.parse_args()
    real = json.loads(options.programs.read_text())
    agree, outputs, unexplained = 0, 0, 0
    for name, program in sorted(real["programs"].items()):
        ours = emulated(options.lockstep, name)
        said, sectors_agree = compare(name, program, ours)
        same = ours.get("output") == program.get("output")
        agree, outputs = agree + sectors_agree, outputs + same
        unexplained += sum("NO LINE" in row for row in said)
        print(f"{name:28} output {'same' if same else 'DIFFERS'}, sectors {'agree' if sectors_agree else 'DIFFER'}")
        for row in said[:6]:
            print("    " + row)
    total = len(real["programs"])
    print(f"{real['device']}: output same in {outputs} of {total}, sectors within 1 % in {agree} of {total}, {unexplained} launches with unexplained wavefronts")
    return 0 if outputs == total and agree >= min(NEEDED, total) and not unexplained else 1


if __name__ == "__main__":
    sys.exit(main())
