#!/usr/bin/env bash
# Tries the packages of scripts/package.sh where nothing else is installed: the tarball in bare Debian 11, 12 and 13 with no more
# than Xvfb and Mesa's OpenGL, the .deb in a bare root of this system, before and after. As root, with debootstrap:
#   scripts/try-packages.sh [FOLDER [tarball|deb]]    where the bare systems are made and stay (default: /var/tmp/lockstep-roots)
set -euo pipefail
cd "$(dirname "$0")/.."
roots=${1:-/var/tmp/lockstep-roots}
packages=$PWD/build/packages
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null ||
  { echo "this needs root and debootstrap: sudo apt-get install debootstrap; sudo $0" >&2; exit 3; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sort -u | head -1)
mkdir -p "$roots"

inside() {  # ROOT COMMAND...: with an environment of its own
  local root=$1
  shift
  chroot "$root" /usr/bin/env -i HOME=/tmp/home XDG_CACHE_HOME=/tmp/cache PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}

bare() {  # SUITE NAME: a fresh system
  local root=$roots/$2
  [ -e "$root/complete" ] && return
  debootstrap --variant=minbase --keyring="$keyring" "$1" "$root" "$mirror" >"$roots/$2.log" 2>&1 || { tail "$roots/$2.log" >&2; return 1; }
  echo 'APT::Sandbox::User "root";' >"$root/etc/apt/apt.conf.d/99root"
  inside "$root" apt-get -qq update
  touch "$root/complete"
}

with_devices() {  # ROOT COMMAND...
  local root=$1 code=0
  shift
  mount --bind /proc "$root/proc"
  mount --bind /dev "$root/dev"
  inside "$root" "$@" || code=$?
  umount -l "$root/dev" "$root/proc"   # a server may take a moment to end
  return $code
}

try_tarball() {  # SUITE
  local root=$roots/$1-tarball
  bare "$1" "$1-tarball"
  rm -rf "$root"/opt/lockstep-*
  tar -C "$root/opt" -xzf "$packages"/lockstep-*-linux-x86_64.tar.gz
  echo "== $1: nothing installed"
  with_devices "$root" sh -c 'cd /tmp && /opt/lockstep-*/bin/lockstep doctor --test'
  with_devices "$root" sh -c '[ -e /usr/bin/Xvfb ] || apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 \
    xvfb xauth libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri >/tmp/apt.log 2>&1'
  echo "== $1: with Xvfb and Mesa"
  with_devices "$root" sh -c 'set -e; cd /tmp; rm -rf tour; /opt/lockstep-*/bin/lockstep tour -o tour; ls tour | wc -l
    LOCKSTEP_FRAMES=3 xvfb-run -a -s "-screen 0 1600x1000x24" /opt/lockstep-*/bin/lockstep'
}

files_in() { (cd "$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/log \
  -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print | sort); }

try_deb() {
  local suite root
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  root=$roots/$suite-deb
  bare "$suite" "$suite-deb"
  rm -f "$root"/tmp/*.deb
  cp "$packages"/*.deb "$root/tmp/"
  # What it depends on comes first and stays: what is looked for is what the package itself leaves.
  with_devices "$root" sh -c 'apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 /tmp/lockstep_*.deb >/tmp/apt.log 2>&1 &&
    dpkg --purge lockstep >>/tmp/apt.log 2>&1'
  files_in "$root" >"$roots/before"
  echo "== $suite: the .deb"
  with_devices "$root" sh -c 'apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 /tmp/lockstep_*.deb >/tmp/apt.log 2>&1; lockstep doctor --test'
  files_in "$root" | comm -13 "$roots/before" - >"$roots/installed"
  echo "$(grep -c . "$roots/installed") files and folders installed"
  with_devices "$root" sh -c 'apt-get purge -qq -y lockstep >/tmp/apt.log 2>&1'
  files_in "$root" >"$roots/after"
  diff "$roots/before" "$roots/after" && echo "removed, and nothing is left"
}

if [ "${2:-tarball}" = tarball ]; then
  for suite in ${SUITES:-bullseye bookworm trixie}; do try_tarball "$suite"; done
fi
if [ "${2:-deb}" = deb ]; then try_deb; fi
