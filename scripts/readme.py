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
NOT_YET = "not validated yet"
ASKED = ("global_load_requests", "global_load_sectors")  # of blocks that wait for one another: left to chance


def validated(lab, rung, validation):
    checks = [v for v in validation["rows"] if (v["lab"], v["rung"]) == (lab["slug"], rung["slug"])]
    stated = [d for v in checks for d in v["differences"]
              if f"{lab['slug']}/{rung['slug']}/{d}" in validation["reasons"] or v.get("waits") and d in ASKED]
    if not checks:
        elsewhere = [(other, validated(lab, rung, other)) for other in validation.get("others", [])]
        return next((f"{text}, {other['device']['name']}" for other, text in elsewhere if text != NOT_YET), NOT_YET)
    equal = sum(v["pass"] == v["emulator_pass"] and v["streams_equal"] and set(v["differences"]) <= set(stated) for v in checks)
    return f"{equal} of {len(checks)} settings" + (" *" if stated else "")


def recorded_on(lab, validation):
    dates = [row["date"] for row in validation["rows"] if row["lab"] == lab["slug"]]
    if not dates:
        return NOT_YET
    return min(dates) if min(dates) == max(dates) else f"{min(dates)} to {max(dates)}"


def listed(params):
    return ", ".join(f"{name} = {value}" for name, value in params.items())


def rung_lines(lab, rows, validation, cells_of):
    """A line per rung: idea, cells, what was validated. A rung that no recording knows yet says so and has no figures."""
    columns = max((len(cells_of(row)) for row in rows.values()), default=0)
    return ["| " + " | ".join([f"`{rung['slug']}`", rung["idea"], *(cells_of(rows[rung["slug"]]) if rung["slug"] in rows else ["–"] * columns),
                               validated(lab, rung, validation)]) + " |" for rung in lab["rungs"]]


def cycles_table(lab, entry, validation):
    """The same for a ladder whose kernels take their own time."""
    lines = [f"**{lab['slug']}** — default settings, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; cycles per access, medians of 11 launches",
             "", "| rung | idea | wavefronts | fewest | dependent chain | full load | validated |", "|---|---|---:|---:|---:|---:|---|"]
    rows = {row["rung"]: row["metrics"] for row in entry["rungs"]}
    def cells(m):
        chain = f"{m['measured']['chain_cycles']:.1f}" if "chain_cycles" in m["measured"] else "–"
        return [str(m["wavefronts_per_instruction"]), str(m["fewest_wavefronts"]), chain, f"{m['measured']['throughput_cycles']:.1f}"]
    lines += rung_lines(lab, rows, validation, cells)
    return "\n".join(lines)


def residents_table(lab, entry, validation):
    """The same for a ladder whose rungs are launched to see how many blocks an SM holds, and what that is worth."""
    lines = [f"**{lab['slug']}** — default settings, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; the driver's blocks, medians of the times",
             "", "| rung | idea | threads | registers | warps per SM | rate | validated |", "|---|---|---:|---:|---:|---:|---|"]
    rows = {row["rung"]: row for row in entry["rungs"]}
    def cells(row):
        driver, measured = row["metrics"]["driver"], row["metrics"]["measured"]
        rate = f"{measured['gigabytes_per_s']:,.0f} GB/s" if "gigabytes_per_s" in measured else f"{measured['teraflops']:.2f} TFLOP/s"
        return [str(row["params"]["threads"]), str(driver["registers"]), str(driver["warps_per_sm"]), rate]
    lines += rung_lines(lab, rows, validation, cells)
    return "\n".join(lines)


def head_of(lab, entry, validation, what):
    return [f"**{lab['slug']}** — default settings, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; {what}", ""]


def launches_table(lab, entry, validation):
    """The same for pipelines of kernels, launched one by one and as a graph."""
    lines = head_of(lab, entry, validation, "medians of 20 runs; idle: between the kernels' own stamps; what one launch and one node cost") + [
        "| rung | idea | one by one | idle | as a graph | idle | launch | node to node | validated |", "|---|---|---:|---:|---:|---:|---:|---:|---|"]
    rows = {row["rung"]: row["metrics"] for row in entry["rungs"]}
    us = lambda value: f"{value:.3g} µs"
    def cells(metrics):
        stream, graph, costs = (metrics[group] for group in ("stream", "graph", "costs"))
        return [us(value) for value in (stream["total_us"], stream["gaps_us"], graph["total_us"], graph["gaps_us"], costs["launch_us"], costs["node_gap_us"])]
    lines += rung_lines(lab, rows, validation, cells)
    return "\n".join(lines)


def stopwatch_table(lab, entry, validation):
    """The same for a kernel on several stopwatches."""
    ways = {"cpu_unsynced": "CPU clock, no wait", "cpu_synced": "CPU clock and a wait", "events": "events", "events_cold": "events, L2 overwritten"}
    sizes = {name: value for name, value in entry["rungs"][0]["params"].items() if name != "show"}
    lines = [f"**{lab['slug']}** — {listed(sizes)}, {entry['device']['name']}, recorded {recorded_on(lab, validation)}; medians, and the first run behind the stroke", "",
        "| rung | idea | " + " | ".join(ways.values()) + " | validated |", "|---|---|" + "---:|" * len(ways) + "---|"]
    rows = {row["rung"]: row["metrics"]["stopwatch"] for row in entry["rungs"]}
    lines += rung_lines(lab, rows, validation, lambda watch: [f"{watch[way]['median_us']:.3g} / {watch[way]['first_us']:.3g} µs" for way in ways])
    return "\n".join(lines)


def model_table(lab, entry, validation):
    """The same for a kernel whose cycles a model tells too."""
    lines = head_of(lab, entry, validation, "median of 11 launches") + ["| rung | idea | cycles | the model's cycles | validated |", "|---|---|---:|---:|---|"]
    rows = {row["rung"]: row["metrics"] for row in entry["rungs"]}
    lines += rung_lines(lab, rows, validation, lambda m: [f"{m['measured']['cycles']:,.0f}", f"{m['model']['cycles']:,.0f}"])
    return "\n".join(lines)


TABLES = {"driver": residents_table, "stream": launches_table, "stopwatch": stopwatch_table, "model": model_table}  # by what was measured


def has_table(entry):
    """Whether its figures are one row for each rung: where blocks ran, and what each level of the memory gave, are pictures."""
    metrics = entry["rungs"][0].get("metrics")
    return not metrics or ("placed" not in metrics and any(group in metrics for group in (*TABLES, "wavefronts_per_instruction")))


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
    def cells(row):
        figures = [f"{row['time']['median_ms']:.3f}", format(row["teraflops"], ".1f") if computes else format(row["gigabytes_per_s"], ",.0f")]
        settings = [listed({name: value for name, value in row["params"].items() if name not in shared})] if own else []
        return settings + figures + ([f"{row['fraction_of_reference']:.1%}"] if reference else [])
    lines += rung_lines(lab, rows, validation, cells)
    return "\n".join(lines)


def ideas_table(lab, validations):
    """A ladder that has no times: its rungs alone, and on which device they were validated, if on any."""
    for validation in validations:
        if recorded_on(lab, validation) != NOT_YET:
            lines = [f"**{lab['slug']}** — validated on {validation['device']['name']}, {recorded_on(lab, validation)}", "", "| rung | idea | validated |", "|---|---|---|"]
            return "\n".join(lines + rung_lines(lab, {}, validation, None))
    lines = [f"**{lab['slug']}** — not validated against a GPU's counters yet: its counts are the emulator's", "", "| rung | idea |", "|---|---|"]
    return "\n".join(lines + [f"| `{rung['slug']}` | {rung['idea']} |" for rung in lab["rungs"]])


def listed_labs(program):
    return json.loads(subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True).stdout)["labs"]


def generated(labs):
    folder = ROOT / "assets/recordings/h200"
    bench = json.loads((folder / "bench.json").read_text())
    validation = json.loads((folder / "validation.json").read_text())
    others = [json.loads(path.read_text()) for path in sorted(folder.parent.glob("*/validation.json")) if path.parent != folder]
    validation["others"] = others
    recorded = {entry["lab"] for entry in bench["ladders"] if has_table(entry)}
    return "\n\n".join(rung_table(lab, bench, validation) if lab["slug"] in recorded else ideas_table(lab, [validation, *others])
                       for lab in labs)


def says_what_is_missing(labs):
    """Whether a rung that nobody has recorded gets its line in every table."""
    unseen = {"slug": "unseen", "idea": "a rung of tomorrow"}
    lines = [line for line in generated([lab | {"rungs": lab["rungs"] + [unseen]} for lab in labs]).split("\n") if "`unseen`" in line]
    recorded = [line for line in lines if NOT_YET in line]
    return len(lines) == len(labs) and bool(recorded)


def main(arguments):
    check = "--check" in arguments
    program = [a for a in arguments if not a.startswith("--")]
    if len(program) != 1:
        sys.exit(__doc__)
    path = ROOT / "README.md"
    old = path.read_text()
    labs = listed_labs(program[0])
    new = re.sub(r"(<!-- rungs -->\n).*?(\n<!-- /rungs -->)", lambda m: m[1] + generated(labs) + m[2], old, flags=re.S)
    if check:
        claims = {"README.md is up to date, else: run scripts/readme.py build/release/lockstep": new == old,
                  "a rung that no GPU has seen yet is listed as such": says_what_is_missing(labs)}
        for claim, holds in claims.items():
            print("ok:" if holds else "FAILED:", claim)
        print(f"{sum(claims.values())} passed, {len(claims) - sum(claims.values())} failed")
        return not all(claims.values())
    path.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
