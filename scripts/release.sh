#!/usr/bin/env bash
# Makes build/release-files: the packages, the page for browsers, the pages beside the program, what changed, the licences of
# everything in it, and their sums. Parts whose makers are not here are left out, and the end says so.
#   scripts/release.sh [--without-cuda]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
version=$(sed -n 's/^project(lockstep VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
out=$PWD/build/release-files
left_out=()
grep -q "^## $version" docs/CHANGELOG.md || { echo "docs/CHANGELOG.md says nothing of $version" >&2; exit 2; }
rm -rf "$out"
mkdir -p "$out"

pack() {  # NAME FOLDER: the folder as NAME/ in NAME.tar.gz, the same bytes wherever it lay
  tar -C "$2" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s --format=ustar \
    --transform="s|^\.|$1|" -cf - . | gzip -9n >"$out/$1.tar.gz"
}

rm -rf build/packages
bash scripts/package.sh "$@"
cp build/packages/* "$out/"

# The program that was just built, with its assets beside it, writes the pages.
program=$PWD/build/package/lockstep-$version-linux-x86_64/bin/lockstep
if "$program" pages --help >/dev/null 2>&1; then
  rm -rf build/pages
  "$program" pages -o build/pages
  pack "lockstep-$version-pages" build/pages
else
  left_out+=("the pages: this lockstep has no verb pages")
fi
if [ -f scripts/web.sh ]; then
  LOCKSTEP_PROGRAM=$program bash scripts/web.sh    # with the pages beside it
  pack "lockstep-$version-web" build/web/site
else
  left_out+=("the page for browsers: there is no scripts/web.sh")
fi

cp docs/CHANGELOG.md "$out/CHANGELOG.md"
# Packages carry the licences of what is inside them. For the page: of what Emscripten links, and of the fonts that are cut.
licences=build/package/licences
rm -rf "$licences"
mkdir -p "$licences"
cp build/package/lockstep-"$version"-linux-x86_64/share/doc/lockstep/licences/* "$licences/"
for package in emscripten libclang-rt-14-dev; do
  [ ! -f scripts/web.sh ] || [ ! -f "/usr/share/doc/$package/copyright" ] || cp "/usr/share/doc/$package/copyright" "$licences/$package"
done
pack "lockstep-$version-licences" "$licences"

(cd "$out" && sha256sum -- * >SHA256SUMS)
cat "$out/SHA256SUMS"
for what in ${left_out[@]+"${left_out[@]}"}; do echo "left out: $what"; done
