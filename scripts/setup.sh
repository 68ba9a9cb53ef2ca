# Sourced by run.sh and test.sh: names and installs what is missing. Usage: lockstep_setup LIST...
lockstep_missing() {
  local package
  for package in $(sed 's/#.*//' "$@"); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

lockstep_setup() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "This system has no apt. Lockstep needs (Debian's names): $(sed 's/#.*//' "$@" | tr '\n' ' ')"
    echo "Going on with what is there."
    return 0
  fi
  local missing as_root=""
  missing=$(lockstep_missing "$@")
  [ -n "$missing" ] || return 0
  echo "Installing:" $missing
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing and there is no sudo: as root, run" >&2
      echo "  apt-get install --no-install-recommends" $missing >&2
      return 1
    fi
    as_root="sudo"
  fi
  local apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0"
  $apt update
  $apt install -y --no-install-recommends $missing >/dev/null
}

# lockstep_build PRESET [TARGET...]: configures once, with what LOCKSTEP_CONFIGURE says besides, then builds.
lockstep_build() {
  local preset=$1
  shift
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" -Wno-dev ${LOCKSTEP_CONFIGURE:-} >"/tmp/lockstep-cmake-$$.log" 2>&1 || {
    cat "/tmp/lockstep-cmake-$$.log" >&2
    return 1
  }
  rm -f "/tmp/lockstep-cmake-$$.log"
  # What was compiled in another checkout is found, wherever this one lies.
  CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1 \
    cmake --build "build/$preset" ${1:+--target "$@"}
}
