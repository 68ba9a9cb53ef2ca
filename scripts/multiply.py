#!/usr/bin/env python3
"""Writes kernels/cuda/multiply.cuh, and multiply_formats.cuh for fp16 and e5m2: wgmma for the widths N that kernels use;
its PTX names N / 2 registers one by one.

usage: scripts/multiply.py [--check]
"""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "kernels/cuda"
WIDTHS = (64, 128, 256)
WIDTHS_OF_BYTES = (64, 128, 256)  # where elements have one byte
WIDTHS_WITH_REGISTERS = (64, 128)  # where a rung holds the first operand in registers, of either size
FORMATS = {"half": ("k16.f32.f16.f16", 2), "e5m2": ("k32.f32.e5m2.e5m2", 1)}  # each with its registers or its descriptor
WIDTHS_OF_FORMATS = (64, 128)
HEAD = """// clang-format off
// wgmma.mma_async, fp32 sums (PTX ISA): m64nNk16 of bf16, m64nNk32 of e4m3, whose elements have one byte. Written by
// scripts/multiply.py.
#pragma once
#include <cstdint>

namespace lab {
template <int kN, int kElementBytes>
struct Multiply;
"""

HEAD_OF_FORMATS = """// clang-format off
// The same as multiply.cuh for fp16 (m64nNk16) and e5m2 (m64nNk32). Written by scripts/multiply.py.
#pragma once
#include <cstdint>

namespace lab {
template <int kN, class T>
struct MultiplyFormat;
"""


def run(n, first, element_bytes, form=None):
    """One function: A by its descriptor (first "std::uint64_t a"), or in four registers ("const unsigned* a")."""
    registers, in_registers = n // 2, "*" in first
    names = [f"%{i}" for i in range(registers)]
    rows = [", ".join(names[i : i + 16]) for i in range(0, registers, 16)]
    b = registers + (4 if in_registers else 1)  # place of the second operand's descriptor
    a = "{" + ", ".join(f"%{i}" for i in range(registers, b)) + "}" if in_registers else f"%{registers}"
    form = form or ("k16.f32.bf16.bf16" if element_bytes == 2 else "k32.f32.e4m3.e4m3")
    wide = element_bytes == 2  # bytes multiply row by row alone: no word of their instruction says how they stand
    lines = ["  template <bool kByColumns>",
             f"  static __device__ __forceinline__ void run(float* d, {first}, std::uint64_t b, int keep) {{",
             "    asm volatile(",
             f'        "{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{b + 1}, 0;\\n"',
             f'        "wgmma.mma_async.sync.aligned.m64n{n}{form} {{"']
    lines += [f'        "{row}{"," if i + 1 < len(rows) else ""}"' for i, row in enumerate(rows)]
    stands = "" if not wide else f", %{b + 2}" if in_registers else f", 0, %{b + 2}"
    lines.append(f'        "}}, {a}, %{b}, p, 1, 1{stands};\\n}}\\n"')
    for i in range(0, registers, 8):
        outputs = ", ".join(f'"+f"(d[{r}])' for r in range(i, min(i + 8, registers)))
        lines.append(f'        {":" if i == 0 else " "} {outputs}{"," if i + 8 < registers else ""}')
    inputs = ", ".join(f'"r"(a[{r}])' for r in range(4)) if in_registers else '"l"(a)'
    if wide:
        inputs += ', "l"(b), "r"(keep), "n"(int(kByColumns))'
    else:
        inputs += ', "l"(b), "r"(keep)'
    lines += [f"        : {inputs});", "  }"]
    return lines


def width(n, element_bytes):
    lines = ["template <>", f"struct Multiply<{n}, {element_bytes}> {{"] + run(n, "std::uint64_t a", element_bytes)
    if n in WIDTHS_WITH_REGISTERS:
        lines += run(n, "const unsigned* a", element_bytes)
    return "\n".join(lines + ["};"])


def text():
    return HEAD + "\n" + "\n".join([width(n, 2) for n in WIDTHS] + [width(n, 1) for n in WIDTHS_OF_BYTES]) + "\n}  // namespace lab\n"


def text_of_formats():
    blocks = []
    for name, (form, element_bytes) in FORMATS.items():
        for n in WIDTHS_OF_FORMATS:
            lines = ["template <>", f"struct MultiplyFormat<{n}, {name}> {{"]
            for first in ("std::uint64_t a", "const unsigned* a"):
                lines += run(n, first, element_bytes, form)
            blocks.append("\n".join(lines + ["};"]))
    return HEAD_OF_FORMATS + "\n" + "\n".join(blocks) + "\n}  // namespace lab\n"


if __name__ == "__main__":
    for file, written in ((FOLDER / "multiply.cuh", text()), (FOLDER / "multiply_formats.cuh", text_of_formats())):
        if sys.argv[1:] != ["--check"]:
            file.write_text(written)
        elif file.read_text() != written:
            sys.exit(f"{file} is not what scripts/multiply.py writes")
