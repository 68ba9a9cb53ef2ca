#!/usr/bin/env python3
"""Takes the wavefronts of tests/banks/maps.hpp on this machine's GPU.

usage: scripts/bank_maps.py RECORD_BANK_MAPS OUT.json

RECORD_BANK_MAPS is the program of that name. Needs ncu on PATH; the driver must let it read counters.
"""
import csv
import io
import json
import re
import subprocess
import sys

LOAD = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
STORE = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"


def sums(program, *order):
    """{"load_4": [...], ...}: the counter of each launch, random maps first."""
    table = subprocess.run(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--metrics", f"{LOAD},{STORE}", program, "groups", *order],
                           capture_output=True, text=True, check=True).stdout
    found = {}
    for row in list(csv.DictReader(io.StringIO(table[table.index('"ID"'):])))[1:]:
        width, store = re.search(r"group_access<(\d+), (\w+)>", row["Kernel Name"]).groups()
        store = store in ("1", "true")
        found.setdefault(f"{'store' if store else 'load'}_{width}", []).append(int(float(row[STORE if store else LOAD].replace(",", ""))))
    return found


def main(program, output):
    subprocess.run([program, "clocks", output], check=True)
    record = json.load(open(output))
    record["sums"], record["sums_reversed"] = sums(program), sums(program, "reversed")
    json.dump(record, open(output, "w"), indent=1)
    print(sum(map(len, record["sums"].values())), "launches, twice")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
