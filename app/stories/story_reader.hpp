// Reads stories: assets/stories/{en,zh}/*.md and a teacher's own. An error names file, line and column; the
// other stories still load.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "story.hpp"

namespace lockstep {

constexpr std::uint64_t kMaxStoryBytes = 64 << 10;
constexpr std::size_t kMaxScenes = 40;

// A story from its text; `name` is what errors call it. Lab, rungs and settings are those of this program.
Result<Story> read_story(std::string_view bytes, const std::string& name);
Result<Story> load_story(const std::filesystem::path& file);

struct StoryShelf {
  std::vector<Story> stories;
  // What to try in a lab: a file of the same form in a folder `tries` beside its story. Each of its scenes is
  // one thing to try: a title that says what to do, how the lab is set for it, and a question.
  std::vector<Story> tries;
  std::vector<Story> claims;  // claims.hpp, in the order of the labs
  std::vector<Error> faults;  // of the files that could not be read
};
// Every story of these folders: FOLDER/<language>/*.md, and right in it (a teacher's own: FOLDER/*.md), by
// name, first folder first; the first of a name wins. A story that is not there in this language is taken in
// English. words.md is the glossary.
StoryShelf load_stories(const std::vector<std::filesystem::path>& folders, std::string_view language);

}  // namespace lockstep
