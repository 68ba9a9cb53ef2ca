#!/bin/sh
# Checks the Chinese catalogue against the program: every sentence translated, none left over, and the same {n} in both.
# `strings.sh --update` adds what is new to assets/locale/zh.po, untranslated.
set -eu
cd "$(dirname "$0")/.."
catalogue=assets/locale/zh.po
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only whole literals can be collected; the keywords are those of app/draw/language.hpp, app/model/result.hpp and N_.
find app kernels -name '*.cpp' -o -name '*.hpp' -o -name '*.inl' | LC_ALL=C sort > "$work/files"
xgettext --language=C++ --from-code=UTF-8 --keyword --keyword=tr --keyword=msg --keyword=bad_input \
  --keyword=unavailable --keyword=N_ --sort-output --no-wrap --add-location=file --package-name=lockstep \
  --files-from="$work/files" --output="$work/program.pot"

if [ "${1:-}" = --update ]; then
  msgmerge --quiet --no-fuzzy-matching --no-wrap --sort-output --add-location=file --output-file="$work/zh.po" \
    "$catalogue" "$work/program.pot"
  msgattrib --no-obsolete --no-wrap --sort-output --add-location=file "$work/zh.po" > "$catalogue"
  exit 0
fi
exec python3 scripts/strings.py "$work/program.pot" "$catalogue"
