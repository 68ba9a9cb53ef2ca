#!/usr/bin/env bash
# Writes what the program says of its command line anew: docs/lockstep.1 and docs/completion. usage: manual.sh LOCKSTEP
set -euo pipefail
program=${1:?usage: scripts/manual.sh build/release/lockstep}
docs=$(cd "$(dirname "$0")/.." && pwd)/docs
mkdir -p "$docs/completion"
"$program" pages --man -o "$docs/lockstep.1"
"$program" pages --completion bash -o "$docs/completion/lockstep.bash"
"$program" pages --completion zsh -o "$docs/completion/_lockstep"
"$program" pages --completion fish -o "$docs/completion/lockstep.fish"
