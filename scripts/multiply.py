#!/usr/bin/env python3
"""Writes kernels/cuda/multiply.cuh: wgmma for the widths N that kernels use; its PTX names N / 2 registers one by one.

usage: scripts/multiply.py [--check]
"""
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().parent.parent / "kernels/cuda/multiply.cuh"
WIDTHS = (64, 128, 256)
WIDTHS_WITH_REGISTERS = (64, 128)  # where a rung holds the first operand in registers
HEAD = """// clang-format off
// wgmma.mma_async.m64nNk16, bf16 in, fp32 sums (PTX ISA). Written by scripts/multiply.py.
#pragma once
#include <cstdint>

namespace lab {
template <int kN>
struct Multiply;
"""


def run(n, first):
    """One function: A by its descriptor (first "std::uint64_t a"), or in four registers ("const unsigned* a")."""
    registers, in_registers = n // 2, "*" in first
    names = [f"%{i}" for i in range(registers)]
    rows = [", ".join(names[i : i + 16]) for i in range(0, registers, 16)]
    b = registers + (4 if in_registers else 1)  # place of the second operand's descriptor
    a = "{" + ", ".join(f"%{i}" for i in range(registers, b)) + "}" if in_registers else f"%{registers}"
    lines = ["  template <bool kByColumns>",
             f"  static __device__ __forceinline__ void run(float* d, {first}, std::uint64_t b, int keep) {{",
             "    asm volatile(",
             f'        "{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{b + 1}, 0;\\n"',
             f'        "wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 {{"']
    lines += [f'        "{row}{"," if i + 1 < len(rows) else ""}"' for i, row in enumerate(rows)]
    lines.append(f'        "}}, {a}, %{b}, p, 1, 1, {"" if in_registers else "0, "}%{b + 2};\\n}}\\n"')
    for i in range(0, registers, 8):
        outputs = ", ".join(f'"+f"(d[{r}])' for r in range(i, min(i + 8, registers)))
        lines.append(f'        {":" if i == 0 else " "} {outputs}{"," if i + 8 < registers else ""}')
    inputs = ", ".join(f'"r"(a[{r}])' for r in range(4)) if in_registers else '"l"(a)'
    lines += [f'        : {inputs}, "l"(b), "r"(keep), "n"(int(kByColumns)));', "  }"]
    return lines


def width(n):
    lines = ["template <>", f"struct Multiply<{n}> {{"] + run(n, "std::uint64_t a")
    if n in WIDTHS_WITH_REGISTERS:
        lines += run(n, "const unsigned* a")
    return "\n".join(lines + ["};"])


def text():
    return HEAD + "\n" + "\n".join(width(n) for n in WIDTHS) + "\n}  // namespace lab\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(FILE.read_text() != text() and f"{FILE} is not what scripts/multiply.py writes")
    FILE.write_text(text())
