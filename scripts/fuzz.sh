#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz and gives each of them so many inputs; the found ones are kept in
# build/fuzz/crashes, and any makes this fail. The build is that of the tests under sanitizers.
#   scripts/fuzz.sh                 10^6 inputs over all targets
#   scripts/fuzz.sh RUNS_PER_TARGET
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
lockstep_setup scripts/packages.txt scripts/test-packages.txt
lockstep_build checked fuzz
lockstep_build release lockstep
targets=($(find build/checked/tests/fuzz -maxdepth 1 -type f -perm -u+x -name 'fuzz_*' | sort))
runs=${1:-$((1000000 / ${#targets[@]}))}
mkdir -p build/fuzz/crashes
failed=0

# Runs of the program itself, as whole archives.
program_seeds() {
  local n
  for n in 1 5; do
    build/release/lockstep run transpose --rung padded --set n=$n --engine emulator --save "$1/run.npz" >/dev/null
    { printf '\0'; cat "$1/run.npz"; } >"$1/program$n"
  done
  rm "$1/run.npz"
}

# The shipped stories and glossaries: the first byte says which of the two an input is.
story_seeds() {
  local file
  for file in assets/stories/*/*.md; do
    { [ "$(basename "$file")" = words.md ] && printf w || printf s; cat "$file"; } >"$1/${file//\//-}"
  done
}

exercise_seeds() {
  local file
  for file in assets/exercises/*/*.md; do
    { printf e; cat "$file"; } >"$1/${file//\//-}"
  done
}

fuzz() {  # TARGET
  local target=$1 name corpus
  name=$(basename "$target") corpus=build/fuzz/corpus/$(basename "$target")
  mkdir -p "$corpus"
  [ "$name" != fuzz_run_file ] || program_seeds "$corpus"
  [ "$name" != fuzz_story ] || story_seeds "$corpus"
  [ "$name" != fuzz_exercise ] || exercise_seeds "$corpus"
  # An input that takes five seconds, or 256 MB at once, is found like a crash.
  if ! LOCKSTEP_SEEDS=$corpus "$target" -runs="$runs" -seed=1 -timeout=5 -rss_limit_mb=2048 -malloc_limit_mb=256 \
    -max_len=65536 -print_final_stats=1 -verbosity=1 -artifact_prefix=build/fuzz/crashes/"$name"- "$corpus" \
    >build/fuzz/"$name".log 2>&1; then
    tail -n 60 build/fuzz/"$name".log
    return 1
  fi
  echo "$name: $runs inputs" $(grep -E 'number_of_executed_units|average_exec_per_sec|peak_rss_mb' build/fuzz/"$name".log)
}

# A target a core.
pids=()
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do sleep 0.1; done
  fuzz "$target" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
mutations=${1:+$((20 * $1))} mutations=${mutations:-100000}
echo "stories: $mutations mutations of the shipped files"
lockstep_build checked test_stories
LOCKSTEP_MUTATIONS=$mutations build/checked/tests/test_stories -tc="damaged stories*" || failed=1  # exercises: in ctest
exit $failed
