// What lies in folders, read once for many windows: of a site's pictures, and of tests.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exercise_reader.hpp"
#include "glossary.hpp"
#include "story_reader.hpp"

namespace lockstep {

struct StoriesRead {
  StoryShelf shelf;
  Glossary glossary;
  std::optional<Error> glossary_fault;  // why it is empty
};

class Bookshelf {
 public:
  using Folders = std::vector<std::filesystem::path>;
  std::shared_ptr<const StoriesRead> stories(const Folders& folders, const std::string& language);
  std::shared_ptr<const ExerciseShelf> exercises(const Folders& folders, const std::string& language);

 private:
  using Key = std::pair<Folders, std::string>;
  std::map<Key, std::shared_ptr<const StoriesRead>> stories_;
  std::map<Key, std::shared_ptr<const ExerciseShelf>> exercises_;
};

}  // namespace lockstep
