#!/usr/bin/env bash
# Makes a picture of the README: scripts/picture.sh NAME [arguments of `lockstep shot`]
# e.g. scripts/picture.sh transpose transpose --rung tiled --step 78
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:?a name for docs/NAME.png}
shift
build/release/lockstep shot "$@" --engine emulator --scale 1 --size 1600x900 -o "docs/$name.png"
echo "![$name](docs/$name.png)"
