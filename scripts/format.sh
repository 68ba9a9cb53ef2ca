#!/usr/bin/env bash
# Formats all C++ and CUDA sources, or checks them with --check. Kernels are laid out by hand and left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
# Each version lays out some lines its own way: one of them decides.
version=14
formatter=$(command -v clang-format-$version || command -v clang-format)
if ! "$formatter" --version | grep -q "version $version\."; then
  [ "${1:-}" = --check ] || { echo "formatting needs clang-format $version; here is $("$formatter" --version)" >&2; exit 3; }
  echo "not checked: the layout is that of clang-format $version, and here is $("$formatter" --version)"
  exit 0
fi
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
git ls-files -co --exclude-standard 'app/*.cpp' 'app/*.hpp' 'app/*.inl' 'tests/*.cpp' 'tests/*.hpp' 'kernels/*.cpp' 'kernels/*.hpp' \
  'kernels/cuda/*.cu' 'kernels/cuda/*.cuh' | xargs "$formatter" "${mode[@]}"
