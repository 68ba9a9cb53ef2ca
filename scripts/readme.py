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


def rung_table(lab, bench, validation):
    """Markdown rows: idea, recorded time and throughput, what was validated."""
    rows = {row["rung"]: row for entry in bench["ladders"] if entry["lab"] == lab["slug"] for row in entry["rungs"]}
    entry = next(e for e in bench["ladders"] if e["lab"] == lab["slug"])
    params = ", ".join(f"{name} = {value}" for name, value in entry["rungs"][0]["params"].items())
    lines = [f"**{lab['slug']}** — {params}, {entry['device']['name']}, recorded {validation['date']}; medians of {entry['rungs'][0]['time']['runs']} runs",
             "", f"| rung | idea | ms | GB/s | of {entry['reference']} | validated |", "|---|---|---:|---:|---:|---|"]
    for rung in lab["rungs"]:
        row, checks = rows[rung["slug"]], [v for v in validation["rows"] if (v["lab"], v["rung"]) == (lab["slug"], rung["slug"])]
        equal = sum(v["pass"] and v["streams_equal"] and not v["differences"] for v in checks)
        lines.append(f"| `{rung['slug']}` | {rung['idea']} | {row['time']['median_ms']:.3f} | {row['gigabytes_per_s']:,.0f} | "
                     f"{row['fraction_of_reference']:.1%} | {equal} of {len(checks)} sizes |")
    return "\n".join(lines)


def generated(program):
    labs = json.loads(subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True).stdout)["labs"]
    folder = ROOT / "assets/recordings/h200"
    bench = json.loads((folder / "bench.json").read_text())
    validation = json.loads((folder / "validation.json").read_text())
    return "\n\n".join(rung_table(lab, bench, validation) for lab in labs)


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
