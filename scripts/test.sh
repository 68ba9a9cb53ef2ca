#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test (the CUDA ones where nvcc is found).
#   scripts/test.sh               release build
#   scripts/test.sh --sanitizers  and once more under AddressSanitizer and UndefinedBehaviorSanitizer, as CI does
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
lockstep_setup scripts/packages.txt scripts/test-packages.txt
bash scripts/format.sh --check
lockstep_build release
ctest --test-dir build/release --output-on-failure --no-tests=error
if [ "${1:-}" = --sanitizers ]; then
  lockstep_build asan
  ctest --test-dir build/asan --output-on-failure --no-tests=error
fi
