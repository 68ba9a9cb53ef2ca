#!/usr/bin/env python3
"""The dialect costs nothing: the clean build of every rung takes the registers and the shared bytes of its twin.

usage: registers.py NVCC SOURCE_DIR GENERATED_DIR    (GENERATED_DIR holds <ladder>_NN_<rung>_clean.cu)
"""
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
    failed = compared = 0
    twins = {}
    for wrapper in sorted(pathlib.Path(generated).glob("*_clean.cu")):
        ladder, number, rung = re.fullmatch(r"(\w+?)_(\d\d)_(\w+)_clean", wrapper.stem).groups()
        source = pathlib.Path(source_dir) / f"kernels/{ladder}/{number}_{rung}.cuh"
        namespaces = [rung] + re.findall(r'#include "\d\d_(\w+)\.cuh"', source.read_text())  # rungs that it launches too
        if ladder not in twins:
            twins[ladder] = resources(nvcc, pathlib.Path(source_dir) / f"tests/twins/{ladder}.cu", source_dir)
        ours = sorted(r[1:] for r in resources(nvcc, wrapper, source_dir))
        names = namespaces + [n + "_" for n in namespaces]    # fma_: the plain name is a function of C's
        theirs = sorted(r[1:] for r in twins[ladder] if r[0].startswith(tuple(f"_ZN{len(n)}{n}" for n in names)))
        compared += 1
        verdict = "equal" if ours and ours == theirs else "DIFFERENT"
        failed += verdict != "equal"
        print(f"{ladder}/{rung}: (registers, shared bytes) {ours}, hand-written {theirs}: {verdict}")
    print(f"{compared - failed} passed, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
