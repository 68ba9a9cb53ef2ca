#!/usr/bin/env python3
"""Compiles Triton's programs of assets/triton on this machine's GPU and times the sum beside ours and PyTorch's.

usage: scripts/triton_beside.py LOCKSTEP OUTPUT.json      (LOCKSTEP: the built program, whose kernel is timed)

Needs torch, triton and cupy. The file has, per program and shape of its block, the layout of what is stored (from the
compiler's TTGIR) and the PTX of each line; for the sum the medians with the middle 60 % of Triton's program, of ours
(the text that `lockstep export` writes, compiled by NVRTC) and of torch.add, in turns in one process, on random data,
with the L2 overwritten before each run. Results are checked against each other.
"""
import datetime
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import cupy
import torch
import triton
import triton.testing

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCKS = [128, 256, 512, 1024, 2048, 4096]
SIZES = [98_432, 10_000_000]
WARPS = 4
MOST_PTX = 8    # of a line: what moves bytes, then what computes


def program(name):
    path = ROOT / "assets/triton" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def numbers(text, name):
    return [int(n) for n in re.search(name + r" = \[([\d, ]+)\]", text)[1].split(",")]


def layout_of(ttgir):
    """Of the store's pointers: #blocked's definition, as text and as numbers."""
    name = re.search(r"tt\.store .*: tensor<[^,]+, (#\w+)>", ttgir)[1]
    text = re.search(re.escape(name) + r" = (#ttg\.blocked<\{.*?\}>)", ttgir)[1]
    return text, {"per_thread": numbers(text, "sizePerThread"), "threads": numbers(text, "threadsPerWarp"),
                  "warps": numbers(text, "warpsPerCTA"), "order": numbers(text, "order")}


def ptx_by_line(ptx, file):
    """Instructions below each line of the program; what is inlined from Triton's own files is left out."""
    ours = {n for n, path in re.findall(r'\.file\s+(\d+)\s+"([^"]+)"', ptx) if path.endswith(file)}
    lines, current = {}, None
    for row in ptx.splitlines():
        row = row.strip()
        if row.startswith("}"):
            break
        if at := re.match(r"\.loc\s+(\d+)\s+(\d+)", row):
            current = at[2] if at[1] in ours else None
        elif current and row.endswith(";") and not row.startswith((".", "//")):
            lines.setdefault(current, []).append(re.sub(r"\s+", " ", row))
    moves, keep = re.compile(r"(ld|st)\.global|cp\.async\.c"), re.compile(r"mad|fma|add\.f|setp|mov\.u32 .*ctaid|mov\.u32 .*tid")
    told = {line: ([i for i in rows if moves.search(i)] + [i for i in rows if keep.search(i) and not moves.search(i)])[:MOST_PTX]
            for line, rows in lines.items()}
    return {line: rows for line, rows in told.items() if rows}


def build(compiled, block, file):
    text, layout = layout_of(compiled.asm["ttgir"])
    return {"block": block, "warps": WARPS, "layout": layout, "layout_text": text, "ptx": ptx_by_line(compiled.asm["ptx"], file)}


def our_kernel(lockstep, rung):
    text = subprocess.run([lockstep, "export", f"threads/{rung}"], capture_output=True, text=True, check=True).stdout
    begin = text.index("__global__", 0)
    body = text[begin:]
    depth, end = 0, 0
    for i, c in enumerate(body):
        depth += (c == "{") - (c == "}")
        if c == "}" and depth == 0:
            end = i + 1
            break
    return cupy.RawKernel('extern "C" ' + body[:end], rung, options=("--std=c++17",))


def timed(run):
    median, low, high = triton.testing.do_bench(run, warmup=50, rep=200, quantiles=[0.5, 0.2, 0.8])
    return [round(1e3 * us, 3) for us in (median, low, high)]


def sums(kernel, ours):
    builds, times = [], []
    for n in SIZES:
        a, b = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        wanted = a + b
        for block in BLOCKS:
            out = torch.full_like(a, float("nan"))
            compiled = kernel[(triton.cdiv(n, block),)](a, b, out, n, BLOCK_SIZE=block, num_warps=WARPS)
            assert torch.equal(out, wanted)
            if n == SIZES[0]:
                builds.append(build(compiled, [block], "vector_add.py"))
            threads = min(block, 1024)
            grid = ((n + threads - 1) // threads,)
            stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
            args = tuple(cupy.uint64(t.data_ptr()) for t in (a, b, out)) + (cupy.int32(n),)

            def run_ours():
                with stream:
                    ours(grid, (threads,), args)
            out.fill_(float("nan"))
            run_ours()
            assert torch.equal(out, wanted)
            def run_triton():
                kernel[(triton.cdiv(n, block),)](a, b, out, n, BLOCK_SIZE=block, num_warps=WARPS)
            times.append({"elements": n, "block": block, "threads": threads, "triton_us": timed(run_triton), "ours_us": timed(run_ours),
                          "torch_us": timed(lambda: torch.add(a, b, out=out))})
            print(times[-1], flush=True)
    return {"builds": builds, "times": times}


def products(kernel):
    height, width, depth = 1000, 777, 301
    a, b = torch.randn(height, depth, device="cuda"), torch.randn(depth, width, device="cuda")
    out = torch.full((height, width), float("nan"), device="cuda")
    compiled = kernel[(triton.cdiv(width, 16), triton.cdiv(height, 16))](a, b, out, width, height, depth, num_warps=WARPS)
    wanted = (a.double() @ b.double()).float()
    worst = (out - wanted).abs().max().item()
    assert worst < 1e-3, worst
    print("product: largest error", worst)
    return {"builds": [build(compiled, [16, 16], "tile_product.py")], "times": []}


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    torch.manual_seed(1)
    record = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "versions": f"Triton {triton.__version__}, PyTorch {torch.__version__}, {WARPS} warps per program",
              "programs": {"vector_add": sums(program("vector_add"), our_kernel(arguments[0], "vector_add")),
                           "tile_product": products(program("tile_product"))}}
    text = re.sub(r"\[\n\s*([^\[\]{}\"]*?)\n\s*\]", lambda m: "[" + re.sub(r"\s*\n\s*", " ", m[1]) + "]", json.dumps(record, indent=1))
    assert json.loads(text) == record
    pathlib.Path(arguments[1]).write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
