#!/usr/bin/env bash
# Checks the Chinese catalogue against the program: every sentence translated, none left over, and the same {n} on both
# sides. `scripts/strings.sh --update` takes new sentences into assets/locale/zh.po (untranslated) and drops old ones.
set -euo pipefail
cd "$(dirname "$0")/.."
catalogue=assets/locale/zh.po
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find app kernels \( -name '*.[ch]pp' -o -name '*.inl' -o -name '*.cu' -o -name '*.cuh' \) | LC_ALL=C sort >"$work/files"
xgettext --language=C++ --from-code=UTF-8 --keyword --keyword=tr --keyword=msg --keyword=bad_input \
  --keyword=unavailable --keyword=worker_error --keyword=fail:2 --keyword=N_ --no-wrap --add-location=file --force-po \
  --files-from="$work/files" --output="$work/calls.pot"
cat >"$work/strings.py" <<'PYTHON'
import ast, re, sys

def entries(path):
    """id -> (translation, files, is fuzzy) of a .po file, without its header."""
    found, texts, field, files, fuzzy = {}, {}, None, [], False
    for line in open(path, encoding="utf-8").read().split("\n") + [""]:
        start = re.match(r'(msgid|msgstr) (".*")$', line)
        if start:
            field, texts[start[1]] = start[1], ast.literal_eval(start[2])
        elif line.startswith('"') and field:
            texts[field] += ast.literal_eval(line)
        elif line.startswith("#:"):
            files += line[2:].split()
        elif line.startswith("#,"):
            fuzzy = "fuzzy" in line
        elif not line:
            if "msgid" in texts:
                found[texts["msgid"]] = (texts.get("msgstr", ""), files, fuzzy)
            texts, field, files, fuzzy = {}, None, [], False
    found.pop("", None)
    return found

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.[^\']*|[^\'\\])\'|\s+|\w+|.', re.S)

def in_braces(path):
    """Messages written {"a sentence", {arguments}} or Message{"a sentence"}, which xgettext does not know."""
    tokens = [m[0] for m in TOKEN.finditer(open(path, encoding="utf-8").read())]
    tokens = [t for t in tokens if not t.isspace() and not t.startswith(("//", "/*"))]
    for i in range(1, len(tokens) - 1):
        if tokens[i - 1] != "{" or tokens[i][0] != '"':
            continue
        text, end = "", i
        while tokens[end][0] == '"':  # neighbouring literals are one
            text, end = text + ast.literal_eval(tokens[end]), end + 1
        named = tokens[i - 2] == "Message"
        sentence = " " in text or re.search(r"\{\d\}", text)
        after = tokens[end:end + 2]
        if after[:1] == ["}"]:
            message = named
        elif after == [",", "{"]:  # arguments and nothing behind them; a lone word counts only without arguments
            depth, close = 1, end + 2
            while depth:
                depth, close = depth + (tokens[close] == "{") - (tokens[close] == "}"), close + 1
            message = tokens[close] == "}" and (named or sentence or close == end + 3)
        else:
            message = sentence and after[:1] == [","] and after[1].isidentifier() and tokens[end + 2] == "}"
        if message:
            yield text

def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

def collect(files, calls, template):
    program = {i: set(files) for i, (_, files, _) in entries(calls).items()}
    for path in open(files).read().split():
        for text in in_braces(path):
            program.setdefault(text, set()).add(path)
    with open(template, "w", encoding="utf-8") as out:
        out.write('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n')
        for text in sorted(program):
            out.write(f"\n#: {' '.join(sorted(program[text]))}\nmsgid {quoted(text)}\nmsgstr \"\"\n")

def check(template, catalogue):
    program, translated, faults = entries(template), entries(catalogue), 0
    arguments = lambda text: sorted(set(re.findall(r"\{\d+\}", text)))
    for text in sorted(program.keys() | translated.keys()):
        translation, _, fuzzy = translated.get(text, ("", [], False))
        fault = ("no longer in the program" if text not in program else "not in the catalogue" if text not in translated
                 else "not translated" if not translation else "marked fuzzy" if fuzzy
                 else "other arguments than the original" if arguments(text) != arguments(translation) else "")
        if fault:
            faults += 1
            print(f"{fault}: {text}")
    print(f"{len(program.keys() | translated.keys()) - faults} passed, {faults} failed")
    sys.exit(bool(faults))

{"collect": collect, "check": check}[sys.argv[1]](*sys.argv[2:])
PYTHON
python3 "$work/strings.py" collect "$work/files" "$work/calls.pot" "$work/program.pot"

if [ "${1:-}" = --update ]; then
  msgmerge --quiet --no-fuzzy-matching --no-wrap --sort-output --add-location=file -o "$work/zh.po" "$catalogue" "$work/program.pot"
  msgattrib --no-obsolete --no-wrap --sort-output --add-location=file "$work/zh.po" |
    grep -v -e '^"POT-Creation-Date' -e '^"Report-Msgid-Bugs-To' >"$work/new.po"
  cp "$work/new.po" "$catalogue"
fi
msgfmt --check -o "$work/zh.mo" "$catalogue"
python3 "$work/strings.py" check "$work/program.pot" "$catalogue"
