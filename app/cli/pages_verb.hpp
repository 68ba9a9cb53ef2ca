// `lockstep pages`: the site beside the program, the manual page, and what shells complete.
#pragma once
#include "app/cli/exercise_verbs.hpp"
#include "app/pages/command_info.hpp"

namespace lockstep {

struct PagesArguments : ExerciseArguments {
  // `folders` are those of exercises
  std::optional<std::string> app;    // a URL
  bool manual = false;               // in place of the site
  std::optional<std::string> shell;  // the same: "bash"
};

Outcome write_pages(const PagesArguments& arguments, const CommandInfo& commands);

// Candidates for a shell, a line each with a tab and what it is behind it: labs, kernels, rungs LAB, settings
// LAB [RUNG], values LAB NAME, exercises, books claim, subjects, tours, templates. Nothing for what it does
// not know: a shell shows no error while somebody types.
Outcome complete_words(const std::optional<std::string>& what, const std::vector<std::string>& of);

}  // namespace lockstep
