#!/usr/bin/env bash
# Checks the Chinese catalogue against the program: every sentence translated, none left over, and the same {n} on both
# sides. `scripts/strings.sh --update` takes new sentences into assets/locale/zh.po (untranslated) and drops old ones.
set -euo pipefail
cd "$(dirname "$0")/.."
catalogue=$PWD/assets/locale/zh.po
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A Message may also be written in braces, {"a sentence", {arguments}}, which xgettext does not know: in a copy of the
# sources these become msg("a sentence", ...). One word in braces is a name, not a sentence.
find app kernels -name '*.[ch]pp' -o -name '*.inl' -o -name '*.cu' | LC_ALL=C sort >"$work/files"
tar -cf - -T "$work/files" | tar -xf - -C "$work"
xargs -I{} sed -E -i -e 's/Message\{"/msg("/g' -e 's/\{("[^"]* [^"]*",? *(\{|args|$))/msg(\1/g' "$work/{}" <"$work/files"
(cd "$work" && xgettext --language=C++ --from-code=UTF-8 --keyword --keyword=tr --keyword=msg --keyword=bad_input \
  --keyword=unavailable --keyword=worker_error --keyword=N_ --sort-output --no-wrap --add-location=file \
  --files-from=files --output=program.pot)

if [ "${1:-}" = --update ]; then
  msgmerge --quiet --no-fuzzy-matching --no-wrap --sort-output --add-location=file -o "$work/zh.po" "$catalogue" "$work/program.pot"
  msgattrib --no-obsolete --no-wrap --sort-output --add-location=file -o "$catalogue" "$work/zh.po"
fi
exec python3 - "$work/program.pot" "$catalogue" <<'PYTHON'
import ast, re, sys

def entries(path):
    """id -> translation of a .po file, without its header."""
    found, texts, field = {}, {}, None
    for line in open(path, encoding="utf-8").read().split("\n") + [""]:
        start = re.match(r'(msgid|msgstr) (".*")$', line)
        if start:
            field, texts[start[1]] = start[1], ast.literal_eval(start[2])
        elif line.startswith('"') and field:
            texts[field] += ast.literal_eval(line)
        elif not line and texts:
            found[texts["msgid"]], texts, field = texts.get("msgstr", ""), {}, None
    found.pop("", None)
    return found

program, catalogue = entries(sys.argv[1]), entries(sys.argv[2])
arguments = lambda text: sorted(set(re.findall(r"\{\d+\}", text)))
faults = [f"not in the catalogue: {i}" for i in program if i not in catalogue]
faults += [f"no longer in the program: {i}" for i in catalogue if i not in program]
faults += [f"not translated: {i}" for i, text in catalogue.items() if i in program and not text]
faults += [f"other arguments than the original: {i}" for i, text in catalogue.items() if text and arguments(i) != arguments(text)]
print(*faults, sep="\n", end="\n" if faults else "")
print(f"{len(program)} sentences, {len(faults)} faults")
sys.exit(bool(faults))
PYTHON
