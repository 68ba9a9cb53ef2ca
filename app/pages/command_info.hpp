// The command line as plain data, as it is described to people: in the manual page, on the page of commands,
// in what shells complete. Made from the very definitions that parse it (app/cli/command_table.cpp).
#pragma once
#include <string>
#include <vector>

namespace lockstep {

// A flag, or a word that stands without one.
struct CommandOption {
  std::vector<std::string> names;  // "-o", "--output"; empty: a word
  std::string value;               // "FILE.png|.svg"; "" for a switch
  std::string help;                // English, and the key of its translation
  bool repeats = false;            // may be given several times
};

struct CommandInfo {
  std::string name;  // "exercise"
  std::string help;
  std::vector<CommandOption> words, flags;
  std::vector<CommandInfo> verbs;  // those that nobody types are left out
};

// "a4 or letter; else a4" names two words: what a flag takes, where its help says so. None: anything.
std::vector<std::string> words_that_help_names(const std::string& help);
// "-o, --output FILE"
std::string flag_in_words(const CommandOption& flag);
// "lockstep shot [LAB] [NAME] [flags]"
std::string usage_of(const CommandInfo& command, const std::string& before);

}  // namespace lockstep
