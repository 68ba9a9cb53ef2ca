#include "bookshelf.hpp"

namespace lockstep {

std::shared_ptr<const StoriesRead> Bookshelf::stories(const Folders& folders, const std::string& language) {
  auto& known = stories_[{folders, language}];
  if (known) return known;
  StoriesRead read{load_stories(folders, language), {}, {}};
  auto words = load_words(folders, language);
  if (words)
    read.glossary = Glossary(std::move(*words));
  else
    read.glossary_fault = words.error();
  return known = std::make_shared<const StoriesRead>(std::move(read));
}

std::shared_ptr<const ExerciseShelf> Bookshelf::exercises(const Folders& folders,
                                                          const std::string& language) {
  auto& known = exercises_[{folders, language}];
  if (!known) known = std::make_shared<const ExerciseShelf>(load_exercises(folders, language));
  return known;
}

}  // namespace lockstep
