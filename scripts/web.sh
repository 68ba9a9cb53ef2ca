#!/usr/bin/env bash
# Builds the program as a static page into build/web/site: app/ is the program, around it the pages that `lockstep pages` writes.
# Any server of files will do:  python3 -m http.server -d build/web/site
#   scripts/web.sh            builds
#   scripts/web.sh --test     and holds both modules against the desktop's program (needs build/release)
#   scripts/web.sh --browser  and drives the page in a headless Chromium besides
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
lockstep_setup scripts/packages.txt scripts/web-packages.txt

build=$PWD/build/web root=$PWD/build/web/root site=$PWD/build/web/site
program=${LOCKSTEP_PROGRAM:-build/release/lockstep}    # writes the pages, and is what the page is held against
# Emscripten's own tools are JavaScript, and look for their libraries where Debian has them.
export LC_ALL=C NODE_PATH=/usr/share/nodejs CCACHE_COMPILERTYPE=clang CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
ccache=$(command -v ccache || true)

# Libraries that the page needs as source: Debian's own, into build/web/sources.
fetch_sources() {
  local sources=$build/sources state=$build/apt
  [ -f "$sources/done" ] && return
  mkdir -p "$sources" "$state/lists/partial" "$state/cache/archives/partial"
  # The same archive that packages come from, asked for sources; nothing of the system's own lists is changed.
  local uri suite
  uri=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Component: main' | grep -m1 -v security)
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$state/sources.list"
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o APT::Sandbox::User=root)
  "${apt[@]}" update
  local name
  for name in imgui freetype zlib libzip md4c nettle harfbuzz; do
    (cd "$sources" && "${apt[@]}" source --download-only --tar-only "$name" >/dev/null)
    rm -rf "${sources:?}/$name" && mkdir "$sources/$name"
    tar -xf "$(ls "$sources/${name}"_*.orig.tar.* | grep -v '\.asc$' | head -1)" -C "$sources/$name" --strip-components=1
  done
  touch "$sources/done"
}

build_zlib() {
  local out=$build/zlib file
  mkdir -p "$out"
  cp -n "$build/sources/zlib/zconf.h.in" "$build/sources/zlib/zconf.h"
  for file in adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil; do
    $ccache emcc -O2 -c "$build/sources/zlib/$file.c" -o "$out/$file.o"
  done
  emar rcs "$root/lib/libz.a" "$out"/*.o
  cp "$build/sources/zlib/zlib.h" "$build/sources/zlib/zconf.h" "$root/include"
}

# build_by_cmake NAME TARGET FLAGS...
build_by_cmake() {
  local name=$1 target=$2
  shift 2
  emcmake cmake -S "$build/sources/$name" -B "$build/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_C_COMPILER_LAUNCHER="$ccache" "$@" &&
    cmake --build "$build/$name" --target "$target"
}

# What libzip asks of a C library, by sixty programs that Emscripten takes minutes to link: what its own has (musl, 32 bits), what
# it lacks, and how large its types are (Emscripten cannot run what CMake asks a size with).
known_of_libzip() {
  local one
  for one in EXPLICIT_BZERO FILENO FSEEKO FTELLO LOCALTIME_R NULLABLE SNPRINTF STRCASECMP STRDUP STRTOLL STRTOULL STDBOOL_H STDDEF_H \
    STDINT_H STRINGS_H SYS_TYPES_H UNISTD_H INTTYPES_H_LIBZIP STDINT_H_LIBZIP SYS_TYPES_H_LIBZIP; do
    echo "-DHAVE_$one=1"
  done
  for one in ARC4RANDOM CLONEFILE EXPLICIT_MEMSET FICLONERANGE FTS_H GETPROGNAME LIB_FTS SETMODE STRICMP _CLOSE _DUP _FDOPEN _FILENO \
    _SETMODE _SNPRINTF _STRDUP _STRICMP _STRTOI64 _STRTOUI64 _UNLINK __INT8_LIBZIP __INT16_LIBZIP __INT32_LIBZIP __INT64_LIBZIP; do
    echo "-DHAVE_$one="
  done
  for one in INT8_T=1 INT16_T=2 INT32_T=4 INT64_T=8 UINT8_T=1 UINT16_T=2 UINT32_T=4 UINT64_T=8 SHORT=2 INT=4 LONG=4 LONG_LONG=8; do
    echo "-DHAVE_${one%=*}_LIBZIP=TRUE" "-D${one%=*}_LIBZIP=${one#*=}"
  done
  echo -DHAVE_SIZEOF_OFF_T=TRUE -DSIZEOF_OFF_T=8 -DHAVE_SIZEOF_SIZE_T=TRUE -DSIZEOF_SIZE_T=4
}

build_libraries() {
  [ -f "$root/done" ] && return
  mkdir -p "$root/include" "$root/lib" "$root/source"
  build_zlib
  # shellcheck disable=SC2046    # words without spaces
  build_by_cmake libzip zip $(known_of_libzip) -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF \
    -DENABLE_WINDOWS_CRYPTO=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF \
    -DBUILD_DOC=OFF -DZLIB_LIBRARY="$root/lib/libz.a" -DZLIB_INCLUDE_DIR="$root/include"
  cp "$build/libzip/lib/libzip.a" "$root/lib"
  cp "$build/sources/libzip/lib/zip.h" "$build/libzip/zipconf.h" "$root/include"
  build_by_cmake freetype freetype -DFT_REQUIRE_ZLIB=ON -DZLIB_LIBRARY="$root/lib/libz.a" -DZLIB_INCLUDE_DIR="$root/include" -DFT_DISABLE_BZIP2=ON -DFT_DISABLE_PNG=ON -DFT_DISABLE_HARFBUZZ=ON \
    -DFT_DISABLE_BROTLI=ON
  cp "$build/freetype/libfreetype.a" "$root/lib"
  cp -r "$build/sources/freetype/include/." "$root/include"
  # Headers that need no compiling are the system's; a whole /usr/include would hide Emscripten's own.
  local name
  for name in nlohmann stb; do ln -sfn "/usr/include/$name" "$root/include/$name"; done
  ln -sfn "$build/sources/nettle" "$root/include/nettle"
  for name in imgui md4c harfbuzz; do ln -sfn "$build/sources/$name" "$root/source/$name"; done
  touch "$root/done"
}

# build_module worker|window
build_module() {
  [ -f "$build-$1/build.ninja" ] ||
    emcmake cmake -S . -B "$build-$1" -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_WEB_PART="$1" -DLOCKSTEP_WEB_ROOT="$root" >/dev/null
  cmake --build "$build-$1"
}

quietly() {  # NAME COMMAND...: its output is shown where it fails
  local name=$1 log=$build/$1.log
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    echo "scripts/web.sh: $name did not succeed" >&2
    return 1
  }
}

mkdir -p "$build"
quietly sources fetch_sources || exit 75    # not to be had now; see scripts/test.sh
quietly libraries build_libraries
build_module worker &     # beside the window: to link either takes one core a minute
worker=$!
build_module window
wait $worker
python3 scripts/web_site.py "$build" "$site"
if [ -x "$program" ] && "$program" pages --help >/dev/null 2>&1; then
  "$program" pages -o "$site"
else
  echo "The pages around the program are left out: they are written by $program (scripts/run.sh builds it)."
fi
case "${1:-}" in --test | --browser) node tests/web/against_desktop.js "$build" "$program" ;; esac
[ "${1:-}" != --browser ] || node tests/web/page.js "$build" "$program"
echo "$site"
