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
GROUP, BASE = 5, 33  # bank_maps::kGroup, kBase
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def main(program, output):
    subprocess.run([program, "clocks", output], check=True)
    record = json.load(open(output))
    table = subprocess.run(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--metrics", f"{LOAD},{STORE}", program, "groups"],
                           capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(io.StringIO(table[table.index('"ID"'):])))[1:]
    sums = {}
    for row in rows:
        width, store = re.search(r"group_access<(\d+), (\w+)>", row["Kernel Name"]).groups()
        store = store in ("1", "true")
        name = f"{'store' if store else 'load'}_{width}"
        sums.setdefault(name, []).append(int(float(row[STORE if store else LOAD].replace(",", ""))))
    for name, values in sums.items():
        first = 0
        for family in ("random", "strided"):
            left, digits = len(record[f"cycles_{family}_{name}"]), ""
            while left > 0:
                total = values[first]
                for _ in range(min(GROUP, left)):
                    total, wavefronts = divmod(total, BASE)
                    digits += DIGITS[wavefronts]
                assert total == 0, (name, first)
                left, first = left - GROUP, first + 1
            record[f"{family}_{name}"] = digits
    json.dump(record, open(output, "w"), indent=1)
    print(len(rows), "profiled launches")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
