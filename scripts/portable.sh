#!/usr/bin/env bash
# Fills build/portable with what the portable program is linked with beyond Debian 12's packages (cmake/portable.cmake): link
# libraries of Debian 11's glibc, three libraries as archives, and GLFW for X11 and for Wayland. What is there stays.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/suite.sh
. /etc/os-release
folder=$PWD/build/portable
[ "${VERSION_CODENAME:-}" = bookworm ] && [ "$(dpkg --print-architecture)" = amd64 ] ||
  { echo "the portable program is built on Debian 12 for x86-64" >&2; exit 3; }
mkdir -p "$folder/lib"

if [ ! -e "$folder/libc/complete" ]; then
  lockstep_unpack bullseye "$folder/libc" libc6 libc6-dev libgcc-s1
  # Links to whole paths would lead to this system's libraries.
  find "$folder/libc" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$folder/libc$target")" "$link"
  done
  touch "$folder/libc/complete"
fi

glfw() {  # SYSTEM PACKAGE
  local unpacked
  [ ! -e "$folder/lib/$1/libglfw.so.3" ] || return 0
  unpacked=$(mktemp -d)
  lockstep_unpack bookworm "$unpacked" "$2"
  mkdir -p "$folder/lib/$1"
  cp -L "$unpacked"/usr/lib/*/libglfw.so.3 "$folder/lib/$1/"
  rm -rf "$unpacked"
}
glfw x11 libglfw3
glfw wayland libglfw3-wayland

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() {  # WHAT LANGUAGE SOURCE FLAGS...: one source that holds a whole library
  local name=$1 compiler=$2 source=$3
  shift 3
  $(command -v ccache || true) "$compiler" -O2 -fPIC -ffile-prefix-map="$work"=. "$@" -c "$source" -o "$work/$name.o"
  rm -f "$folder/lib/lib$name.a"
  ar -rcD "$folder/lib/lib$name.a" "$work/$name.o"
}
if [ ! -e "$folder/lib/libmd4c.a" ]; then
  lockstep_source bookworm "$work/md4c" md4c
  compile md4c gcc "$work/md4c/src/md4c.c" -DMD4C_USE_UTF8
fi
if [ ! -e "$folder/lib/libzip.a" ]; then
  lockstep_source bookworm "$work/zip" libzip
  # No encryption, one compression: what .npz files have. glibc 2.31 has no arc4random().
  cmake -S "$work/zip" -B "$work/zip-build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_C_FLAGS="-fPIC -ffile-prefix-map=$work=." -DHAVE_ARC4RANDOM=OFF -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF \
    -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF -DENABLE_WINDOWS_CRYPTO=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF \
    -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
  cmake --build "$work/zip-build" --target zip >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
  cp "$work/zip-build/lib/libzip.a" "$folder/lib/"
fi
if [ ! -e "$folder/lib/libharfbuzz-subset.a" ]; then
  lockstep_source bookworm "$work/harfbuzz" harfbuzz
  compile harfbuzz-subset g++ "$work/harfbuzz/src/harfbuzz-subset.cc" -std=c++17 -fno-exceptions -fno-rtti \
    -fno-threadsafe-statics -fvisibility-inlines-hidden -DHAVE_PTHREAD=1
fi
