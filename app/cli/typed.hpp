// What can be typed on the command line, and where it goes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/cli/exercise_verbs.hpp"
#include "app/cli/pages_verb.hpp"
#include "app/cli/story_verbs.hpp"

namespace CLI {
class App;
}

namespace lockstep {

// CLI11 fills it; all values stay text, so that every refusal is worded in one
// place.
struct Typed {
  ShotArguments arguments;
  std::optional<std::string> folder, file, from;
  bool streams = false, unchecked = false, plan = false;
  ValidateArguments validate;
  StoryArguments story;
  ExerciseArguments exercise;
  PagesArguments pages;
  std::optional<std::string> complete_what;
  std::vector<std::string> complete_of;
  bool driver = false, test = false, device = false;
};

void define_commands(CLI::App& app, Typed& typed);

}  // namespace lockstep
