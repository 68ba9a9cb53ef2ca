#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test: release (with CUDA where nvcc is found), then all host code
# under AddressSanitizer and UndefinedBehaviorSanitizer. LOCKSTEP_QUICK=1 leaves the sanitizers out.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
lockstep_setup scripts/packages.txt scripts/test-packages.txt
bash scripts/format.sh --check
lockstep_build release
ctest --test-dir build/release --output-on-failure --no-tests=error
if [ "${LOCKSTEP_QUICK:-}" != 1 ]; then
  lockstep_build asan
  ctest --test-dir build/asan --output-on-failure --no-tests=error
fi
