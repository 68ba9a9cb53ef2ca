#!/usr/bin/env python3
"""The dialect costs nothing: every rung takes the registers, shared bytes and stack of plain CUDA.

The plain CUDA is what `lockstep export` writes: the same text with the dialect's words rewritten one by one, on plain
pointers and arrays, with no header of the dialect. nvcc compiles each program alone, with every instance of its kernels
that the program holds beside the one that it launches. The clean kernels are read out of PROGRAM, as it would run them.
What a program may call of kernels/plain/device.cuh is held to no cost by tests/twins: a few rungs written out by hand.

usage: registers.py NVCC PROGRAM [LAB/RUNG...]
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import typing

FLAGS = ["-std=c++20", "-O3", "--expt-relaxed-constexpr", "-gencode=arch=compute_90a,code=sm_90a", "-cubin",
         "-Werror=all-warnings"]
FATBIN_MAGIC, FATBIN_CUBIN, FATBIN_COMPRESSED = 0xBA55ED50, 2, 0xA000
RESERVED_SHARED_BYTES = 1024   # of a block on sm_90: counted in where the source declares any shared memory
SYMBOLS, REGISTERS, FRAME_BYTES = 2, 0x2F, 0x11   # a section's type; attributes in .nv.info, as cuobjdump reads them


class Kernel(typing.NamedTuple):
    takes: tuple[int, int, int]     # registers, shared bytes, stack bytes
    code: bytes


def cubins(binary):
    """The GPU programs that nvcc has put into a program."""
    magic = struct.pack("<IHH", FATBIN_MAGIC, 1, 16)
    at = binary.find(magic)
    while at >= 0:
        begin = at + 16
        end = begin + struct.unpack_from("<Q", binary, at + 8)[0]
        while begin < end:
            kind, _, header, size = struct.unpack_from("<HHIQ", binary, begin)
            if kind == FATBIN_CUBIN:
                if struct.unpack_from("<Q", binary, begin + 40)[0] & FATBIN_COMPRESSED:
                    raise SystemExit("this nvcc compresses GPU code: build with -Xfatbin=-no-compress to read it")
                yield binary[begin + header:begin + header + size]
            begin += header + size
        at = binary.find(magic, end)


def kernels_in(cubin):
    """{mangled name: Kernel} of a GPU program, which is an ELF file."""
    begin, = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", cubin, begin + i * size) for i in range(count)]
    text = lambda table, at: cubin[table[4] + at:cubin.index(b"\0", table[4] + at)].decode()
    named = {text(sections[names], section[0]): section for section in sections}
    symbols = next(section for section in sections if section[1] == SYMBOLS)
    symbol = lambda i: text(sections[symbols[6]], struct.unpack_from("<I", cubin, symbols[4] + 24 * i)[0])
    found = {}
    at, end = named[".nv.info"][4], sum(named[".nv.info"][4:6])
    while at < end:
        form, attribute, length = struct.unpack_from("<BBH", cubin, at)
        if form == 4 and attribute in (REGISTERS, FRAME_BYTES):
            of, value = struct.unpack_from("<II", cubin, at + 4)
            found.setdefault(symbol(of), {})[attribute] = value
        at += 4 + (length if form == 4 else 0)
    shared = lambda name: max(0, named.get(".nv.shared." + name, [0] * 6)[5] - RESERVED_SHARED_BYTES)
    code = lambda name: cubin[named[".text." + name][4]:sum(named[".text." + name][4:6])]
    return {name: Kernel((of[REGISTERS], shared(name), of.get(FRAME_BYTES, 0)), code(name)) for name, of in found.items()
            if ".text." + name in named and REGISTERS in of}


def demangled(names):
    return subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout.splitlines()


def instance(name):
    """'gemm<16>' of 'void lab::gemm_ladder::rung_gemm_03_shared::gemm<16, lab::Clean>(...)' and of plain 'gemm<16>(...)'."""
    name = re.sub(r"^void ", "", re.sub(r"^.*?::rung_\w+?::", "", name))
    depth = 0
    for at, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            name = name[:at]
            break
    name = re.sub(r", lab::Clean>$", ">", re.sub(r"<lab::Clean>$", "", name))
    return re.sub(r"\blab::\w+_ladder::", "", name)


def clean_kernels(program):
    """{(lab, rung): {instance: Kernel}} of the clean build; rung is None where several rungs share the kernel."""
    found = {}
    for cubin in cubins(pathlib.Path(program).read_bytes()):
        all_of = kernels_in(cubin)
        for name, of in zip(demangled(all_of), all_of.values()):
            where = re.search(r"lab::(\w+?)_ladder::(?:rung_\1_\d\d_(\w+?)::)?", name)
            if where and "lab::Clean" in name:
                found.setdefault(where.groups(), {})[instance(name)] = of
    return found


def compiled(nvcc, source):
    """{demangled name: Kernel} of a source; or what nvcc says."""
    cubin = source.with_suffix(".cubin")
    ccache = ["ccache"] if shutil.which("ccache") else []     # takes it for a compilation with -c alone
    anywhere = {**os.environ, "CCACHE_NOHASHDIR": "1"}        # no word of the folder in what is compared
    result = subprocess.run([*ccache, nvcc, *FLAGS, "-c", "-o", cubin.name, source.name], cwd=source.parent,
                            capture_output=True, text=True, check=False, env=anywhere)
    if result.returncode:
        return result.stderr
    found = kernels_in(cubin.read_bytes())
    return dict(zip(demangled(found), found.values()))


def with_instances(source, instances):
    """The exported program, with more instances of its kernels."""
    text = source.read_text()
    templates = set(re.findall(r"template <[^;{]*?>\s*__global__[^;{]*?\bvoid\s+(\w+)\(", text))
    # What the program does not need it does not have: an operation that this launch is not for.
    known = lambda name: all(word.startswith("nv_") or re.search(rf"\b(struct|class) {word}\b", text)
                             for word in re.findall(r"\b[A-Z]\w+", name.split("<", 1)[1]))
    more = [name for name in instances if "<" in name and name.split("<")[0] in templates and known(name)]
    if any(re.search(r"nv_bfloat16|__half", name) for name in more):
        text += "\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"      # behind the program, which stands without them
    text += "".join(f"const void* kept_{i} = (const void*)&{name};\n" for i, name in enumerate(more))
    source.write_text(text)
    return source


def twin_kernels(nvcc, folder):
    """{(lab, rung): {instance: Kernel}} of the rungs that are written out by hand: a namespace each."""
    found = {}
    for source in sorted((pathlib.Path(__file__).parent / "twins").glob("*.cu")):
        copy = pathlib.Path(folder) / ("twin_" + source.name)
        copy.write_text(source.read_text())
        kernels = compiled(nvcc, copy)
        if isinstance(kernels, str):
            raise SystemExit(kernels)
        for name, of in kernels.items():
            rung, kernel = re.sub(r"^void ", "", name).split("::", 1)
            found.setdefault((source.stem, rung), {})[instance(kernel)] = of
    return found


def alike(clean, plain):
    """Whether a kernel takes what plain CUDA takes. Where another rung of its unit has boxes in dynamic shared memory, which
    begin at a multiple of 1024 bytes, the compiler makes its static shared memory one, too."""
    aligned = -(-plain[1] // 1024) * 1024
    return clean[::2] == plain[::2] and clean[1] in (plain[1], aligned)


def verdict(rung, plain, clean):
    """A line on a rung, and whether it is good."""
    if isinstance(plain, str):
        return f"{rung} does NOT compile alone:\n{plain}", False
    lost = [name for name in plain if name not in clean]
    different = {name: (clean[name].takes, of.takes) for name, of in plain.items()
                 if name in clean and not alike(clean[name].takes, of.takes)}
    good = bool(plain) and not lost and not different
    line = f"{rung}: {len(plain)} kernels, " + ("equal" if good else "DIFFERENT")
    if different:
        line += f"; (registers, shared bytes, stack bytes) of the clean build and of plain CUDA: {different}"
    if lost:
        line += f"; not in the clean build: {', '.join(lost)}"
    return line, good


def main(nvcc, program, *only):
    clean = clean_kernels(program)
    folder = pathlib.Path(program).resolve().parent / "exported_rungs"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([program, "export", "all", "-o", str(folder)], check=True, capture_output=True)
    sources = {}
    for source in folder.glob("*.cu"):
        lab, rung = re.search(r"Made by `lockstep export (\w+)/(\w+)`", source.read_text()).groups()
        if not only or f"{lab}/{rung}" in only:
            sources[lab, rung] = source
    order = sorted(sources, key=lambda key: -len(clean.get(key, {})))     # the long ones begin first
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = pool.map(lambda key: compiled(nvcc, with_instances(sources[key], clean.get(key, {}))), order)
        plain = {key: of if isinstance(of, str) else {instance(name): kernel for name, kernel in of.items()}
                 for key, of in zip(order, programs)}
        twins = {} if only else twin_kernels(nvcc, folder)
    good = same = compared = 0
    for key, kernels in sorted(plain.items()):
        own = clean.get(key, {})
        of_others = {}     # a rung may launch kernels of another one of its lab, and such as several share
        for other in clean:
            if other[0] == key[0]:
                of_others |= clean[other]
        line, passed = verdict("/".join(key), kernels, of_others | own)
        absent = [name for name in own if name not in kernels]
        print(line + (f"; not launched by default: {', '.join(absent)}" if absent else ""))
        good += passed
        if passed:
            compared += len(kernels)
            same += sum((of_others | own)[name].code == of.code for name, of in kernels.items())
    print(f"{good} of {len(plain)} rungs equal plain CUDA, in {compared} kernels, {same} of them to the last instruction")
    by_hand = True
    for key, kernels in twins.items():
        line, passed = verdict("/".join(key) + " by hand", kernels, clean.get(key, {}))
        print(line)
        by_hand &= passed
    return 0 if plain and good == len(plain) and by_hand else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
