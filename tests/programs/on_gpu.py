#!/usr/bin/env python3
"""The programs of right/ on a real GPU: built by nvcc, their output compared with what is expected, and the profiler's
counters of every launch. Needs nvcc and ncu; nvdisasm adds the access widths by source line. Below five minutes.

  tests/programs/on_gpu.py -o FOLDER [NAME...]

FOLDER/programs.json: {"device", "programs": {name: {"built", "exit_code", "output_equal", "output", "widths": {line:
{instruction: times in the listing}}, "launches": [{"kernel", "grid", "block", "counters": {...}}]}}}.
FOLDER/output/NAME.out is what each program wrote; FOLDER/profiler/counters.csv is the table as ncu printed it."""
import argparse
import collections
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent / "right"
COUNTERS = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "global_load_sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "global_store_sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": "global_reduction_sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": "global_atomic_sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "global_load_requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "global_store_requests",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": "local_load_sectors",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum": "local_store_sectors",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared_load_wavefronts_of_pipe",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared_store_wavefronts_of_pipe",
    # Of instructions, and exact: the pipe's own read a little too much now and then.
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared_load_wavefronts",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared_store_wavefronts",
}
BUILD = ["nvcc", "-O3", "-lineinfo", "-gencode=arch=compute_90,code=sm_90"]
SECONDS_A_RUN, SECONDS_A_PROFILE = 20, 100


def run(command, seconds, **more):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, **more)
    except FileNotFoundError as missing:
        return subprocess.CompletedProcess(command, 127, "", str(missing))
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, (late.stdout or b"").decode(errors="replace"), f"more than {seconds} s")


def widths_by_line(source, folder):
    """How often each memory instruction stands in the listing, by source line."""
    cubin = folder / f"{source.stem}.cubin"
    if run([*BUILD, "-cubin", "-o", cubin, source], 120).returncode:
        return {}
    listing = run(["nvdisasm", "--print-line-info", cubin], 60).stdout
    line, widths = 0, collections.defaultdict(collections.Counter)
    for row in listing.splitlines():
        if mark := re.search(r'//## File "([^"]+)", line (\d+)', row):
            line = int(mark[2]) if mark[1].endswith(source.name) else line
        if access := re.search(r"\b((?:LDG|STG|LDS|STS|LD|ST|ATOM|ATOMG|ATOMS|RED|REDG|LDC|LDL|STL)\b[.\w]*)", row):
            widths[str(line)][access[1]] += 1
    return widths


def build(source, folder):
    made = run([*BUILD, "-o", folder / source.stem, source], 200)
    return {"built": made.returncode == 0, "diagnostics": made.stdout + made.stderr,
            "widths": widths_by_line(source, folder)}


def compare(program, source, folder, out):
    ran = run([folder / source.stem], SECONDS_A_RUN, cwd=folder)
    (out / "output" / f"{source.stem}.out").write_text(ran.stdout)
    expected = source.with_suffix(".out")
    program |= {"exit_code": ran.returncode, "output": ran.stdout, "error_output": ran.stderr,
                "output_equal": expected.is_file() and ran.stdout == expected.read_text()}


def all_in_one(names, folder):
    """A command that starts every program: one start of the profiler serves all of them."""
    script = folder / "all.sh"
    script.write_text("".join(f"timeout {SECONDS_A_RUN} {folder / name} >/dev/null 2>&1\n" for name in names) + "exit 0\n")
    return ["bash", script]


def table(text):
    start = text.find('"ID"')
    return list(csv.DictReader(io.StringIO(text[start:]))) if start >= 0 else []


def number(text):
    plain = (text or "").replace(",", "")
    return float(plain) if re.fullmatch(r"-?\d+(\.\d+)?", plain) else None


def count(programs, names, folder, out):
    """The counters of every launch, in the order of launching."""
    log = out / "profiler" / "counters.csv"
    ran = run(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--target-processes", "all", "--log-file", log,
               "--metrics", ",".join(COUNTERS), *all_in_one(names, folder)], SECONDS_A_PROFILE)
    rows = table(log.read_text(errors="replace") if log.is_file() else ran.stdout)
    if not rows:
        print("ncu gave no table:", (ran.stdout + ran.stderr)[-2000:], file=sys.stderr)
    units, launches = rows[0] if rows else {}, [row for row in rows[1:]]
    scale = {"Ksector": 1e3, "Krequest": 1e3, "Msector": 1e6, "Mrequest": 1e6}
    for row in launches:
        name = pathlib.Path(row.get("Process Name", "")).name
        counters = {ours: round(value * scale.get(units.get(theirs), 1)) for theirs, ours in COUNTERS.items()
                    if (value := number(row.get(theirs))) is not None}
        if name in programs:
            programs[name].setdefault("launches", []).append(
                {"kernel": row.get("Kernel Name"), "grid": row.get("Grid Size"), "block": row.get("Block Size"),
                 "counters": counters})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", dest="out", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("names", nargs="*", help="programs without .cu; all by default")
    return parser.parse_args()


def main():
    options, began = arguments(), time.time()
    for folder in ("output", "profiler"):
        (options.out / folder).mkdir(parents=True, exist_ok=True)
    sources = [s for s in sorted(HERE.glob("*.cu")) if not options.names or s.stem in options.names]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            programs = dict(zip((s.stem for s in sources), pool.map(lambda s: build(s, folder), sources)))
        print(f"built {sum(p['built'] for p in programs.values())} of {len(programs)} in {time.time() - began:.0f} s")
        for source in sources:
            if programs[source.stem]["built"]:
                compare(programs[source.stem], source, folder, options.out)
        device = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 20).stdout.strip()
        result = {"device": device, "build": " ".join(BUILD), "programs": programs}
        save = lambda: (options.out / "programs.json").write_text(json.dumps(result, indent=1) + "\n")
        save()
        names = [name for name, program in programs.items() if program["built"]]
        count(programs, names, folder, options.out)
        save()
    wrong = [name for name, program in programs.items() if not program.get("output_equal")]
    counted = sum(len(program.get("launches", [])) for program in programs.values())
    print(f"{len(programs) - len(wrong)} of {len(programs)} wrote what is expected; {counted} launches counted; {time.time() - began:.0f} s")
    for name in wrong:
        print(f"  {name}: exit code {programs[name].get('exit_code')}, built {programs[name]['built']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
