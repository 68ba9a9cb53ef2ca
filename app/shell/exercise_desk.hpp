// The exercises behind the window: which there are, how far their reader is, and the one that is open, drawn
// by the student's seed, with what was given so far.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/draw/language.hpp"
#include "app/stories/exercise_answers.hpp"
#include "app/stories/exercise_reader.hpp"

namespace lockstep {

struct OpenExercise {
  const Exercise* exercise = nullptr;
  DrawnExercise drawn;
  // Its parts as scenes, options in the order in which the seed has them: for stage, texts and presentation.
  Story story;
};

class ExerciseDesk {
 public:
  // Answers are kept in `answers`; in none where that is empty (pictures).
  ExerciseDesk(std::shared_ptr<const ExerciseShelf> shelf, std::filesystem::path answers);
  ExerciseDesk(const ExerciseDesk&) = delete;
  ExerciseDesk& operator=(const ExerciseDesk&) = delete;

  const std::vector<Exercise>& all() const { return shelf_->exercises; }
  const Exercise* named(std::string_view slug) const;
  const std::vector<Error>& faults() const { return shelf_->faults; }
  const std::string& glyphs() const { return glyphs_; }  // their characters outside ASCII, each once
  void use(std::shared_ptr<const ExerciseShelf> shelf);  // in another language
  // The student's; what was given is that of this seed.
  void use_seed(Seed seed);
  Seed seed() const { return seed_; }
  const std::filesystem::path& answers_folder() const { return answers_folder_; }

  // nullptr: there is none of that name, or the seed cannot be drawn.
  const OpenExercise* opened(std::string_view slug);
  const ExerciseAnswers& answers(std::string_view slug);
  // To change it: what has changed is written by keep().
  ExerciseAnswers& change(std::string_view slug);
  Status keep();

  struct Progress {
    int done = 0, parts = 0;
    bool finished() const { return parts > 0 && done == parts; }
  };
  Progress progress(const Exercise& exercise);  // parts that were answered rightly, or handed in
  int finished();                               // exercises

 private:
  struct Kept {
    ExerciseAnswers answers;
    bool changed = false;
  };
  Kept& kept(std::string_view slug);

  std::filesystem::path answers_folder_;
  std::shared_ptr<const ExerciseShelf> shelf_;
  std::string glyphs_;
  Seed seed_;
  std::map<std::string, std::unique_ptr<OpenExercise>, std::less<>> opened_;
  std::map<std::string, Kept, std::less<>> kept_;
};

// The folders beside those of the stories, where claims are, too.
std::vector<std::filesystem::path> exercise_folders_beside(const std::vector<std::filesystem::path>& stories);
// Was this part answered rightly, or, where nobody can tell, handed in?
bool is_done(const ExercisePart& part, const PartRecord* record);

}  // namespace lockstep
