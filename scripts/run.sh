#!/usr/bin/env bash
# Installs what is missing, builds, and opens the window. Arguments go to lockstep: scripts/run.sh list
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
lockstep_setup scripts/packages.txt
lockstep_build release lockstep
program=build/release/lockstep
if [ $# -gt 0 ]; then exec "$program" "$@"; fi
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "There is no display: writing one picture per lab instead of opening the window."
  exec "$program" tour -o build/tour
fi
exec "$program"
