#!/usr/bin/env bash
# Makes the packages for this system: build/packages/lockstep_VERSION_amd64.deb, and on Debian 12 the tarball for other x86-64
# Linux systems (glibc 2.31 or newer). The CUDA kernels are inside where nvcc is found.
#   scripts/package.sh [--without-cuda] [deb|tarball]...
# The same commit gives the same bytes wherever it lies: times are the commit's, owners root's, names sorted, and no path of
# this machine is compiled in. (nvcc writes paths into its part: this holds for what is made --without-cuda.)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
cuda=AUTO
[ "${1:-}" != --without-cuda ] || { cuda=OFF; shift; }
wanted=${*:-deb tarball}
lockstep_setup scripts/packages.txt scripts/package-packages.txt
version=$(sed -n 's/^project(lockstep VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
out=$PWD/build/packages
mkdir -p "$out" build/package

tree=build/package/tree
build() {  # OPTION...: one tree for both, since they are compiled alike and only linked otherwise
  # As a compiler is given a file: by its whole path, or by ccache from the build folder. What the build made lies under
  # its own folder, which goes first.
  local map="-ffile-prefix-map=$PWD/= -ffile-prefix-map=$PWD/$tree/= -ffile-prefix-map=../../../="
  cmake -S . -B $tree -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_CUDA=$cuda \
    -DCMAKE_C_FLAGS="$map" -DCMAKE_CXX_FLAGS="$map" "$@" >build/package/configure.log 2>&1 ||
    { cat build/package/configure.log >&2; return 1; }
  CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 cmake --build $tree --target lockstep
}

make_deb() {
  build -DLOCKSTEP_PORTABLE= -DCMAKE_INSTALL_PREFIX=/usr
  rm -rf $tree/packed
  (umask 022 && cd $tree && cpack -G DEB -B "$PWD/packed" >cpack.log 2>&1) || { cat $tree/cpack.log >&2; return 1; }
  cp $tree/packed/*.deb "$out/"
}

make_tarball() {
  local name=lockstep-$version-linux-x86_64 stage
  bash scripts/portable.sh
  build -DLOCKSTEP_PORTABLE="$PWD/build/portable" -DCMAKE_INSTALL_PREFIX=/usr    # with "/", CMake would add a folder usr
  stage=build/package/$name
  rm -rf "$stage"
  (umask 022 && cmake --install $tree --strip --prefix "$PWD/$stage" >/dev/null)
  python3 scripts/symbols.py "$stage" 2.31
  "$stage/bin/lockstep" doctor --test >build/package/doctor.log || { cat build/package/doctor.log >&2; return 1; }
  tar -C build/package --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
    --format=ustar -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
}

for what in $wanted; do
  case $what in
    deb | tarball) "make_$what" ;;
    *) echo "scripts/package.sh makes deb and tarball, not $what" >&2; exit 2 ;;
  esac
done
ls -l "$out"
