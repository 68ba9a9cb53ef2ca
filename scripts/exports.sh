#!/usr/bin/env bash
# Every rung as a program of its own: written, compiled by nvcc on all cores, and run, one after another since they
# are timed. One line per rung, `LAB/RUNG ok: ...` or `LAB/RUNG FAILED: ...`, and the counts; exit 1 where one failed.
# Without a GPU a program is run up to its first call of CUDA, which it must report.
# usage: exports.sh PROGRAM FOLDER [ARCH]    PROGRAM - : the programs (*.cu) that FOLDER holds already
#                                            ARCH: nvcc's -arch; else that of this GPU, else sm_90a
set -euo pipefail
program=$1 folder=$2
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1 || true)
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 || true)
arch=${3:-$([ -n "$gpu" ] && [ "$capability" != 9.0 ] && echo native || echo sm_90a)}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ "$program" = - ]; then
  list=$(find "$folder" -maxdepth 1 -name '*.cu' | sort)
else
  list=$("$program" export all -o "$folder")        # prints their paths
fi
mapfile -t sources <<< "$list"
if [ -z "$list" ]; then
  echo "$folder holds no programs" >&2
  exit 2
fi

# sm_90a by its own name alone: -arch=sm_90a makes nvcc check the text for sm_90 as well.
target=-arch=$arch
[ "$arch" = sm_90a ] && target=-gencode=arch=compute_90a,code=sm_90a
export nvcc target
# The binary stands beside its source, and what nvcc said in a .log; no binary: it does not compile.
build() {
  rm -f "${1%.cu}"
  "$nvcc" -std=c++20 -O3 --expt-relaxed-constexpr "$target" -o "${1%.cu}" "$1" > "${1%.cu}.log" 2>&1 || rm -f "${1%.cu}"
}
export -f build
printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -I{} bash -c 'build "$1"' _ {}

# The line of a rung. A program ends with 0, with 1 where its check fails, and with 2 where CUDA does.
run() {
  local source=$1 name binary output status=0
  name=$(sed -nE 's/^\/\/ Made by `lockstep export ([^ `]+).*/\1/p' "$source" | head -1)
  binary=$(realpath "${source%.cu}")
  if [ ! -x "$binary" ]; then
    echo "$name FAILED: does not compile: $(grep -m1 error "${source%.cu}.log" || echo "see ${source%.cu}.log")"
    return
  fi
  output=$(timeout 120 "$binary" 2>&1) || status=$?
  output=$(tail -n 1 <<< "$output")
  if [ -z "$gpu" ] && [ "$status" = 2 ] && [[ $output == "CUDA: "* ]]; then
    echo "$name ok: compiles; no GPU to run it"
  elif [ -n "$gpu" ] && [ "$status" = 0 ] && [[ $output == "$name ok: "* ]]; then
    echo "$output"
  elif [[ $output == "$name FAILED: "* ]]; then
    echo "$output"
  else
    echo "$name FAILED: exit code $status${output:+, $output}"
  fi
}

ok=0
for source in "${sources[@]}"; do
  line=$(run "$source")
  echo "$line"
  if [[ $line == *" ok: "* ]]; then ok=$((ok + 1)); fi
done
echo "${#sources[@]} programs on ${gpu:-no GPU}: $ok ok, $((${#sources[@]} - ok)) failed"
[ "$ok" = ${#sources[@]} ]
