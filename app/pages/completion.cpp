#include "completion.hpp"

#include <functional>

#include "completion_kinds.hpp"

namespace lockstep {
namespace {

constexpr const char* kMadeBy = " completion of lockstep, made by `lockstep pages --completion ";

// Every verb with its path: "", "run", "exercise", "exercise show".
void each_verb(const CommandInfo& command, const std::string& path,
               const std::function<void(const CommandInfo&, const std::string&)>& visit) {
  visit(command, path);
  for (const CommandInfo& verb : command.verbs)
    each_verb(verb, path.empty() ? verb.name : path + " " + verb.name, visit);
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// In single quotes, as all three shells read it; fish and zsh take a backslash there differently, so none stands in it.
std::string quoted(const std::string& text, const char* quote = "'\\''") {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string(quote) : std::string(1, c);
  return out + "'";
}

// --- bash: two tables, and one function that walks the line

// "labs files", "words en zh", "any"
std::string bash_kind(const CompletionKind& kind) {
  if (!kind.words.empty()) return "words " + joined(kind.words, " ");
  std::vector<std::string> parts = kind.sources;
  if (kind.files) parts.emplace_back("files");
  if (kind.folders) parts.emplace_back("folders");
  return parts.empty() ? "any" : joined(parts, " ");
}

void add_bash_kinds(const CommandInfo& command, const std::string& path, std::string& cases) {
  const auto add = [&](const std::string& pattern, const CommandOption& option) {
    cases += "    " + pattern + ") echo " + quoted(bash_kind(completion_of(option, path))) + " ;;\n";
  };
  for (const CommandOption& flag : command.flags) {
    if (flag.value.empty()) continue;
    std::string pattern;
    for (const std::string& name : flag.names) pattern += (pattern.empty() ? "" : " | ") + quoted(path + ":" + name);
    add(pattern, flag);
  }
  for (std::size_t i = 0; i < command.words.size(); ++i)
    add(command.words[i].repeats ? quoted(path + ":") + "*" : quoted(path + ":" + std::to_string(i + 1)),
        command.words[i]);
}

constexpr const char* kBashWalk = R"(
_lockstep_ask() {
  "${_lockstep_program:-lockstep}" complete "$@" 2>/dev/null | cut -f 1
}

# Candidates of these kinds for the word at the cursor; of a setting NAME=VALUE those of its value.
_lockstep_offer() {
  local kind
  if [[ $1 == words ]]; then
    shift
    COMPREPLY+=($(compgen -W "$*" -- "$cur"))
    return
  fi
  for kind in "$@"; do
    case $kind in
      any) ;;
      files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$cur")) ;;
      folders) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$cur")) ;;
      settings)
        if [[ $cur == *=* ]]; then
          COMPREPLY+=($(compgen -W "$(_lockstep_ask values "$lab" "${cur%%=*}")" -P "${cur%%=*}=" -- "${cur#*=}"))
        else
          compopt -o nospace 2>/dev/null
          COMPREPLY+=($(compgen -W "$(_lockstep_ask settings "$lab" "$rung")" -- "$cur"))
        fi ;;
      rungs) COMPREPLY+=($(compgen -W "$(_lockstep_ask rungs "$lab")" -- "$cur")) ;;
      books) COMPREPLY+=($(compgen -W "$(_lockstep_ask books "$lab")" -- "$cur")) ;;
      *) COMPREPLY+=($(compgen -W "$(_lockstep_ask "$kind")" -- "$cur")) ;;
    esac
  done
}

_lockstep() {
  local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words=() cur verb= lab= rung= flag= place=0 i word
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local _lockstep_program=${words[0]}
  cur=${words[${#words[@]} - 1]}
  for ((i = 1; i < ${#words[@]} - 1; ++i)); do
    word=${words[i]}
    if [[ -n $flag ]]; then
      [[ $flag == --rung ]] && rung=$word
      flag=
    elif [[ $word == -* ]]; then
      [[ -n $(_lockstep_kind "$verb:$word") ]] && flag=$word
    elif ((place == 0)) && [[ " $(_lockstep_verbs "$verb") " == *" $word "* ]]; then
      verb=${verb:+$verb }$word
    else
      ((++place == 1)) && lab=$word
    fi
  done
  if [[ -n $flag ]]; then
    _lockstep_offer $(_lockstep_kind "$verb:$flag")
  elif [[ $cur == -* ]]; then
    _lockstep_offer words $(_lockstep_flags "$verb")
  else
    ((place == 0)) && _lockstep_offer words $(_lockstep_verbs "$verb")
    _lockstep_offer $(_lockstep_kind "$verb:$((place + 1))")
  fi
  # What stands before the last = is on the line already.
  if [[ $cur == *=* && $COMP_WORDBREAKS == *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*=}"}"}")
  fi
}
complete -F _lockstep lockstep
)";

std::string bash_script(const CommandInfo& commands) {
  std::string verbs, flags, kinds;
  each_verb(commands, "", [&](const CommandInfo& command, const std::string& path) {
    std::vector<std::string> names, all;
    for (const CommandInfo& verb : command.verbs) names.push_back(verb.name);
    for (const CommandOption& flag : command.flags) all.insert(all.end(), flag.names.begin(), flag.names.end());
    if (!names.empty()) verbs += "    " + quoted(path) + ") echo " + quoted(joined(names, " ")) + " ;;\n";
    flags += "    " + quoted(path) + ") echo " + quoted(joined(all, " ")) + " ;;\n";
    add_bash_kinds(command, path, kinds);
  });
  return std::string("# bash") + kMadeBy + "bash`. Source it, or put it into\n" +
         "# ~/.local/share/bash-completion/completions/lockstep\n" +
         "_lockstep_verbs() {\n  case $1 in\n" + verbs + "  esac\n}\n\n_lockstep_flags() {\n  case $1 in\n" + flags +
         "  esac\n}\n\n# What stands behind a flag of a verb, or as its first word, second word ...\n"
         "_lockstep_kind() {\n  case $1 in\n" + kinds + "  esac\n}\n" + kBashWalk;
}

// --- zsh: _arguments, which shows what each flag does

std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const CompletionKind& kind) {
  if (!kind.words.empty()) return "(" + joined(kind.words, " ") + ")";
  std::vector<std::string> parts;
  for (const std::string& source : kind.sources) parts.push_back("_lockstep_ask " + source);
  if (kind.files) parts.emplace_back("_files");
  if (kind.folders) parts.emplace_back("_files -/");
  return parts.empty() ? " " : parts.size() == 1 ? parts[0] : "_lockstep_any " + joined(kind.sources, " ");
}

std::string zsh_flag(const CommandOption& flag, const std::string& path) {
  const std::string tail =
      "[" + zsh_text(flag.help) + "]" +
      (flag.value.empty() ? "" : ":" + zsh_text(flag.value) + ":" + zsh_action(completion_of(flag, path)));
  const std::string names = flag.names.size() == 1 ? flag.names[0] : "{" + joined(flag.names, ",") + "}";
  if (flag.repeats) return "'*'" + names + quoted(tail);
  return quoted("(" + joined(flag.names, " ") + ")") + names + quoted(tail);
}

std::string zsh_verb(const CommandInfo& command, const std::string& path) {
  std::string lines = "      _arguments -S";
  for (const CommandOption& flag : command.flags) lines += " \\\n        " + zsh_flag(flag, path);
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const CommandOption& word = command.words[i];
    lines += " \\\n        " + quoted((word.repeats ? "*" : std::to_string(i + 1)) + ":" + zsh_text(word.value) + ":" +
                                     zsh_action(completion_of(word, path)));
  }
  return lines + "\n";
}

std::string zsh_verbs(const std::vector<CommandInfo>& verbs) {
  std::string lines;
  for (const CommandInfo& verb : verbs) lines += "        " + quoted(verb.name + ":" + zsh_text(verb.help)) + "\n";
  return lines;
}

constexpr const char* kZshHead = R"(
# Candidates with what they are, from the program itself.
_lockstep_ask() {
  local -a lines
  local name=$1 lab rung place
  lab=${words[(r)^(-*|lockstep|run|shot|clip|story|bench|record|export|exercise|show)]:-}
  place=${words[(I)--rung]}
  ((place)) && rung=${words[place + 1]}
  case $name in
    settings)
      if compset -P 1 '(#b)(*)='; then
        lines=(${(f)"$(_call_program lockstep lockstep complete values ${(q)lab} ${(q)match[1]})"})
      else
        lines=(${(f)"$(_call_program lockstep lockstep complete settings ${(q)lab} ${(q)rung})"})
        compadd -S '' -- ${lines%%$'\t'*}
        return
      fi ;;
    rungs | books) lines=(${(f)"$(_call_program lockstep lockstep complete $name ${(q)lab})"}) ;;
    *) lines=(${(f)"$(_call_program lockstep lockstep complete $name)"}) ;;
  esac
  lines=(${lines//:/\\:})
  _describe -t $name $name "lines=(${lines/$'\t'/:})" 2>/dev/null || compadd -- ${lines%%$'\t'*}
}

_lockstep_any() {
  local source
  for source; do _lockstep_ask $source; done
  _files
}
)";

std::string zsh_script(const CommandInfo& commands) {
  std::string cases;
  each_verb(commands, "", [&](const CommandInfo& command, const std::string& path) {
    if (path.empty()) return;
    cases += "    " + quoted(path) + ")\n";
    if (!command.verbs.empty())
      cases += "      verbs=(\n" + zsh_verbs(command.verbs) + "      )\n      _describe verb verbs\n";
    else
      cases += zsh_verb(command, path);
    cases += "      ;;\n";
  });
  return std::string("#compdef lockstep\n# zsh") + kMadeBy + "zsh`. Put it into a folder of $fpath.\n" + kZshHead +
         "\n_lockstep() {\n  local -a verbs\n  local verb\n  if ((CURRENT == 2)); then\n    verbs=(\n" +
         zsh_verbs(commands.verbs) + "    )\n    _describe verb verbs\n    _files\n    return\n  fi\n" +
         "  shift words\n  ((CURRENT--))\n  verb=$words[1]\n" +
         "  if [[ $verb == exercise ]] && ((CURRENT > 2)); then\n    shift words\n    ((CURRENT--))\n" +
         "    verb=\"exercise $words[1]\"\n  fi\n  case $verb in\n" + cases + "  esac\n}\n\n_lockstep \"$@\"\n";
}

// --- fish: a line for each thing that may stand

std::string fish_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += (c == '\\' || c == '\'' ? std::string("\\") : "") + c;
  return "'" + escaped + "'";
}

std::string fish_candidates(const CompletionKind& kind) {
  if (!kind.words.empty()) return " -x -a " + fish_text(joined(kind.words, " "));
  std::string asked;
  for (const std::string& source : kind.sources) asked += (asked.empty() ? "" : " ") + ("(__lockstep_ask " + source + ")");
  if (kind.folders) asked += "(__fish_complete_directories)";
  const std::string takes = kind.files ? " -r -F" : kind.folders || !asked.empty() ? " -x" : " -x";
  return takes + (asked.empty() ? "" : " -a " + fish_text(asked));
}

std::string fish_flag(const CommandOption& flag, const std::string& path) {
  std::string line = "complete -c lockstep -n " + fish_text("__lockstep_at " + fish_text(path));
  for (const std::string& name : flag.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  line += flag.value.empty() ? " -f" : fish_candidates(completion_of(flag, path));
  return line + " -d " + fish_text(flag.help) + "\n";
}

std::string fish_word(const CommandOption& word, const std::string& path, std::size_t place) {
  const CompletionKind kind = completion_of(word, path);
  if (kind.anything()) return "";
  const std::string condition =
      "__lockstep_at " + fish_text(path) + (word.repeats ? "" : " " + std::to_string(place));
  return "complete -c lockstep -n " + fish_text(condition) + fish_candidates(kind) + "\n";
}

constexpr const char* kFishHead = R"(
# The words that were typed: the verb, and how many stand behind it.
function __lockstep_words
    set -l verb
    set -l others
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if string match -qr '^-' -- $word
            contains -- $word $__lockstep_takes; and set skip 1
        else if test -z "$verb"; and contains -- $word $__lockstep_verbs
            set verb $word
        else if test "$verb" = exercise; and test (count $others) = 0; and contains -- $word $__lockstep_exercise_verbs
            set verb "exercise $word"
        else
            set -a others $word
        end
    end
    echo $verb
    printf '%s\n' $others
end

# Is this the verb, and this the place of the word at the cursor?
function __lockstep_at
    set -l words (__lockstep_words)
    test "$words[1]" = "$argv[1]"; or return 1
    test (count $argv) = 1; or test (count $words) = $argv[2]
end

function __lockstep_ask
    set -l words (__lockstep_words)
    set -l line (commandline -opc)
    set -l rung ''
    set -l place (contains -i -- --rung $line); and set rung $line[(math $place + 1)]
    switch $argv[1]
        case settings
            set -l name (string split -m 1 = -- (commandline -ct))
            if test (count $name) = 2
                for value in (lockstep complete values "$words[2]" "$name[1]" 2>/dev/null)
                    echo "$name[1]=$value"
                end
            else
                lockstep complete settings "$words[2]" "$rung" 2>/dev/null
            end
        case rungs books
            lockstep complete $argv[1] "$words[2]" 2>/dev/null
        case '*'
            lockstep complete $argv[1] 2>/dev/null
    end
end

)";

std::string fish_script(const CommandInfo& commands) {
  std::string verbs, inner, takes, lines;
  each_verb(commands, "", [&](const CommandInfo& command, const std::string& path) {
    const bool nested = path.find(' ') != std::string::npos;
    if (!path.empty()) (nested ? inner : verbs) += " " + command.name;
    for (const CommandInfo& verb : command.verbs)
      lines += "complete -c lockstep -f -n " + fish_text("__lockstep_at " + fish_text(path) + " 1") + " -a " + verb.name +
               " -d " + fish_text(verb.help) + "\n";
    for (const CommandOption& flag : command.flags) {
      lines += fish_flag(flag, path);
      if (!flag.value.empty())
        for (const std::string& name : flag.names)
          if ((takes + " ").find(" " + name + " ") == std::string::npos) takes += " " + name;
    }
    for (std::size_t i = 0; i < command.words.size(); ++i) lines += fish_word(command.words[i], path, i + 1);
  });
  // An exercise's verb is told from a verb of the same name by what stands before it.
  return std::string("# fish") + kMadeBy + "fish`. Put it into ~/.config/fish/completions.\n" +
         "set -g __lockstep_verbs" + verbs + "\nset -g __lockstep_exercise_verbs" + inner +
         "\nset -g __lockstep_takes" + takes + "\n" + kFishHead + "complete -c lockstep -f\n" + lines;
}

}  // namespace

std::string completion_script(Shell shell, const CommandInfo& commands) {
  return shell == Shell::bash ? bash_script(commands)
         : shell == Shell::zsh ? zsh_script(commands)
                               : fish_script(commands);
}

}  // namespace lockstep
