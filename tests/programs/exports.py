#!/usr/bin/env python3
"""Every rung as a program of its own, opened as a reader's program, beside the rung itself on the emulator.

  tests/programs/exports.py LOCKSTEP [LAB | LAB/RUNG ...]      all rungs where none is named

The program's own check must pass. Global sectors of its first round of launches equal the rung's, and so do shared
wavefronts; where those differ, the lines are named that access shared memory by another width than the rung's code
says. Prints a table. Exit 1 where a program does not run, fails its check, or differs without a line to name."""
import argparse
import concurrent.futures
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SECTORS = ("global_load_sectors", "global_store_sectors")
ATOMICS = ("global_reduction_sectors", "global_atomic_sectors")  # a rung whose kernels note the time does so only on a GPU
WAVEFRONTS = ("shared_load_wavefronts", "shared_store_wavefronts")
SECONDS = 200


def answer(words):
    ran = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=SECONDS)
    try:
        return json.loads(ran.stdout)
    except ValueError:
        raise RuntimeError((ran.stderr or ran.stdout).strip().splitlines()[-1:] or [f"exit {ran.returncode}"]) from None


def exported(lockstep, folder, wanted):
    """(LAB/RUNG, source) of every rung that has a kernel, or of those that are named."""
    ran = subprocess.run([lockstep, "export", "all", "-o", folder], capture_output=True, text=True, timeout=SECONDS)
    chosen = []
    for source in map(pathlib.Path, ran.stdout.split()):
        name = re.search(r"Made by `lockstep export ([^ `]+)", source.read_text())[1]
        if not wanted or name in wanted or name.split("/")[0] in wanted:
            chosen.append((name, source))
    if not chosen:
        sys.exit(ran.stderr or "no such rung; see `lockstep list`")
    return chosen


def round_of_launches(program):
    """How many launches the function `launch` of an exported program makes."""
    body = re.search(r"const auto launch = \[&\] \{\n(.*?)\n  \};", program, re.S)
    return body[1].count("<<<") if body else 0


def counted(launches, keys):
    return {key: sum(launch["counts"][key] for launch in launches) for key in keys}


def shared_lines(launches):
    widths = {}
    for launch in launches:
        for row in launch["lines"]:
            if row["shared_width"]:
                widths[row["line"]] = max(widths.get(row["line"], 0), row["shared_width"])
    return ", ".join(f"line {line}: {width} bytes" for line, width in sorted(widths.items()))


class Row:
    def __init__(self, lockstep, name, source):
        self.name, self.wrong, self.notes = name, [], []
        self.counts, self.rung_counts = {}, {}
        try:
            self.fill(lockstep, source)
        except (RuntimeError, subprocess.TimeoutExpired, KeyError) as fault:
            self.wrong.append(str(fault)[:200])

    def fill(self, lockstep, source):
        lab, rung = self.name.split("/")
        result = self.opened(lockstep, source)
        for diagnostic in result["diagnostics"]:
            if diagnostic["severity"] == "error":
                self.wrong.append(f"line {diagnostic['line']}: {diagnostic['message']}")
        if not result["compiled"]:
            return
        if result["exit_code"] or f"{self.name} ok: " not in result["output"]:
            self.wrong.append(f"exit code {result['exit_code']}: {(result['ended'] or result['output'])[-150:].strip()}")
        self.wrong += [f"finding {f['kind']} at line {f['line']}: {f['message']}" for f in result["findings"]]
        launches = result["launches"][:round_of_launches(source.read_text())]
        if not all(l["counts"] and l["counts_complete"] for l in launches):  # many launches, or a slow machine
            launches = answer([lockstep, "run", source, "--json", "--all", "--timeout", SECONDS - 20])["launches"][:len(launches)]
        if not launches or not all(l["counts"] for l in launches):
            self.wrong.append("not traced")
            return
        try:
            of_rung = answer([lockstep, "run", lab, "--rung", rung, "--json"])
        except RuntimeError as fault:
            if "there is no lab" not in str(fault):
                raise
            self.notes.append("belongs to no lab: its own check alone")
            return
        self.compare(launches, of_rung)

    def opened(self, lockstep, source):
        """Compiling has a limit of time, which a busy machine may pass: once more, then."""
        words = [lockstep, "run", source, "--json", "--timeout", SECONDS - 20]
        try:
            return answer(words)
        except (RuntimeError, subprocess.TimeoutExpired):
            return answer(words)

    def compare(self, launches, rung):
        if not rung["counts"]:
            self.notes.append("the rung has no counts")
            return
        self.counts = counted(launches, SECTORS + ATOMICS + WAVEFRONTS)
        self.rung_counts = {key: rung["counts"][key] for key in self.counts}
        for key in SECTORS:
            if self.counts[key] != self.rung_counts[key]:
                self.wrong.append(f"{key}: {self.counts[key]}, the rung {self.rung_counts[key]}")
        for key in ATOMICS:
            if self.counts[key] != self.rung_counts[key]:
                self.notes.append(f"{key}: {self.counts[key]}, the rung {self.rung_counts[key]}")
        if any(self.counts[key] != self.rung_counts[key] for key in WAVEFRONTS):
            lines = shared_lines(launches)
            said = ", ".join(f"{key} {self.counts[key]}, the rung {self.rung_counts[key]}" for key in WAVEFRONTS)
            (self.notes if lines else self.wrong).append(f"{said}: {lines or 'NO LINE TO NAME'}")

    def text(self):
        columns = " ".join(f"{self.counts[key]:>9,}" if self.counts else f"{'-':>9}" for key in SECTORS + WAVEFRONTS)
        verdict = "FAILED" if self.wrong else "equal" if self.counts == self.rung_counts and self.counts else "runs"
        return "\n".join([f"{self.name:28} {verdict:7} {columns}"] + [f"    {row}" for row in self.wrong + self.notes])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lockstep")
    parser.add_argument("wanted", nargs="*", metavar="LAB/RUNG")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(f"{'':28} {'':7} {'loads':>9} {'stores':>9} {'wave load':>9} {'wave stor':>9}   (sectors, wavefronts)")
    failed = equal = total = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        chosen = exported(options.lockstep, folder, options.wanted)
        first = Row(options.lockstep, *chosen[0])  # alone: Lockstep's headers are compiled on their first use
        work = [pool.submit(Row, options.lockstep, *one) for one in chosen[1:]]
        for row in itertools.chain([first], (done.result() for done in work)):
            print(row.text(), flush=True)
            total += 1
            failed += bool(row.wrong)
            equal += bool(row.counts) and row.counts == row.rung_counts and not row.wrong
    print(f"{total} rungs: {total - failed} run right, {equal} of them with all counts equal to the rung's, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
