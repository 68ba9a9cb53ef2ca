// What stands for a flag's value or a word, as far as a shell can complete it.
#pragma once
#include <string>
#include <vector>

#include "command_info.hpp"

namespace lockstep {

struct CompletionKind {
  std::vector<std::string> words;    // these
  std::vector<std::string> sources;  // what `lockstep complete` is asked for: "labs", "rungs"
  bool files = false, folders = false;
  bool anything() const { return words.empty() && sources.empty() && !files && !folders; }
};

// `verb`: "exercise show"; "" for the program itself.
CompletionKind completion_of(const CommandOption& option, const std::string& verb);

}  // namespace lockstep
