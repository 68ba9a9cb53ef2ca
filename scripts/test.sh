#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test (the CUDA ones where nvcc is found). Ends with what each part took.
#   scripts/test.sh               release build
#   scripts/test.sh --sanitizers  and once more built by clang++ under AddressSanitizer and UndefinedBehaviorSanitizer: the
#                                 tests but for the suite "slow", and a short run of the fuzz targets, as CI does
#   scripts/test.sh --web         and the page: both its modules against the desktop's program (scripts/web.sh --browser drives it,
#                                 too). Left out, with a word, where its compiler or its libraries' sources cannot be had
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

took=()
# part NAME COMMAND...: remembers how long the command takes.
part() {
  local name=$1 start=$SECONDS
  shift
  "$@"
  took+=("$(printf '%6d s  %s' $((SECONDS - start)) "$name")")
}

# The parts with their seconds, below the tests of a build each program's, and what ctest says in the end.
print_table() {
  local line
  echo "--- what took how long, on $(nproc) cores ---"
  for line in ${took[@]+"${took[@]}"}; do echo "$line"; done
  printf '%6d s  in all\n' $SECONDS
  for preset in release checked; do
    [ -f "$work/$preset.log" ] || continue
    echo "--- tests of build/$preset ---"
    sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([a-z_]+) \.*(.*)/\1 \2/p' "$work/$preset.log" |
      awk '{ s = $(NF - 1); $NF = $(NF - 1) = ""; printf "%8.1f s  %s\n", s, $0 }'
    grep -E 'tests passed' "$work/$preset.log" || echo "the tests did not come to their end"
  done
}
work=$(mktemp -d)
trap 'print_table; rm -rf "$work"' EXIT

run_tests() {  # PRESET
  ctest --test-dir "build/$1" --output-on-failure --no-tests=error -j "$(nproc)" | tee "$work/$1.log"
}

part "packages" lockstep_setup scripts/packages.txt scripts/test-packages.txt
part "format" bash scripts/format.sh --check
part "build release (g++, nvcc where it is found)" lockstep_build release
part "tests release" run_tests release
test_web() {
  if ! lockstep_setup scripts/web-packages.txt; then
    echo "The page is left out: its packages cannot be had."
    return
  fi
  local rc=0
  bash scripts/web.sh --test || rc=$?
  [ $rc = 75 ] && echo "The page is left out: the sources of its libraries cannot be had." || return $rc
}
case " $* " in *" --web "*) part "page (build and tests)" test_web ;; esac
case " $* " in *" --sanitizers "*)
  part "build checked (clang++, sanitizers)" lockstep_build checked
  part "tests checked" run_tests checked
  part "fuzz" bash scripts/fuzz.sh 1500
  ;;
esac
