// `lockstep story` and `lockstep words`: what the window teaches, as text for authors, screen readers and
// other programs.
#pragma once
#include "app/cli/verbs.hpp"
#include "app/stories/story_figures.hpp"

namespace lockstep {

using StoryArguments = ShotArguments;  // `number`: --scene

// Without a lab the list of stories; else the scenes with every number computed, or the word on an answer.
Outcome tell_story(const StoryArguments& arguments);
Outcome list_words(const StoryArguments& arguments);

// The folders of stories, with those that --stories names before the program's own.
Result<std::vector<std::filesystem::path>> folders_with_stories(const ShotArguments& arguments);

// Runs by the engines in this process, each asked for once by StoryFigures.
struct Engines;
RunSources sources_of(const Engines& engines);

}  // namespace lockstep
