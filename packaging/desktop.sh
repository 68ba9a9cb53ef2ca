#!/bin/sh
# Enters Lockstep where it was unpacked into your menu, with its icon, and `lockstep` into ~/.local/bin. With --remove: out again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
entry=$data/applications/lockstep.desktop
icon=$data/icons/hicolor/scalable/apps/lockstep.svg
program=$HOME/.local/bin/lockstep
if [ "${1:-}" = --remove ]; then
  rm -f "$entry" "$icon"
  if [ -L "$program" ]; then rm -f "$program"; fi
  exit 0
fi
if [ -e "$program" ] && [ ! -L "$program" ]; then
  echo "$program is there and is no link: move it away first" >&2
  exit 2
fi
mkdir -p "$(dirname "$entry")" "$(dirname "$icon")" "$(dirname "$program")"
sed "s|^Exec=.*|Exec=\"$here/bin/lockstep\" %f|" "$here/share/applications/lockstep.desktop" >"$entry"
cp "$here/share/icons/hicolor/scalable/apps/lockstep.svg" "$icon"
ln -sfn "$here/bin/lockstep" "$program"
echo "Lockstep is in your menu, and $program starts it. $0 --remove takes both away."
