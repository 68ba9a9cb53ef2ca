#include "completion.hpp"

#include <functional>

#include "app/model/embedded.hpp"
#include "completion_kinds.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_parts[];
extern const int embedded_parts_count;

namespace {

constexpr const char* kMadeBy = " completion of lockstep, made by `lockstep pages --completion ";

// Every verb with its path: "", "run", "exercise", "exercise show".
void each_verb(const CommandInfo& command, const std::string& path,
               const std::function<void(const CommandInfo&, const std::string&)>& visit) {
  visit(command, path);
  for (const CommandInfo& verb : command.verbs)
    each_verb(verb, path.empty() ? verb.name : path + " " + verb.name, visit);
}

// What is the same whatever the commands are: app/pages/parts.
std::string part(std::string_view name) {
  for (int i = 0; i < embedded_parts_count; ++i)
    if (embedded_parts[i].name == name) return std::string(embedded_parts[i].text);
  return "";
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// In single quotes, as all three shells read it; fish and zsh take a backslash there differently, so none
// stands in it.
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
    for (const std::string& name : flag.names)
      pattern += (pattern.empty() ? "" : " | ") + quoted(path + ":" + name);
    add(pattern, flag);
  }
  for (std::size_t i = 0; i < command.words.size(); ++i)
    add(command.words[i].repeats ? quoted(path + ":") + "*" : quoted(path + ":" + std::to_string(i + 1)),
        command.words[i]);
}

std::string bash_script(const CommandInfo& commands) {
  std::string verbs, flags, kinds;
  each_verb(commands, "", [&](const CommandInfo& command, const std::string& path) {
    std::vector<std::string> names, all;
    for (const CommandInfo& verb : command.verbs) names.push_back(verb.name);
    for (const CommandOption& flag : command.flags)
      all.insert(all.end(), flag.names.begin(), flag.names.end());
    if (!names.empty()) verbs += "    " + quoted(path) + ") echo " + quoted(joined(names, " ")) + " ;;\n";
    flags += "    " + quoted(path) + ") echo " + quoted(joined(all, " ")) + " ;;\n";
    add_bash_kinds(command, path, kinds);
  });
  return std::string("# bash") + kMadeBy + "bash`. Source it, or put it into\n" +
         "# ~/.local/share/bash-completion/completions/lockstep\n" + "_lockstep_verbs() {\n  case $1 in\n" +
         verbs + "  esac\n}\n\n_lockstep_flags() {\n  case $1 in\n" + flags +
         "  esac\n}\n\n# What stands behind a flag of a verb, or as its first word, second word ...\n"
         "_lockstep_kind() {\n  case $1 in\n" +
         kinds + "  esac\n}\n" + "\n" + part("walk.bash");
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
  // A blank in front: _arguments puts no options of its own between a function and its words.
  for (const std::string& source : kind.sources) parts.push_back(" _lockstep_ask " + source);
  if (kind.files) parts.emplace_back("_files");
  if (kind.folders) parts.emplace_back("_files -/");
  return parts.empty() ? " " : parts.size() == 1 ? parts[0] : " _lockstep_any " + joined(kind.sources, " ");
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
    lines += " \\\n        " + quoted((word.repeats ? "*" : std::to_string(i + 1)) + ":" +
                                      zsh_text(word.value) + ":" + zsh_action(completion_of(word, path)));
  }
  return lines + "\n";
}

std::string zsh_verbs(const std::vector<CommandInfo>& verbs) {
  std::string lines;
  for (const CommandInfo& verb : verbs)
    lines += "        " + quoted(verb.name + ":" + zsh_text(verb.help)) + "\n";
  return lines;
}

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
  return std::string("#compdef lockstep\n# zsh") + kMadeBy + "zsh`. Put it into a folder of $fpath.\n" +
         "\n" + part("ask.zsh") +
         "\n_lockstep() {\n  local -a verbs\n  local verb\n  if ((CURRENT == 2)); then\n    verbs=(\n" +
         zsh_verbs(commands.verbs) + "    )\n    _describe verb verbs\n    _files\n    return\n  fi\n" +
         "  shift words\n  ((CURRENT--))\n  verb=$words[1]\n" +
         "  if [[ $verb == exercise ]] && ((CURRENT > 2)); then\n    shift words\n    ((CURRENT--))\n" +
         "    verb=\"exercise $words[1]\"\n  fi\n  case $verb in\n" + cases +
         "  esac\n}\n\n_lockstep \"$@\"\n";
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
  for (const std::string& source : kind.sources)
    asked += (asked.empty() ? "" : " ") + ("(__lockstep_ask " + source + ")");
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

std::string fish_script(const CommandInfo& commands) {
  std::string verbs, inner, takes, lines;
  each_verb(commands, "", [&](const CommandInfo& command, const std::string& path) {
    const bool nested = path.find(' ') != std::string::npos;
    if (!path.empty()) (nested ? inner : verbs) += " " + command.name;
    for (const CommandInfo& verb : command.verbs)
      lines += "complete -c lockstep -f -n " + fish_text("__lockstep_at " + fish_text(path) + " 1") + " -a " +
               verb.name + " -d " + fish_text(verb.help) + "\n";
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
         "\nset -g __lockstep_takes" + takes + "\n" + "\n" + part("ask.fish") + "complete -c lockstep -f\n" +
         lines;
}

}  // namespace

std::string completion_script(Shell shell, const CommandInfo& commands) {
  return shell == Shell::bash  ? bash_script(commands)
         : shell == Shell::zsh ? zsh_script(commands)
                               : fish_script(commands);
}

}  // namespace lockstep
