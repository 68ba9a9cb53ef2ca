#!/usr/bin/env python3
"""The dialect costs nothing: the clean build of every rung takes the registers and the shared bytes of plain CUDA.

The plain CUDA is what `lockstep export` writes: the same text with the dialect's words rewritten one by one, on plain
pointers and arrays, with no header of the dialect. Every instance of a kernel that the clean build holds is compared.

usage: registers.py NVCC SOURCE_DIR GENERATED_DIR PROGRAM [LADDER]    (GENERATED_DIR holds <ladder>_NN_<rung>_clean.cu)
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++20", "-O3", "--expt-relaxed-constexpr", "-gencode=arch=compute_90a,code=sm_90a", "-Xptxas=-v"]


def instance(demangled):
    """'gemm<16>' of 'void lab::rung_gemm_03_shared::gemm<16, lab::Clean>(float const*)' and of the plain text's."""
    name = re.search(r"rung_\w+::(.*)", demangled).group(1)
    depth = 0
    for at, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            name = name[:at]
            break
    return re.sub(r", lab::Clean>$|<lab::Clean>$", lambda m: ">" if m.group().startswith(",") else "", name)


def resources(nvcc, source, include):
    """{(namespace, instance): (registers, shared bytes)} of every kernel in a source."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([nvcc, *FLAGS, "-I", include, "-cubin", "-o", folder + "/out.cubin", str(source)],
                                capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"{source} does not compile:\n{result.stderr}")
    found = re.findall(r"Compiling entry function '(\w+)'.*?Used (\d+) registers([^\n]*)", result.stderr, re.S)
    names = subprocess.run(["c++filt"], input="\n".join(name for name, _, _ in found), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    shared = lambda rest: int((re.search(r"(\d+) bytes smem", rest) or [0, 0])[1])
    return {(re.search(r"(rung_\w+)::", name).group(1), instance(name)): (int(registers), shared(rest))
            for name, (_, registers, rest) in zip(names, found)}


def plain_source(ladder, rungs, exports, kernels):
    """The exported rungs of a ladder as one source, a namespace each: nvcc's start takes longer than a kernel."""
    includes, bodies, kept = set(), [], 0
    for rung in rungs:
        text = (exports / f"{ladder}_{rung}.cu").read_text()
        includes |= set(re.findall(r"^#include <.*>$", text, re.M))
        body = re.sub(r"^#include <.*>$", "", text, flags=re.M)
        wanted = [k for k in kernels[rung] if re.search(r"__global__[^;{]*\b" + k.split("<")[0] + r"\(", body)]
        keep = "".join(f"const void* const kept_{kept + i} = reinterpret_cast<const void*>(&{k});\n" for i, k in enumerate(wanted))
        kept += len(wanted)
        bodies.append(f"namespace rung_{rung} {{\n{body}\n{keep}}}\n")
    return "\n".join(sorted(includes)) + "\n" + "\n".join(bodies)


def main(nvcc, source_dir, generated, program, only=None):
    wrappers = {}
    for wrapper in sorted(pathlib.Path(generated).glob("[!u]*_[0-9][0-9]_*_clean.cu")):
        ladder, number, rung = re.fullmatch(r"(\w+?)_(\d\d)_(\w+)_clean", wrapper.stem).groups()
        if (pathlib.Path(source_dir) / f"kernels/{ladder}/{number}_{rung}.cuh").exists() and only in (None, ladder):
            wrappers[ladder, rung] = wrapper
    failed = compared = missing = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(folder)
        subprocess.run([program, "export", "all", "-o", str(folder)], check=True, capture_output=True)
        exported = {key: key[0] for key in wrappers}
        for key in wrappers:    # the lab of a ladder may have another name than its folder
            if not (folder / f"{key[0]}_{key[1]}.cu").exists():
                [path] = folder.glob(f"*_{key[1]}.cu")
                exported[key] = path.stem[:-len(key[1]) - 1]
        clean = dict(zip(wrappers, pool.map(lambda w: resources(nvcc, w, source_dir), wrappers.values())))
        clean = {key: {name: of for (_, name), of in found.items()} for key, found in clean.items()}
        sources = {}
        for ladder in sorted({ladder for ladder, _ in wrappers}):
            rungs = [rung for of, rung in wrappers if of == ladder]
            text = plain_source(exported[ladder, rungs[0]], rungs, folder, {rung: clean[ladder, rung] for rung in rungs})
            sources[ladder] = folder / f"all_of_{ladder}.cu"
            sources[ladder].write_text(text)
        plain = dict(zip(sources, pool.map(lambda s: resources(nvcc, s, source_dir), sources.values())))
    for (ladder, rung), kernels in clean.items():
        theirs = {name: of for (space, name), of in plain[ladder].items() if space == "rung_" + rung}
        different = {name: (of, theirs[name]) for name, of in kernels.items() if name in theirs and theirs[name] != of}
        absent = [name for name in kernels if name not in theirs]
        compared, missing = compared + 1, missing + len(absent)
        verdict = "DIFFERENT" if different or not theirs else "equal"
        failed += verdict != "equal"
        print(f"{ladder}/{rung}: {len(kernels) - len(absent)} kernels, (registers, shared bytes) "
              f"{different if different else sorted(set(theirs.values()))}: {verdict}"
              + (f"; not launched by default: {', '.join(absent)}" if absent else ""))
    print(f"{compared - failed} passed, {failed} failed; {missing} kernels were not compared")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
