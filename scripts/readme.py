#!/usr/bin/env python3
"""Writes the generated parts of README.md: the tables of rungs with their recorded figures.

usage: scripts/readme.py [--check] LOCKSTEP      (LOCKSTEP: the built program; --check only compares)
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def validated(lab, rung, validation):
    checks = [v for v in validation["rows"] if (v["lab"], v["rung"]) == (lab["slug"], rung["slug"])]
    stated = [d for v in checks for d in v["differences"] if f"{lab['slug']}/{rung['slug']}/{d}" in validation["reasons"]]
    equal = sum(v["pass"] == v["emulator_pass"] and v["streams_equal"] and set(v["differences"]) <= set(stated) for v in checks)
    return f"{equal} of {len(checks)} settings" + (" *" if stated else "")


def recorded_on(lab, validation):
    dates = [row["date"] for row in validation["rows"] if row["lab"] == lab["slug"]]
    return min(dates) if min(dates) == max(dates) else f"{min(dates)} to {max(dates)}"


def listed(params):
    return ", ".join(f"{name} = {value}" for name, value in params.items())


def cycles_table(lab, entry, validation):
    """The same for a ladder whose kernels take their own time."""
    lines = [f"**{lab['slug']}** — default settings, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; cycles per access, medians of 11 launches",
             "", "| rung | idea | wavefronts | fewest | dependent chain | full load | validated |", "|---|---|---:|---:|---:|---:|---|"]
    rows = {row["rung"]: row["metrics"] for row in entry["rungs"]}
    for rung in lab["rungs"]:
        m = rows[rung["slug"]]
        chain = f"{m['measured']['chain_cycles']:.1f}" if "chain_cycles" in m["measured"] else "–"
        lines.append(f"| `{rung['slug']}` | {rung['idea']} | {m['wavefronts_per_instruction']} | {m['fewest_wavefronts']} | {chain} | "
                     f"{m['measured']['throughput_cycles']:.1f} | {validated(lab, rung, validation)} |")
    return "\n".join(lines)


def residents_table(lab, entry, validation):
    """The same for a ladder whose rungs are launched to see how many blocks an SM holds, and what that is worth."""
    lines = [f"**{lab['slug']}** — default settings, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; the driver's blocks, medians of the times",
             "", "| rung | idea | threads | registers | warps per SM | rate | validated |", "|---|---|---:|---:|---:|---:|---|"]
    rows = {row["rung"]: row for row in entry["rungs"]}
    for rung in lab["rungs"]:
        row = rows[rung["slug"]]
        driver, measured = row["metrics"]["driver"], row["metrics"]["measured"]
        rate = f"{measured['gigabytes_per_s']:,.0f} GB/s" if "gigabytes_per_s" in measured else f"{measured['teraflops']:.2f} TFLOP/s"
        lines.append(f"| `{rung['slug']}` | {rung['idea']} | {row['params']['threads']} | {driver['registers']} | {driver['warps_per_sm']} | {rate} | {validated(lab, rung, validation)} |")
    return "\n".join(lines)


def head_of(lab, entry, validation, what):
    return [f"**{lab['slug']}** — default settings, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; {what}", ""]


def launches_table(lab, entry, validation):
    """The same for pipelines of kernels, launched one by one and as a graph."""
    lines = head_of(lab, entry, validation, "medians of 20 runs; idle: between the kernels' own stamps; what one launch and one node cost") + [
        "| rung | idea | one by one | idle | as a graph | idle | launch | node to node | validated |", "|---|---|---:|---:|---:|---:|---:|---:|---|"]
    rows = {row["rung"]: row["metrics"] for row in entry["rungs"]}
    us = lambda value: f"{value:.3g} µs"
    for rung in lab["rungs"]:
        stream, graph, costs = (rows[rung["slug"]][group] for group in ("stream", "graph", "costs"))
        cells = [stream["total_us"], stream["gaps_us"], graph["total_us"], graph["gaps_us"], costs["launch_us"], costs["node_gap_us"]]
        lines.append(f"| `{rung['slug']}` | {rung['idea']} | {' | '.join(map(us, cells))} | {validated(lab, rung, validation)} |")
    return "\n".join(lines)


def stopwatch_table(lab, entry, validation):
    """The same for a kernel on several stopwatches."""
    ways = {"cpu_unsynced": "CPU clock, no wait", "cpu_synced": "CPU clock and a wait", "events": "events", "events_cold": "events, L2 overwritten"}
    sizes = {name: value for name, value in entry["rungs"][0]["params"].items() if name != "show"}
    lines = [f"**{lab['slug']}** — {listed(sizes)}, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; medians, and the first run behind the stroke", "",
        "| rung | idea | " + " | ".join(ways.values()) + " | validated |", "|---|---|" + "---:|" * len(ways) + "---|"]
    rows = {row["rung"]: row["metrics"]["stopwatch"] for row in entry["rungs"]}
    for rung in lab["rungs"]:
        cells = [f"{rows[rung['slug']][way]['median_us']:.3g} / {rows[rung['slug']][way]['first_us']:.3g} µs" for way in ways]
        lines.append(f"| `{rung['slug']}` | {rung['idea']} | {' | '.join(cells)} | {validated(lab, rung, validation)} |")
    return "\n".join(lines)


def model_table(lab, entry, validation):
    """The same for a kernel whose cycles a model tells too."""
    lines = head_of(lab, entry, validation, "median of 11 launches") + ["| rung | idea | cycles | the model's cycles | validated |", "|---|---|---:|---:|---|"]
    rows = {row["rung"]: row["metrics"] for row in entry["rungs"]}
    for rung in lab["rungs"]:
        m = rows[rung["slug"]]
        lines.append(f"| `{rung['slug']}` | {rung['idea']} | {m['measured']['cycles']:,.0f} | {m['model']['cycles']:,.0f} | {validated(lab, rung, validation)} |")
    return "\n".join(lines)


TABLES = {"driver": residents_table, "stream": launches_table, "stopwatch": stopwatch_table, "model": model_table}  # by what was measured


def rung_table(lab, bench, validation):
    """Markdown rows: idea, recorded time and throughput, what was validated."""
    rows = {row["rung"]: row for entry in bench["ladders"] if entry["lab"] == lab["slug"] for row in entry["rungs"]}
    entry = next(e for e in bench["ladders"] if e["lab"] == lab["slug"])
    metrics = entry["rungs"][0].get("metrics")
    if metrics:
        return next((table for group, table in TABLES.items() if group in metrics), cycles_table)(lab, entry, validation)
    settings = [row["params"] for row in entry["rungs"]]
    shared = {name: value for name, value in settings[0].items() if all(other.get(name, value) == value for other in settings)}
    own = any(set(params) - set(shared) for params in settings)     # rungs timed at settings of their own
    computes, reference = "teraflops" in entry["rungs"][0], entry["reference"]
    titles = ["rung", "idea", *(["settings"] if own else []), "ms", "TFLOP/s" if computes else "GB/s", *([f"of {reference}"] if reference else []), "validated"]
    lines = [f"**{lab['slug']}** — {listed(shared)}, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; medians of {entry['rungs'][0]['time']['runs']} runs",
             "", "| " + " | ".join(titles) + " |", "|---|---|" + "---|" * own + "---:|" * (2 + bool(reference)) + "---|"]
    for rung in lab["rungs"]:
        row = rows[rung["slug"]]
        cells = [f"`{rung['slug']}`", rung["idea"]]
        if own:
            cells.append(listed({name: value for name, value in row["params"].items() if name not in shared}))
        cells += [f"{row['time']['median_ms']:.3f}", format(row["teraflops"], ".1f") if computes else format(row["gigabytes_per_s"], ",.0f")]
        if reference:
            cells.append(f"{row['fraction_of_reference']:.1%}")
        lines.append("| " + " | ".join([*cells, validated(lab, rung, validation)]) + " |")
    return "\n".join(lines)


def ideas_table(lab):
    """A ladder that nobody has recorded yet: its rungs alone."""
    lines = [f"**{lab['slug']}** — not validated against a GPU's counters yet: its counts are the emulator's", "", "| rung | idea |", "|---|---|"]
    return "\n".join(lines + [f"| `{rung['slug']}` | {rung['idea']} |" for rung in lab["rungs"]])


def generated(program):
    labs = json.loads(subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True).stdout)["labs"]
    folder = ROOT / "assets/recordings/h200"
    bench = json.loads((folder / "bench.json").read_text())
    validation = json.loads((folder / "validation.json").read_text())
    recorded = {entry["lab"] for entry in bench["ladders"]}
    return "\n\n".join(rung_table(lab, bench, validation) if lab["slug"] in recorded else ideas_table(lab) for lab in labs)


def main(arguments):
    check = "--check" in arguments
    program = [a for a in arguments if not a.startswith("--")]
    if len(program) != 1:
        sys.exit(__doc__)
    path = ROOT / "README.md"
    old = path.read_text()
    new = re.sub(r"(<!-- rungs -->\n).*?(\n<!-- /rungs -->)", lambda m: m[1] + generated(program[0]) + m[2], old, flags=re.S)
    if check:
        print("1 passed, 0 failed" if new == old else "README.md is out of date: run scripts/readme.py build/release/lockstep\n0 passed, 1 failed")
        return new != old
    path.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
