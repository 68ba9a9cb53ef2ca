#!/usr/bin/env python3
"""Writes kernels/cuda/multiply.cuh: wgmma for the widths N that kernels use; its PTX names N / 2 registers one by one.

usage: scripts/multiply.py [--check]
"""
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().parent.parent / "kernels/cuda/multiply.cuh"
WIDTHS = (64, 128, 256)
HEAD = """// clang-format off
// wgmma.mma_async.m64nNk16, bf16 in, fp32 sums (PTX ISA). Written by scripts/multiply.py.
#pragma once
#include <cstdint>

namespace lab {
template <int kN>
struct Multiply;
"""


def width(n):
    registers = n // 2
    names = [f"%{i}" for i in range(registers)]
    rows = [", ".join(names[i : i + 16]) for i in range(0, registers, 16)]
    lines = ["template <>", f"struct Multiply<{n}> {{", "  template <bool kByColumns>",
             "  static __device__ __forceinline__ void run(float* d, std::uint64_t a, std::uint64_t b, int keep) {",
             "    asm volatile(",
             f'        "{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{registers + 2}, 0;\\n"',
             f'        "wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 {{"']
    lines += [f'        "{row}{"," if i + 1 < len(rows) else ""}"' for i, row in enumerate(rows)]
    lines.append(f'        "}}, %{registers}, %{registers + 1}, p, 1, 1, 0, %{registers + 3};\\n}}\\n"')
    for i in range(0, registers, 8):
        outputs = ", ".join(f'"+f"(d[{r}])' for r in range(i, min(i + 8, registers)))
        lines.append(f'        {":" if i == 0 else " "} {outputs}{"," if i + 8 < registers else ""}')
    lines += ['        : "l"(a), "l"(b), "r"(keep), "n"(int(kByColumns)));', "  }", "};"]
    return "\n".join(lines)


def text():
    return HEAD + "\n" + "\n".join(width(n) for n in WIDTHS) + "\n}  // namespace lab\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(FILE.read_text() != text() and f"{FILE} is not what scripts/multiply.py writes")
    FILE.write_text(text())
