#!/usr/bin/env bash
# Formats all C++ and CUDA sources, or checks them with --check. Kernels are laid out by hand and left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
git ls-files -co --exclude-standard 'app/*.cpp' 'app/*.hpp' 'app/*.inl' 'tests/*.cpp' 'tests/*.hpp' 'kernels/*.cpp' 'kernels/*.hpp' \
  'kernels/cuda/*.cu' 'kernels/cuda/*.cuh' | xargs clang-format "${mode[@]}"
