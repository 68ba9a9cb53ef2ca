#include "command_info.hpp"

#include <algorithm>
#include <cctype>

namespace lockstep {
namespace {

bool is_word(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c); });
}

// Without what stands before a colon ("of the figure: ") and behind a semicolon.
std::string listed_part(const std::string& help) {
  const std::size_t end = std::min(help.find(';'), help.size());
  const std::size_t colon = help.rfind(": ", end);
  const std::size_t begin = colon == std::string::npos ? 0 : colon + 2;
  return help.substr(begin, end - begin);
}

}  // namespace

std::vector<std::string> words_that_help_names(const std::string& help) {
  const std::string list = listed_part(help);
  const std::size_t last = list.find(" or ");
  if (last == std::string::npos) return {};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < last;) {
    const std::size_t comma = std::min(list.find(", ", begin), last);
    words.push_back(list.substr(begin, comma - begin));
    begin = comma + (comma == last ? 0 : 2);
    if (comma == last) break;
  }
  words.push_back(list.substr(last + 4));
  return std::all_of(words.begin(), words.end(), is_word) ? words : std::vector<std::string>{};
}

std::string flag_in_words(const CommandOption& flag) {
  std::string text;
  for (const std::string& name : flag.names) text += (text.empty() ? "" : ", ") + name;
  return text + (flag.value.empty() ? "" : (text.empty() ? "" : " ") + flag.value);
}

std::string usage_of(const CommandInfo& command, const std::string& before) {
  std::string text = (before.empty() ? "" : before + " ") + command.name;
  for (const CommandOption& word : command.words) text += " [" + word.value + "]" + (word.repeats ? "…" : "");
  if (!command.verbs.empty() && before.empty()) return text;
  if (!command.verbs.empty()) text += " VERB";
  return text + (command.flags.empty() ? "" : " [flags]");
}

}  // namespace lockstep
