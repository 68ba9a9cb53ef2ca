#!/usr/bin/env python3
"""The answers of tests/exercises on a real GPU: each is put between the marks of its program, built by nvcc and run with
the default values. Good and wasteful ones have to be right by the program's own check; wrong ones are told about, since
a race may go unnoticed there. Then the profiler's global sectors and shared wavefronts of good and wasteful ones, beside
what the exercise allows, and the vector addition's bandwidth at 10 million elements for blocks of 128 to 1024 threads.
Wrong ones that the check lets through are asked of compute-sanitizer. Needs nvcc; ncu for the counts. About two minutes.

  tests/exercises/on_gpu.py [-o FOLDER] [--wrong] [TASK...]    --wrong: the wrong ones alone
       exit code 1 where a good or wasteful one fails"""
import argparse
import concurrent.futures
import csv
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXERCISES = HERE.parents[1] / "assets/exercises"
BEGINS, ENDS = "// === your part begins\n", "// === your part ends"
ANSWERS = ("good", "wrong1", "wrong2", "wrong3", "wasteful")
BUILD = ["nvcc", "-O3", "-lineinfo", "-gencode=arch=compute_90,code=sm_90"]
SECTORS = [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st", "red", "atom")]
WAVEFRONTS = [f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st")]
BANDWIDTH_MAIN = """
int main() {
  const int n = 10000000, runs = 100;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  for (int threads = 128; threads <= 1024; threads *= 2) {
    for (int i = 0; i < 10; i++) add(a, b, c, n, threads);
    cudaEventRecord(start);
    for (int i = 0; i < runs; i++) add(a, b, c, n, threads);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms;
    cudaEventElapsedTime(&ms, start, stop);
    printf("%4d threads: %.2f us, %.0f GB/s\\n", threads, ms / runs * 1e3, 12.0 * n * runs / ms / 1e6);
  }
}
"""


def run(command, seconds):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
    except FileNotFoundError as missing:
        return subprocess.CompletedProcess(command, 127, "", str(missing))
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"more than {seconds} s")


def spliced(task, answer):
    start = (EXERCISES / "programs" / f"{task}.cu").read_text()
    begin, end = start.index(BEGINS) + len(BEGINS), start.index(ENDS)
    return start[:begin] + (HERE / task / f"{answer}.cu").read_text() + start[end:]


def default_values(task):
    """Of the exercise's `vary:` lines the values with a star."""
    text = (EXERCISES / "en" / f"{task}.md").read_text()
    return {name: int(value) for name, value in re.findall(r"^vary: (\w+) = .*?\*(\d+)", text, re.M)}


def allowed(task):
    start, values = (EXERCISES / "programs" / f"{task}.cu").read_text(), default_values(task)
    limits = re.findall(r"^// most (\w+): (.*)$", start, re.M)
    return {what: round(eval(formula, {"ceil": math.ceil}, values)) for what, formula in limits}


def build(task, answer, folder):
    source = folder / f"{task}_{answer}.cu"
    source.write_text(spliced(task, answer))
    made = run([*BUILD, "-o", source.with_suffix(""), source], 200)
    return {"task": task, "answer": answer, "program": source.with_suffix(""), "built": made.returncode == 0,
            "diagnostics": made.stdout + made.stderr}


def number(text):
    plain = (text or "").replace(",", "")
    return float(plain) if re.fullmatch(r"-?\d+(\.\d+)?", plain) else 0.0


def counted(program):
    """Sectors and wavefronts of all launches; None where there is no profiler, or none for us."""
    ran = run(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--metrics", ",".join(SECTORS + WAVEFRONTS), program], 100)
    start = ran.stdout.find('"ID"')
    if start < 0:
        return None
    units, *rows = csv.DictReader(io.StringIO(ran.stdout[start:]))
    scale = lambda key: {"K": 1e3, "M": 1e6}.get((units.get(key) or " ")[0], 1)
    total = lambda keys: round(sum(number(row.get(key)) * scale(key) for row in rows for key in keys))
    return {"sectors": total(SECTORS), "wavefronts": total(WAVEFRONTS)}


def sanitized(program):
    """What the sanitizers say of a program, by tool; "" where they say nothing."""
    said = {}
    for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
        ran = run(["compute-sanitizer", "--tool", tool, "--print-limit", "1", program], 60)
        lines = [line.lstrip("= ") for line in ran.stdout.splitlines() if re.search(r"=+ +(Invalid|Error: |Warning: |Uninitialized|Barrier|Host API)", line)]
        said[tool] = lines[0] if lines else ""
    return said


def bandwidth(folder):
    text = spliced("vector_add", "good")
    source = folder / "bandwidth.cu"
    source.write_text(text[:text.index(ENDS)] + BANDWIDTH_MAIN)
    if run([*BUILD, "-o", folder / "bandwidth", source], 200).returncode:
        return "the vector addition cannot be built"
    return run([folder / "bandwidth"], 60).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", dest="out", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("tasks", nargs="*", help="all by default")
    options = parser.parse_args()
    tasks = options.tasks or sorted(path.stem for path in (EXERCISES / "programs").glob("*.cu"))
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            programs = list(pool.map(lambda pair: build(*pair, folder), [(t, a) for t in tasks for a in ANSWERS if not options.wrong or a.startswith("wrong")]))
        for program in programs:
            ran = run([program["program"]], 30) if program["built"] else None
            program["output"] = ran.stdout if ran else program["diagnostics"]
            program["right"] = bool(ran) and ran.returncode == 0
            has_to_be_right = program["answer"] in ("good", "wasteful")
            failed += has_to_be_right and not program["right"]
            if has_to_be_right and program["right"]:
                program["counted"], program["allowed"] = counted(program["program"]), allowed(program["task"])
            if not has_to_be_right and program["right"]:
                program["sanitizers"] = sanitized(program["program"])
            last = (program["output"].strip().splitlines() or ["(nothing printed)"])[-1]
            verdict = ("PASS" if program["right"] else "FAIL") if has_to_be_right else ("noticed" if not program["right"] else "not noticed")
            print(f"{program['task']:15}{program['answer']:9}{verdict:12}{last}"
                  + (f"; counted {program['counted']}, allowed {program['allowed']}" if "counted" in program else "")
                  + "".join(f"; {tool}: {said}" for tool, said in program.get("sanitizers", {}).items() if said), flush=True)
            program["program"] = str(program["program"])
        speed = "" if options.wrong else bandwidth(folder)
        print(speed)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        device = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 20).stdout.strip()
        (options.out / "exercises.json").write_text(json.dumps({"device": device, "programs": programs, "bandwidth": speed}, indent=1) + "\n")
    print(f"{failed} of the good and wasteful ones failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
