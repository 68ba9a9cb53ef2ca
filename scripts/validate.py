#!/usr/bin/env python3
"""Validates every rung on this machine's GPU and makes the recordings, in one go.

usage: scripts/validate.py LOCKSTEP OUTPUT_DIR [LAB [--rung R]] [--draw N] [--seed S] [--no-profiler] [--no-recordings] [--renew]
       scripts/validate.py --merge OUTPUT_DIR PART_DIR...      (later parts win)

--draw, --seed: beside its ladder's fixed settings each rung is validated at N (4) drawn from a seed (1).
--renew: validation.json is in OUTPUT_DIR; its counters, the times and the recordings are taken again.
LOCKSTEP is the built program. Written into OUTPUT_DIR: <device>/*.npz (lockstep record), validation.json, and
bench.json. Needs ncu, compute-sanitizer, nvcc and nvdisasm of the CUDA toolkit on PATH; the driver must let ncu read
counters. validation.json has, per rung and setting, the counts of the emulator, of the GPU trace and of the hardware
counters of the clean build side by side, the counters of each rung at the size that is timed ("large"), what PyTorch's
kernels take there ("libraries", where it is installed), the equality of the access streams, the sanitizers' verdicts, and
per rung the access widths that the compiler chose, line by line; the occupancy model's blocks per SM against the driver's;
and what is left of a run of `graphs` when one thing fails on purpose ("faults"); "drawn" has the seed, "refused" the drawn
settings that the GPU did not take. What nobody times runs in several processes at once.
"""
import argparse
import concurrent.futures
import contextlib
import csv
import datetime
import io
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTERS = {  # the profiler's name -> ours
    # Of instructions, and exact: the data pipe's own counters of the same read up to 0.3 % too much now and then.
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared_load_wavefronts",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum": "ldmatrix_wavefronts",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared_store_wavefronts",
    "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum": "shared_async_wavefronts",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "global_load_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "global_load_sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "global_store_requests",
    # Of the kernel's own instructions, as those of shared memory: beside the copy engine the L1's counter of the same
    # is off by up to 12 % in either direction when it is read along with others, and right alone.
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum": "global_store_sectors",
    # of the next three no GPU has been asked yet: names and values are to be looked at when one is
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": "global_reduction_sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": "global_atomic_sectors",
    "smsp__inst_executed_op_shared_atom.sum": "shared_atomic_instructions",
    "l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld.sum": "cluster_load_sectors",
    "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum": "box_sectors",
    "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum": "box_store_sectors",
    "sm__inst_executed_pipe_tensor_op_gmma.sum": "product_instructions",  # four warps issue a product
    "l1tex__m_xbar2l1tex_read_sectors.sum": "l1_read_sectors",  # what the L1s receive: the L1 model's quantity
    "lts__t_sectors_srcunit_tex_op_read.sum": "l2_read_sectors",  # fewer, where SMs share one read of a sector
    "lts__t_sectors_srcunit_tex_op_write.sum": "l2_write_sectors",
    "dram__bytes_read.sum": "dram_read_bytes",
    "dram__bytes_write.sum": "dram_write_bytes",
    "smsp__inst_executed.sum": "instructions",  # of warps; of their active lanes:
    "smsp__thread_inst_executed.sum": "thread_instructions",
}
MERGED = {"fewer": True, "why": "the compiler reads several neighbours of a row of the tile with one wider load (see compiled_widths)"}
UNUSED = {"fewer": True, "why": "the compiler leaves out loads whose value the rows beyond the end do not use"}
SOURCE = {"fewer": False, "why": "the profiler's LDGSTS wavefronts also count passes that the global source asks for, by the lines that it lies in; the count is of the shared destination"}
UNROLLED = {"fewer": False, "why": "lanes that make fewer passes of a loop leave its unrolled text, and the rest of the warp goes on in a second group: two requests where the source has one"}
SEATLESS = {"fewer": False, "why": "beyond 32 warps the GPU is offered more blocks than one SM takes: those without a seat there store one word, load it and leave; the emulator has one SM"}
STAMPED = {"fewer": False, "why": "where time is taken every block notes it in a stamp by an atomic; the emulator and the trace write none"}
SEATED = {"fewer": False, "why": "where time is taken blocks on the measured SM draw their seats by an atomic; the emulator and the trace have one block per seat"}
ANYWHERE = {"fewer": False, "why": "where time is taken the nearest lines are any, written by lanes of both warps; elsewhere they are the first ones, and one warp's"}
UNEXPLAINED = {"fewer": True, "why": "not explained: of 16-byte loads that the first 27 lanes share the profiler counts one wavefront fewer than the rule that fits 10,000 other maps"}
PER_PASS = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors", "shared_load_wavefronts", "shared_store_wavefronts")
APART = {"fewer": False, "why": "behind a branch in a loop the traced kernel's lanes go on apart; the emulator has them meet again at each pass, as the counters say of the clean kernel"}
ALONE = {"fewer": False, "why": "one thread of the producer's warp goes through its loop alone: the traced kernel's lanes come to the barriers behind it in two parts, and meet there"}
TURNS = {"fewer": False, "most": 0.01, "why": "now and then lanes that add to different words of one sector are taken one after another: up to 0.7 % more sectors than the rule says (app/model/sectors.cpp)"}
ODD = {"fewer": False, "most": 0.0001, "why": "in one of 120 settings the L1's counter read 8 sectors of 295,439 too many; the requests are equal"}
ASKED = ("global_load_requests", "global_load_sectors")  # of blocks that wait for one another: left to chance
# Where a compiled kernel counts otherwise than its source says: whether the counter is the smaller one, and,
# where it is known, by which share of it at most.
REASONS = {
    **{f"gemm/{rung}/shared_load_wavefronts": MERGED for rung in ("shared", "reg1d", "reg2d")},
    **{f"gemm/{rung}/shared_async_wavefronts": SOURCE for rung in ("async", "warptile", "mma", "swizzle", "ldmatrix", "stages", "stores")},
    "attention/flash1/shared_load_wavefronts": UNUSED,
    "attention/flash2_mma/shared_async_wavefronts": SOURCE,
    "banks/broadcast/shared_load_wavefronts": UNEXPLAINED,
    "attention/backward/shared_load_wavefronts": MERGED,
    "graphs/decode/shared_load_wavefronts": MERGED,
    **{f"graphs/{rung}/global_reduction_sectors": STAMPED for rung in ("chain", "fork_join", "decode")},
    "memory/half/shared_load_wavefronts": MERGED,
    "scatter/segments/mask_differences": APART,
    "gemm/cluster/mask_differences": ALONE,
    **{f"scatter/{rung}/global_reduction_sectors": TURNS for rung in ("edges", "lanes", "segments")},
    **{f"scatter/{rung}/{count}": UNROLLED for rung in ("gather", "segments", "normalized", "one_by_one", "batch") for count in ("global_load_requests", "global_load_sectors")},
    "shuffle/three_launches/global_load_sectors": ODD,
    **{f"shuffle/{rung}/shared_load_wavefronts": UNUSED for rung in ("shared", "look_back", "window")},
    "memory/half/shared_store_wavefronts": ANYWHERE,
    "scheduler/chain/global_atomic_sectors": SEATED,
    "scheduler/chain/shared_load_wavefronts": SEATLESS,
    "scheduler/chain/shared_store_wavefronts": SEATLESS,
    **{f"softmax/fused/{quantity}": UNROLLED for quantity in PER_PASS},
    **{f"attention/standard/{quantity}": UNROLLED for quantity in PER_PASS if quantity.startswith("global")},
}
FAULTS = {"capture": {"LOCKSTEP_FAULT": "capture"}, "instantiate": {"LOCKSTEP_FAULT": "instantiate"}, "driver": {"LOCKSTEP_FAULT": "driver"},
          "no_cupti": {"LOCKSTEP_CUPTI": "/dev/null"}}
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
WORKERS = max(2, os.cpu_count() or 2)
SHARDS = max(1, WORKERS // 4)    # processes of one kind of work; each may use several cores itself
took = []    # (part, seconds)


@contextlib.contextmanager
def part(name):
    begin = time.monotonic()
    yield
    took.append((name, time.monotonic() - begin))
    print(f"= {name}: {took[-1][1]:.1f} s", file=sys.stderr, flush=True)


def run(command, **options):
    print("+", " ".join(map(str, command)), file=sys.stderr, flush=True)
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)


def run_json(command):
    result = run(command)
    if result.returncode:
        sys.exit(f"failed ({result.returncode}): {result.stderr[-2000:]}")
    return json.loads(result.stdout[result.stdout.index("["):])


def explained(row, quantity):
    """Whether a reason stands for this difference: for its direction too, and for its size where it says one."""
    reason = REASONS.get(f"{row['lab']}/{row['rung']}/{quantity}")
    if not reason:
        return False
    written, counted = row["emulator"][quantity], row["hardware"][quantity]
    return (counted < written) == reason["fewer"] and abs(counted - written) <= reason.get("most", float("inf")) * counted


@contextlib.contextmanager
def settings_file(rows):
    """The rows as `validate --settings` reads them."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([{key: row[key] for key in ("lab", "rung", "params", "drawn") if key in row} for row in rows], file)
        file.flush()
        yield file.name


def validated(program, rows, *words):
    """What `validate` says of these rows, in their order, by several processes at once."""
    def shard(first):
        with settings_file(rows[first::SHARDS]) as file:
            return run_json([program, "validate", "--settings", file, *words])
    with concurrent.futures.ThreadPoolExecutor(SHARDS) as pool:
        shards = list(pool.map(shard, range(SHARDS)))
    return [shards[i % SHARDS][i // SHARDS] for i in range(len(rows))]


def swept(program):
    """The model's blocks per SM against the driver's, for every kernel at random settings."""
    result = run([program, "validate", "--driver"])
    if result.returncode not in (0, 1):
        sys.exit(f"failed ({result.returncode}): {result.stderr[-2000:]}")
    return json.loads(result.stdout)


def counted(command):
    """The hardware counters of each launch of a command. ldmatrix, which has one of its own, is a load."""
    result = run(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--target-processes", "all", "--metrics", ",".join(COUNTERS), *command])
    start = result.stdout.find('"ID"')
    if start < 0:
        sys.exit("ncu gave no table: " + (result.stdout + result.stderr)[-2000:])
    rows = list(csv.DictReader(io.StringIO(result.stdout[start:])))
    units = rows[0]
    factor = {"": 1, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "sector": 1, "request": 1}
    launched = []
    for row in rows[1:]:
        value = lambda name: float(row[name].replace(",", "")) * factor.get(units[name], 1)
        known = lambda name: row.get(name, "").replace(",", "").replace(".", "").isdigit()  # else: not on this GPU
        launched.append({ours: round(value(theirs)) for theirs, ours in COUNTERS.items() if known(theirs)})
        launched[-1]["shared_load_wavefronts"] += launched[-1].pop("ldmatrix_wavefronts")
    return launched


def counted_benches(program, bench, rows):
    """What the counters say of one launch of each rung at the size at which `bench` times it, in one start of the profiler."""
    known = {(row["lab"], row["rung"]) for row in rows}
    large = [{"lab": ladder["lab"], "rung": timed["rung"], "params": timed["params"]}
             for ladder in bench["ladders"] for timed in ladder["rungs"] if timed["time"] and (ladder["lab"], timed["rung"]) in known]
    if not large:    # a lab whose kernels take their own time
        return []
    with settings_file(large) as file:
        launches = [row["launches"] for row in run_json([program, "validate", "--settings", file, "--plan"])]
        launched = counted([program, "validate", "--settings", file, "--unchecked"])
    for row, counters in zip(large, summed(launched, launches), strict=True):
        row["hardware"] = counters
    return large


def summed(launches, per_row):
    """The counters of each row, over the launches that it consists of."""
    if len(launches) != sum(per_row):
        sys.exit(f"{sum(per_row)} launches, but the profiler saw {len(launches)}")
    following = iter(launches)
    rows = [[next(following) for _ in range(count)] for count in per_row]
    return [{name: sum(launch[name] for launch in row) for name in row[0]} for row in rows]


def library_times(bench):
    """What PyTorch's kernels take for the problems that `bench` timed, where PyTorch is installed: random data, the L2
    overwritten before each run, medians. The first name per rung is the reference of a ladder that has none."""
    try:
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
    except ImportError:
        return []
    flush = torch.empty(2 * 64 << 20, dtype=torch.int8, device="cuda")

    def median_ms(prepare, work):
        times = []
        for i in range(-3, 20):
            held = prepare()
            flush.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            work(*held)
            end.record()
            end.synchronize()
            if i >= 0:
                times.append(begin.elapsed_time(end))
        return statistics.median(times)

    def attention(p, backward, backend):
        shape = (1, p["heads"], p["seq"], p["head_dim"])
        dtype = {"bf16": torch.bfloat16, "half": torch.float16}[p.get("dtype", "bf16")]  # of 8 bits PyTorch has none
        q, k, v = (torch.randn(shape, dtype=dtype, device="cuda", requires_grad=backward) for _ in range(3))
        gradient = torch.randn(shape, dtype=dtype, device="cuda")

        def work():
            with sdpa_kernel(backend):
                o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=p["causal"] == "yes")
            if backward:
                o.backward(gradient)
        return median_ms(lambda: (), work)

    rows = []
    for ladder in bench["ladders"]:
        for timed in ladder["rungs"]:
            p, found = timed["params"], []
            if ladder["lab"] == "attention":
                backward = timed["rung"].startswith("backward")
                found = [("flash_attention", "FlashAttention-2", attention(p, backward, SDPBackend.FLASH_ATTENTION)),
                         ("cudnn", "cuDNN", attention(p, backward, SDPBackend.CUDNN_ATTENTION))]
            if ladder["lab"] == "softmax" and p["dtype"] == "float":
                x = torch.randn(p["rows"], p["cols"], device="cuda")
                found = [("pytorch", "PyTorch", median_ms(lambda: (), lambda: torch.softmax(x, 1)))]
            rows += [{"lab": ladder["lab"], "rung": timed["rung"], "params": p, "slug": slug, "name": name, "median_ms": ms, "version": "PyTorch " + torch.__version__}
                     for slug, name, ms in found]
            if found and not ladder["reference"]:
                timed["time"] |= {"reference": found[0][1], "reference_ms": found[0][2]}
                timed["fraction_of_reference"] = found[0][2] / timed["time"]["median_ms"]
        names = {timed["time"]["reference"] for timed in ladder["rungs"] if timed["time"] and timed["time"].get("reference")}
        ladder["reference"] = ladder["reference"] or "".join(names if len(names) == 1 else [])
    return rows


def sanitized(program, rows, pool):
    """Each tool over all rows, by several processes at once; the worst summary stands for a tool."""
    def shard(tool, first):
        with settings_file(rows[first::SHARDS]) as file:
            result = run(["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", program, "validate", "--settings", file])
        text = result.stdout + result.stderr
        summary = re.findall(r"=+ (ERROR SUMMARY|RACECHECK SUMMARY): (.*)", text)
        return {"clean": result.returncode == 0, "summary": summary[-1][1] if summary else text[-300:]}
    shards = {tool: [pool.submit(shard, tool, first) for first in range(SHARDS) if rows[first::SHARDS]] for tool in SANITIZERS}
    return {tool: min((future.result() for future in futures), key=lambda verdict: verdict["clean"]) for tool, futures in shards.items()}


def races(program, rows, pool):
    """What racecheck says of the rungs that are kept for their race, each at its settings."""
    rungs = list(dict.fromkeys(f"{row['lab']}/{row['rung']}" for row in rows))
    verdicts = {rung: sanitized(program, [row for row in rows if f"{row['lab']}/{row['rung']}" == rung], pool) for rung in rungs}
    return {rung: {"found": not tools["racecheck"]["clean"], "summary": tools["racecheck"]["summary"],
                   "others_clean": all(verdict["clean"] for tool, verdict in tools.items() if tool != "racecheck")} for rung, tools in verdicts.items()}


def faults_met(program):
    """What is left of a run of `graphs` in which one thing fails on purpose: the fault, its words, and whether the rest is there."""
    met = []
    for fault, variables in FAULTS.items():
        result = run([program, "run", "graphs", "--engine", "cuda", "--json"], env=os.environ | variables)
        metrics = json.loads(result.stdout)["metrics"] if result.returncode == 0 else {}
        stream, graph, cases, cupti = (metrics.get(group, {}) for group in ("stream", "graph", "cases", "cupti"))
        said = {"capture": graph.get("problem"), "instantiate": graph.get("problem"), "driver": cases.get("branch", {}).get("way_out_name"),
                "no_cupti": cupti.get("message")}[fault]
        met.append({"fault": fault, "exit": result.returncode, "said": said, "stream_us": stream.get("total_us"), "graph_us": graph.get("total_us"),
                    "handled": result.returncode == 0 and bool(said) and stream.get("total_us", 0) > 0 and (fault != "driver" or said == "cudaErrorNotSupported")
                    and (fault != "no_cupti" or (cupti["status"] == "absent" and graph.get("total_us", 0) > 0))})
    return met


def compiled(program, file):
    """Of a rung's kernels as compiled for this GPU: {line: {"LDG.E.128": 4, ...}}, and how often they have what tells of branches:
    {"BRA": 5, "BSSY": 1, "FFMA": 256, "@P FFMA": 0}, the last with a condition for each lane."""
    wrapper = program.parent / "generated/rungs" / (file.removesuffix(".cuh").replace("/", "_") + "_clean.cu")
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / "rung.cubin"
        built = run(["nvcc", "-std=c++20", "-O3", "-lineinfo", "--expt-relaxed-constexpr", "-gencode=arch=compute_90a,code=sm_90a", "-I", ROOT, "-cubin", "-o", cubin, wrapper])
        if built.returncode:
            sys.exit(built.stderr)
        listing = run(["nvdisasm", "--print-line-info", cubin]).stdout
    line, widths, name = 0, {}, pathlib.Path(file).name
    code = {"BRA": 0, "BSSY": 0, "FFMA": 0, "@P FFMA": 0}
    for row in listing.splitlines():
        if mark := re.search(r'//## File "([^"]+)", line (\d+)', row):
            line = int(mark[2]) if mark[1].endswith(name) else line
        if access := re.search(r"\b((?:LDG|STG|LDS|STS|LDGSTS|LDSM)\b[.\w]*)", row):
            at_line = widths.setdefault(str(line), {})
            at_line[access[1]] = at_line.get(access[1], 0) + 1
        if made := re.search(r"(@!?U?P\d+ +)?(?<![.\w])(BRA|BSSY|FFMA)\b", row):
            code[made[2]] += 1
            code["@P FFMA"] += bool(made[1]) and made[2] == "FFMA"
    return widths, code


def add_counters(rows, program):
    """The hardware counters of each row's launches of `validate`."""
    with settings_file(rows) as file:
        launched = counted([program, "validate", "--settings", file])
    for row, counters in zip(rows, summed(launched, [row["launches"] for row in rows]), strict=True):
        row["hardware"] = counters
        row["differences"] = sorted(k for k in counters if k in row["emulator"] and row["emulator"][k] != counters[k])


def joined(clean, streams):
    """The rows of both runs as one, and the drawn ones that this GPU refused."""
    rows, refused = [], []
    for launched, compared in zip(clean, streams, strict=True):
        if error := launched.get("error") or compared.get("error"):
            if not launched.get("drawn"):
                sys.exit(f"failed: {launched['lab']}/{launched['rung']} {launched['params']}: {error}")
            refused.append({key: launched[key] for key in ("lab", "rung", "params")} | {"error": error})
            continue
        row = {key: launched[key] for key in ("lab", "rung", "file", "hash", "params", "drawn", "racy", "waits", "pass", "max_error", "registers", "shared_bytes") if key in launched}
        row |= {key: compared[key] for key in ("streams_equal", "difference", "events_of_block", "launches", "mask_differences", "emulator_pass", "emulator", "gpu_trace", "models")}
        rows.append(row | {"hardware": None, "differences": [], "date": datetime.date.today().isoformat()})
    return rows, refused


def validation(program, lab, profiler, drawn, seed):
    """The record: every rung at every setting, by the emulator, the GPU's trace and its counters."""
    with part("settings"):
        plan = run_json([program, "validate", *lab, "--plan", "--draw", drawn, "--seed", seed])
    with part("clean launches"):
        clean = validated(program, plan)
    with part("GPU trace and emulator"):
        rows, refused = joined(clean, validated(program, plan, "--streams"))
    files = list(dict.fromkeys(row["file"] for row in rows))
    with part("sanitizers, compiled widths, occupancy, faults"), concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        occupancy = pool.submit(swept, program)
        faults = pool.submit(faults_met, program) if any(row["lab"] == "graphs" for row in rows) else None
        made = {file: pool.submit(compiled, program, file) for file in files}
        sanitizers = sanitized(program, [row for row in rows if not row.get("racy")], pool) if profiler else {}
        raced = races(program, [row for row in rows if row.get("racy")], pool) if profiler else {}
        made = {file: of_file.result() for file, of_file in made.items()}
    if profiler:
        with part("counters of every setting (one ncu)"):
            add_counters(rows, program)
    return {
        "schema": 1, "date": datetime.date.today().isoformat(), "device": next(row["device"] for row in clean if "device" in row),
        "drawn": {"seed": seed, "per_rung": drawn}, "refused": refused,
        "sanitizers": sanitizers,
        "races": raced,   # "lab/rung" that is kept for its race: what racecheck says of it
        "compiled_widths": {file: widths for file, (widths, _) in made.items()},
        "machine_code": {file: code for file, (_, code) in made.items()},
        "reasons": REASONS,   # "lab/rung/quantity": why the compiled kernel differs from the source
        "occupancy": occupancy.result(),
        "faults": faults.result() if faults else [],
        "rows": rows,
    }


def main(program, output, *lab, profiler=True, recordings=True, renew=False, drawn=4, seed=1):
    program, output = pathlib.Path(program).resolve(), pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    record = json.loads((output / "validation.json").read_text()) if renew else validation(program, lab, profiler, drawn, seed)
    rows = record["rows"]
    if renew and profiler:
        with part("counters of every setting (one ncu)"):
            add_counters(rows, program)
    (output / "validation.json").write_text(json.dumps(record, indent=1) + "\n")
    if recordings:
        with part("bench"):
            bench = run([program, "bench", *lab, "--json"])
        if not bench.stdout.startswith("{"):
            sys.exit("bench failed: " + bench.stderr[-2000:])
        timed = json.loads(bench.stdout)
        with part("libraries"):
            record["libraries"] = library_times(timed)
        if profiler:
            with part("counters at the timed sizes (one ncu)"):
                record["large"] = counted_benches(program, timed, rows)
        (output / "bench.json").write_text(json.dumps(timed, indent=2) + "\n")
        (output / "validation.json").write_text(json.dumps(record, indent=1) + "\n")
        with part("recordings"):
            recorded = run([program, "record", *lab, "-o", output, "--counters", output / "validation.json"])
        print(recorded.stdout, recorded.stderr)
        print(bench.stdout, bench.stderr[-500:])
    asked = lambda r, name: r.get("waits") and name in ASKED
    unstated = lambda r: [d for d in r["differences"] if not asked(r, d) and not explained(r, d)]
    same = lambda r: all(r["emulator"][name] == r["gpu_trace"][name] for name in r["emulator"] if not asked(r, name))
    failed = [r for r in rows if not ((r["pass"] == r["emulator_pass"] or r.get("racy")) and r["streams_equal"] and not unstated(r) and (not r["mask_differences"] or r.get("waits") or f"{r['lab']}/{r['rung']}/mask_differences" in REASONS) and same(r))]
    for r in failed:
        print("DIFFERS", r["lab"], r["rung"], r["params"], r["difference"], r["differences"], "masks", r["mask_differences"], r["emulator"], r["gpu_trace"], r["hardware"])
    unmet = [fault for fault in record.get("faults", []) if not fault["handled"]]
    for fault in unmet:
        print("FAULT NOT HANDLED", fault)
    sweep = record["occupancy"]
    for difference in sweep["differences"]:
        print("OCCUPANCY DIFFERS", difference)
    print(f"occupancy: {sweep['compared']} configurations of {len(sweep['kernels'])} kernels, {len(sweep['differences'])} differences")
    print(json.dumps(record["sanitizers"]))
    print(json.dumps(record["races"]))
    print(json.dumps(record["compiled_widths"]))
    for row in record.get("refused", []):
        print("REFUSED BY THE GPU", row["lab"], row["rung"], row["params"], row["error"])
    print("--- what took how long ---")
    for name, seconds in took:
        print(f"{seconds:8.1f} s  {name}")
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed; drawn: {record.get('drawn')}")
    return 1 if failed or unmet or sweep["differences"] else 0


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
        whole["date"] = max(whole["date"], record["date"])
        whole["compiled_widths"] |= record["compiled_widths"]
        whole["machine_code"] = whole.get("machine_code", {}) | record.get("machine_code", {})
        whole["reasons"] |= record["reasons"]
        for name in ("large", "libraries"):
            latest = {(row["lab"], row["rung"], row.get("slug")): row for row in whole.get(name, []) + record.get(name, [])}
            whole[name] = list(latest.values())
        whole["drawn"] = record.get("drawn", whole.get("drawn"))
        whole["refused"] = [row for row in whole.get("refused", []) if (row["lab"], row["rung"]) not in fresh] + record.get("refused", [])
        for name in ("occupancy", "faults"):
            whole[name] = record.get(name) or whole.get(name, [])
        whole["races"] = whole.get("races", {}) | record.get("races", {})
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
    output.mkdir(parents=True, exist_ok=True)
    (output / "validation.json").write_text(json.dumps(whole, indent=1) + "\n")
    (output / "bench.json").write_text(json.dumps(bench, indent=1) + "\n")


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["--merge"] and len(words) >= 3:    # OUTPUT_DIR PART_DIR...
        sys.exit(merged([pathlib.Path(w) for w in words[2:]], pathlib.Path(words[1])))
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("output")
    parser.add_argument("lab", nargs="?")
    parser.add_argument("--rung")
    parser.add_argument("--draw", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    for flag in ("--no-profiler", "--no-recordings", "--renew"):
        parser.add_argument(flag, action="store_true")
    asked = parser.parse_intermixed_args(words)
    if asked.rung and not asked.lab:
        parser.error("--rung needs its LAB")
    lab = ([asked.lab] if asked.lab else []) + (["--rung", asked.rung] if asked.rung else [])
    sys.exit(main(asked.program, asked.output, *lab, profiler=not asked.no_profiler, renew=asked.renew, recordings=not asked.no_recordings, drawn=asked.draw, seed=asked.seed))
