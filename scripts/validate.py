#!/usr/bin/env python3
"""Validates every rung on this machine's GPU and makes the recordings, in one go.

usage: scripts/validate.py LOCKSTEP OUTPUT_DIR [LAB [--rung R]] [--no-profiler] [--no-recordings]
       scripts/validate.py --merge OUTPUT_DIR PART_DIR...      (records of the same day; later parts win)

LOCKSTEP is the built program. Written into OUTPUT_DIR: <device>/*.npz (lockstep record), validation.json, and
bench.json. Needs ncu, compute-sanitizer, nvcc and nvdisasm of the CUDA toolkit on PATH; the driver must let ncu read
counters. validation.json has, per rung and setting, the counts of the emulator, of the GPU trace and of the hardware
counters of the clean build side by side, the equality of the access streams, the sanitizers' verdicts, and per rung the
access widths that the compiler chose, line by line; and the occupancy model's blocks per SM against the driver's.
"""
import csv
import datetime
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTERS = {  # the profiler's name -> ours
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared_load_wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared_store_wavefronts",
    "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum": "shared_async_wavefronts",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "global_load_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "global_load_sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "global_store_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "global_store_sectors",
    "l1tex__m_xbar2l1tex_read_sectors.sum": "l1_read_sectors",  # what the L1s receive: the L1 model's quantity
    "lts__t_sectors_srcunit_tex_op_read.sum": "l2_read_sectors",  # fewer, where SMs share one read of a sector
    "lts__t_sectors_srcunit_tex_op_write.sum": "l2_write_sectors",
    "dram__bytes_read.sum": "dram_read_bytes",
    "dram__bytes_write.sum": "dram_write_bytes",
}
MERGED = "the compiler reads several neighbours of a row of the tile with one wider load (see compiled_widths)"
SOURCE = "the profiler's LDGSTS wavefronts also count passes that the global source asks for, by the lines that it lies in; the count is of the shared destination"
REASONS = {  # where a compiled kernel counts otherwise than its source says
    **{f"gemm/{rung}/shared_load_wavefronts": MERGED for rung in ("shared", "reg1d", "reg2d")},
    **{f"gemm/{rung}/shared_async_wavefronts": SOURCE for rung in ("async", "warptile", "ldmatrix")},
}
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")


def run(command, **options):
    print("+", " ".join(map(str, command)), file=sys.stderr, flush=True)
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)


def run_json(command):
    result = run(command)
    if result.returncode:
        sys.exit(f"failed ({result.returncode}): {result.stderr[-2000:]}")
    return json.loads(result.stdout[result.stdout.index("["):])


def swept(program):
    """The model's blocks per SM against the driver's, for every kernel at random settings."""
    result = run([program, "validate", "--driver"])
    if result.returncode not in (0, 1):
        sys.exit(f"failed ({result.returncode}): {result.stderr[-2000:]}")
    return json.loads(result.stdout)


def profiled(program, lab):
    """The hardware counters of each launch of `validate`, in its order."""
    result = run(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--metrics", ",".join(COUNTERS), program, "validate", *lab])
    start = result.stdout.find('"ID"')
    if start < 0:
        sys.exit("ncu gave no table: " + (result.stdout + result.stderr)[-2000:])
    rows = list(csv.DictReader(io.StringIO(result.stdout[start:])))
    units = rows[0]
    factor = {"": 1, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "sector": 1, "request": 1}
    launches = []
    for row in rows[1:]:
        value = lambda name: float(row[name].replace(",", "")) * factor.get(units[name], 1)
        launches.append({ours: round(value(theirs)) for theirs, ours in COUNTERS.items()})
    return launches


def sanitized(program, lab):
    verdicts = {}
    for tool in SANITIZERS:
        result = run(["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", program, "validate", *lab])
        summary = re.findall(r"=+ (ERROR SUMMARY|RACECHECK SUMMARY): (.*)", result.stdout + result.stderr)
        verdicts[tool] = {"clean": result.returncode == 0, "summary": summary[-1][1] if summary else (result.stdout + result.stderr)[-300:]}
    return verdicts


def compiled_widths(file):
    """{line: {"LDG.E.128": 4, ...}} of a rung's kernels as compiled for this GPU."""
    ladder = file.split("/")[0]
    wrapper = (ROOT / "kernels/rung_clean.cu.in").read_text()
    wrapper = wrapper.replace("@RUNG_FILE@", file).replace("@RUNG_LADDER@", ladder).replace("@RUNG_SYMBOL@", "rung")
    includes = [line for line in (ROOT / "kernels" / file).read_text().splitlines() if line.startswith('#include "kernels/')]
    wrapper = wrapper.replace("@RUNG_INCLUDES@", "\n".join(includes))
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder) / "rung.cu", pathlib.Path(folder) / "rung.cubin"
        source.write_text(wrapper)
        built = run(["nvcc", "-std=c++20", "-O3", "-lineinfo", "--expt-relaxed-constexpr", "-gencode=arch=compute_90a,code=sm_90a", "-I", ROOT, "-cubin", "-o", cubin, source])
        if built.returncode:
            sys.exit(built.stderr)
        listing = run(["nvdisasm", "--print-line-info", cubin]).stdout
    line, widths, name = 0, {}, pathlib.Path(file).name
    for row in listing.splitlines():
        if mark := re.search(r'//## File "([^"]+)", line (\d+)', row):
            line = int(mark[2]) if mark[1].endswith(name) else line
        if access := re.search(r"\b((?:LDG|STG|LDS|STS|LDGSTS|LDSM)\b[.\w]*)", row):
            at_line = widths.setdefault(str(line), {})
            at_line[access[1]] = at_line.get(access[1], 0) + 1
    return widths


def main(program, output, *lab, profiler=True, recordings=True):
    program, output = pathlib.Path(program).resolve(), pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    clean = run_json([program, "validate", *lab])
    streams = run_json([program, "validate", *lab, "--streams"])
    counters = profiled(program, lab) if profiler else [None] * len(clean)
    if len(counters) != len(clean):
        sys.exit(f"{len(clean)} launches, but the profiler saw {len(counters)}")
    rows = []
    for launched, compared, counted in zip(clean, streams, counters):
        row = {key: launched[key] for key in ("lab", "rung", "file", "hash", "params", "pass", "max_error", "registers", "shared_bytes")}
        row |= {key: compared[key] for key in ("streams_equal", "difference", "events_of_block", "mask_differences", "emulator", "gpu_trace", "models")}
        row["hardware"] = counted
        row["differences"] = sorted(k for k in (counted or {}) if k in row["emulator"] and row["emulator"][k] != counted[k])
        rows.append(row)
    record = {
        "schema": 1, "date": datetime.date.today().isoformat(), "device": clean[0]["device"],
        "sanitizers": sanitized(program, lab) if profiler else {},
        "compiled_widths": {file: compiled_widths(file) for file in dict.fromkeys(r["file"] for r in rows)},
        "reasons": REASONS,   # "lab/rung/quantity": why the compiled kernel differs from the source
        "occupancy": swept(program),
        "rows": rows,
    }
    (output / "validation.json").write_text(json.dumps(record, indent=1) + "\n")
    if recordings:
        bench = run([program, "bench", *lab, "--json"])
        (output / "bench.json").write_text(bench.stdout)
        recorded = run([program, "record", *lab, "-o", output, "--counters", output / "validation.json"])
        print(recorded.stdout, recorded.stderr)
        print(bench.stdout, bench.stderr[-500:])
    unstated = lambda r: [d for d in r["differences"] if f"{r['lab']}/{r['rung']}/{d}" not in REASONS]
    failed = [r for r in rows if not (r["pass"] and r["streams_equal"] and not unstated(r) and not r["mask_differences"] and r["emulator"] == r["gpu_trace"])]
    for r in failed:
        print("DIFFERS", r["lab"], r["rung"], r["params"], r["difference"], r["differences"], "masks", r["mask_differences"], r["emulator"], r["gpu_trace"], r["hardware"])
    sweep = record["occupancy"]
    for difference in sweep["differences"]:
        print("OCCUPANCY DIFFERS", difference)
    print(f"occupancy: {sweep['compared']} configurations of {len(sweep['kernels'])} kernels, {len(sweep['differences'])} differences")
    print(json.dumps(record["sanitizers"]))
    print(json.dumps(record["compiled_widths"]))
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or sweep["differences"] else 0


def merged(parts, output):
    """One record of several: rows of the same rung are those of the last part."""
    records = [json.loads((part / "validation.json").read_text()) for part in parts]
    benches = [json.loads((part / "bench.json").read_text()) for part in parts]
    whole, bench = records[0], benches[0]
    for record, timed in zip(records[1:], benches[1:]):
        fresh = {(row["lab"], row["rung"]): [r for r in record["rows"] if (r["lab"], r["rung"]) == (row["lab"], row["rung"])] for row in record["rows"]}
        rows, done = [], set()
        for row in whole["rows"]:
            rung = (row["lab"], row["rung"])
            rows += ([] if rung in done else fresh[rung]) if rung in fresh else [row]
            done.add(rung)
        whole["rows"] = rows + [row for rung in fresh if rung not in done for row in fresh[rung]]
        whole["compiled_widths"] |= record["compiled_widths"]
        whole["reasons"] |= record["reasons"]
        if "occupancy" in record:
            whole["occupancy"] = record["occupancy"]
        for tool, verdict in record["sanitizers"].items():
            whole["sanitizers"][tool]["clean"] &= verdict["clean"]
        for ladder in timed["ladders"]:
            ours = next((b for b in bench["ladders"] if b["lab"] == ladder["lab"]), None)
            if ours is None:
                bench["ladders"].append(ladder)
                continue
            renewed = {row["rung"]: row for row in ladder["rungs"]}
            known = [row["rung"] for row in ours["rungs"]]
            ours["rungs"] = [renewed.get(row["rung"], row) for row in ours["rungs"]] + [row for rung, row in renewed.items() if rung not in known]
    (output / "validation.json").write_text(json.dumps(whole, indent=1) + "\n")
    (output / "bench.json").write_text(json.dumps(bench, indent=1) + "\n")


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["--merge"] and len(words) >= 3:    # OUTPUT_DIR PART_DIR...
        sys.exit(merged([pathlib.Path(w) for w in words[2:]], pathlib.Path(words[1])))
    rungs = [words[i + 1] for i, w in enumerate(words[:-1]) if w == "--rung"]
    arguments = [w for i, w in enumerate(words) if not w.startswith("--") and (i == 0 or words[i - 1] != "--rung")]
    if len(arguments) not in (2, 3) or (rungs and len(arguments) != 3) or len(rungs) > 1:
        sys.exit(__doc__)
    lab = arguments[2:] + [word for rung in rungs for word in ("--rung", rung)]
    sys.exit(main(arguments[0], arguments[1], *lab, profiler="--no-profiler" not in words, recordings="--no-recordings" not in words))
