#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test (the CUDA ones where nvcc is found).
#   scripts/test.sh               release build
#   scripts/test.sh --sanitizers  and once more built by clang++, once more under AddressSanitizer and
#                                 UndefinedBehaviorSanitizer, and a short run of the fuzz targets, as CI does
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
lockstep_setup scripts/packages.txt scripts/test-packages.txt
bash scripts/format.sh --check
lockstep_test() {
  lockstep_build "$1"
  ctest --test-dir "build/$1" --output-on-failure --no-tests=error
}
lockstep_test release
if [ "${1:-}" = --sanitizers ]; then
  lockstep_test clang  # both of these leave CUDA out; the release build has it where nvcc is found
  lockstep_test asan
  bash scripts/fuzz.sh 1500
fi
