#!/usr/bin/env python3
"""The dialect costs nothing: the clean build of every rung takes the registers and the shared bytes of its twin.

usage: registers.py NVCC SOURCE_DIR GENERATED_DIR    (GENERATED_DIR holds unit_<ladder>_<n>_clean.cu, of which each
includes the wrappers <ladder>_NN_<rung>_clean.cu of a few rungs)
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def resources(nvcc, source, include):
    """[(mangled name, registers, shared bytes)] of every kernel in a source, compiled for sm_90a."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [nvcc, "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-gencode=arch=compute_90a,code=sm_90a", "-Xptxas=-v",
             "-I", include, "-cubin", "-o", folder + "/out.cubin", str(source)],
            capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{source} does not compile:\n{result.stderr}")
    found = re.findall(r"Compiling entry function '(\w+)'.*?Used (\d+) registers([^\n]*)", result.stderr, re.S)
    shared = lambda rest: int((re.search(r"(\d+) bytes smem", rest) or [0, 0])[1])
    return [(name, int(registers), shared(rest)) for name, registers, rest in found]


def main(nvcc, source_dir, generated):
    source_dir, generated = pathlib.Path(source_dir), pathlib.Path(generated)
    units = sorted(generated.glob("unit_*_clean.cu"))
    ladder_of = {unit: re.fullmatch(r"unit_(\w+)_\d+_clean", unit.stem)[1] for unit in units}
    sources = units + [source_dir / f"tests/twins/{ladder}.cu" for ladder in dict.fromkeys(ladder_of.values())]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiled = dict(zip(sources, pool.map(lambda source: resources(nvcc, source, source_dir), sources)))
    failed = compared = 0
    for unit, symbol in [(unit, symbol) for unit in units for symbol in re.findall(r'#include "(\w+)_clean\.cu"', unit.read_text())]:
        ladder, rung = ladder_of[unit], re.fullmatch(r"\w+?_\d\d_(\w+)", symbol)[1]
        spaces = ("lab", f"{ladder}_ladder", f"rung_{symbol}")
        ours = sorted(r[1:] for r in compiled[unit] if r[0].startswith("_ZN" + "".join(f"{len(n)}{n}" for n in spaces)))
        names = (rung, rung + "_")    # fma_: the plain name is a function of C's
        theirs = sorted(r[1:] for r in compiled[source_dir / f"tests/twins/{ladder}.cu"] if r[0].startswith(tuple(f"_ZN{len(n)}{n}" for n in names)))
        compared += 1
        verdict = "equal" if ours and ours == theirs else "DIFFERENT"
        failed += verdict != "equal"
        print(f"{ladder}/{rung}: (registers, shared bytes) {ours}, hand-written {theirs}: {verdict}")
    print(f"{compared - failed} passed, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
