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

SECTORS = ("global_load_sectors", "global_store_sectors", "global_reduction_sectors", "global_atomic_sectors")
WAVEFRONTS = ("shared_load_wavefronts", "shared_store_wavefronts")
SECONDS = 200


def answer(words):
    ran = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=SECONDS)
    try:
        return json.loads(ran.stdout)
    except ValueError:
        raise RuntimeError((ran.stderr or ran.stdout).strip().splitlines()[-1:] or [f"exit {ran.returncode}"]) from None


def rungs(lockstep, wanted):
    """(lab, rung) in the order of the list."""
    all_of = [(lab["slug"], rung["slug"]) for lab in answer([lockstep, "list", "--json"])["labs"] for rung in lab["rungs"]]
    chosen = [(lab, rung) for lab, rung in all_of if not wanted or lab in wanted or f"{lab}/{rung}" in wanted]
    if not chosen:
        sys.exit("no such rung; see `lockstep list`")
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
    def __init__(self, lockstep, folder, lab, rung):
        self.name, self.wrong, self.notes = f"{lab}/{rung}", [], []
        self.counts, self.rung_counts = {}, {}
        try:
            self.fill(lockstep, pathlib.Path(folder) / f"{lab}_{rung}.cu", lab, rung)
        except (RuntimeError, subprocess.TimeoutExpired, KeyError) as fault:
            self.wrong.append(str(fault)[:200])

    def fill(self, lockstep, source, lab, rung):
        ran = subprocess.run([lockstep, "export", self.name, "-o", source], capture_output=True, text=True, timeout=SECONDS)
        if ran.returncode:
            self.notes.append("no kernel to export: " + ran.stderr.strip()[:100])
            return
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
        if not launches or not all(l["counts"] for l in launches):
            self.wrong.append("not traced")
            return
        if not all(l["counts_complete"] for l in launches):
            launches = answer([lockstep, "run", source, "--json", "--all", "--timeout", SECONDS - 20])["launches"][:len(launches)]
        self.compare(launches, answer([lockstep, "run", lab, "--rung", rung, "--json"]))

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
        self.counts = counted(launches, SECTORS + WAVEFRONTS)
        self.rung_counts = {key: rung["counts"][key] for key in SECTORS + WAVEFRONTS}
        for key in SECTORS:
            if self.counts[key] != self.rung_counts[key]:
                self.wrong.append(f"{key}: {self.counts[key]}, the rung {self.rung_counts[key]}")
        if any(self.counts[key] != self.rung_counts[key] for key in WAVEFRONTS):
            lines = shared_lines(launches)
            said = ", ".join(f"{key} {self.counts[key]}, the rung {self.rung_counts[key]}" for key in WAVEFRONTS)
            (self.notes if lines else self.wrong).append(f"{said}: {lines or 'NO LINE TO NAME'}")

    def text(self):
        columns = " ".join(f"{self.counts[key]:>9,}" if self.counts else f"{'-':>9}" for key in SECTORS[:2] + WAVEFRONTS)
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
        chosen = rungs(options.lockstep, options.wanted)
        first = Row(options.lockstep, folder, *chosen[0])  # alone: Lockstep's headers are compiled on their first use
        work = [pool.submit(Row, options.lockstep, folder, lab, rung) for lab, rung in chosen[1:]]
        for row in itertools.chain([first], (done.result() for done in work)):
            print(row.text(), flush=True)
            total += 1
            failed += bool(row.wrong)
            equal += bool(row.counts) and row.counts == row.rung_counts and not row.wrong
    print(f"{total} rungs: {total - failed} run right, {equal} of them with all counts equal to the rung's, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
