#!/usr/bin/env bash
# Every rung as a program of its own: written, compiled by nvcc on all cores, and run where there is a GPU.
# usage: exports.sh PROGRAM FOLDER [ARCH]    ARCH as nvcc's -arch takes it, else that of this GPU, else sm_90a
# The report is FOLDER/report.txt; exit 1 where a program does not compile or its own check fails.
set -euo pipefail
program=$1 folder=$2
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1 || true)
arch=${3:-$([ -n "$gpu" ] && echo native || echo sm_90a)}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
mkdir -p "$folder"
"$program" export all -o "$folder" > /dev/null

build() {
  local name
  name=$(basename "$1" .cu)
  "$2" -std=c++20 -O3 --expt-relaxed-constexpr -arch="$3" -o "$4/$name" "$1" > "$4/$name.log" 2>&1 || echo "DOES NOT COMPILE $name"
}
export -f build
find "$folder" -name '*.cu' | sort | xargs -P "$(nproc)" -I{} bash -c 'build "$@"' _ {} "$nvcc" "$arch" "$folder" \
  | tee "$folder/report.txt"
if [ -n "$gpu" ]; then                              # one after another: they are timed
  for source in "$folder"/*.cu; do
    binary=${source%.cu}
    [ -x "$binary" ] || continue
    timeout 120 "$binary" >> "$folder/report.txt" 2>&1 || echo "FAILED $(basename "$binary") with exit code $?" >> "$folder/report.txt"
  done
fi
cat "$folder/report.txt"
total=$(find "$folder" -name '*.cu' | wc -l) passed=$(grep -c '^PASS ' "$folder/report.txt" || true)
echo "$total programs on ${gpu:-no GPU}: $passed passed"
if grep -qE '^(FAIL|DOES NOT)' "$folder/report.txt"; then exit 1; fi
if [ -n "$gpu" ] && [ "$passed" -ne "$total" ]; then exit 1; fi
