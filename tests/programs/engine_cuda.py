#!/usr/bin/env python3
"""`lockstep run FILE.cu --engine cuda` on a real GPU, for five programs of right/: every kernel of theirs has a time, an
output as the emulator's, and counters whose global sectors are within one per cent of the emulated ones.

  cmake --preset release && ninja -C build/release lockstep      (or any build that runs on the machine)
  tests/programs/engine_cuda.py build/release/lockstep -o FOLDER [NAME...]

Needs nvcc and nvidia-smi; clang for the emulator's side (without: outputs are compared with NAME.out, counters with h200.json);
ncu for counters (without: they are left out, and that is said).
Writes FOLDER/NAME.json as lockstep printed it. Exit 1 where something is not as claimed. About a minute."""
import argparse
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent / "right"
PROGRAMS = ("01_vector_add", "08_histogram_shared", "13_reduce_shared", "18_matmul_tiled", "20_transpose_padded")
GLOBAL = ("global_load_sectors", "global_store_sectors")
SHARED = ("shared_load_wavefronts", "shared_store_wavefronts")


def measure(lockstep, name, out):
    began = time.time()
    ran = subprocess.run([lockstep, "run", HERE / f"{name}.cu", "--engine", "cuda", "--all", "--json"], capture_output=True, text=True, timeout=400)
    if ran.stderr:
        print(f"{name}: {ran.stderr.strip()}", file=sys.stderr)
    if ran.returncode not in (0, 1) or not ran.stdout:
        return None, [f"exit code {ran.returncode}"]
    (out / f"{name}.json").write_text(ran.stdout)
    result = json.loads(ran.stdout)
    print(f"{name}: {time.time() - began:.1f} s, exit code {ran.returncode}")
    return result, [] if ran.returncode == 0 else [f"exit code {ran.returncode}"]


def check_kernel(kernel, launches, counted):
    wrong = []
    place = f"{kernel['kernel']} {kernel['grid']} {kernel['block']}"
    if kernel["launch"] is None:
        return [f"{place}: no launch of the emulator's is this kernel"]
    if not kernel["time_us"]:
        wrong.append(f"{place}: no time")
    if not kernel["counters"]:
        return wrong + ([f"{place}: no counters"] if counted else [])
    here, there = launches[kernel["launch"]]["counts"], kernel["counters"]
    for key in GLOBAL:
        if abs(here[key] - there[key]) > 0.01 * there[key]:
            wrong.append(f"{place}: {key} measured {there[key]}, emulated {here[key]}")
    shared = ", ".join(f"{key} {there[key]}/{here[key]}" for key in SHARED if there.get(key) or here[key])
    print(f"  {place}: {kernel['time_us']} us, {kernel['registers']} registers; measured/emulated "
          + ", ".join(f"{key} {there[key]}/{here[key]}" for key in GLOBAL) + (f", {shared}" if shared else ""))
    return wrong


def check_alone(name, gpu):
    """Against the profiler's counters that h200.json holds of the same programs."""
    wrong, known = [], json.loads((HERE.parent / "h200.json").read_text())["programs"][name]["launches"]
    if len(known) != len(gpu["kernels"]):
        wrong.append(f"{len(gpu['kernels'])} kernels, {len(known)} recorded")
    for kernel, recorded in zip(gpu["kernels"], known):
        print(f"  {kernel['kernel']}: {kernel['time_us']} us, {kernel['registers']} registers, counters {kernel['counters']}")
        if not kernel["time_us"]:
            wrong.append(f"{kernel['kernel']}: no time")
        wrong += [f"{kernel['kernel']}: {key} {kernel['counters'].get(key)}, recorded {recorded[key]}" for key in GLOBAL + SHARED
                  if kernel["counters"] and abs(kernel["counters"].get(key, -1) - recorded[key]) > 0.01 * recorded[key]]
    return wrong


def check(name, result):
    gpu = result.get("gpu")
    if not gpu:
        return ["no GPU's run in it"]
    if gpu["problem"]:
        return [gpu["problem"] + "\n" + gpu["diagnostics"]]
    print(f"  {gpu['device']}, driver {gpu['driver']}, {gpu['compiler']}: output {gpu['output_match']}; times: {gpu['provenance'].get('time', gpu['no_times'])}; "
          f"counters: {gpu['provenance'].get('counters', gpu['no_counters'])}")
    if not result["compiled"]:    # no clang there: what is expected stands beside the program
        print(f"  the emulator's side is missing: {' '.join(result['notes'])}")
        wrong = [] if gpu["output"] == (HERE / f"{name}.out").read_text() else ["the output is not the expected one"]
        return wrong + check_alone(name, gpu)
    wrong = [] if gpu["output_match"].startswith("same") else [f"output {gpu['output_match']}: {gpu.get('first_difference')}"]
    if len(gpu["kernels"]) != len([l for l in result["launches"] if not l.get("refused")]):
        wrong.append(f"{len(gpu['kernels'])} kernels there, {len(result['launches'])} launches here")
    for kernel in gpu["kernels"]:
        wrong += check_kernel(kernel, result["launches"], not gpu["no_counters"])
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lockstep")
    parser.add_argument("-o", dest="out", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("names", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    bad = 0
    for name in options.names or PROGRAMS:
        result, wrong = measure(options.lockstep, name, options.out)
        wrong += check(name, result) if result else []
        for row in wrong:
            print(f"  WRONG {row}")
        bad += bool(wrong)
    print(f"{len(options.names) - bad} of {len(options.names)} programs as claimed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
