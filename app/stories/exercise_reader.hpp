// Reads exercises: assets/exercises/{en,zh}/*.md and a teacher's own (docs/exercises.md says how they are
// written). An error names file, line and column; the other exercises still load.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "exercise.hpp"

namespace lockstep {

constexpr std::size_t kMaxParts = 24, kMaxVaries = 12, kMaxVaryValues = 500, kMaxHints = 6;

// An exercise from its text; `name` is what errors call it. Lab, rungs and settings are those of this
// program, and every value that a seed may draw fits them.
Result<Exercise> read_exercise(std::string_view bytes, const std::string& name);
Result<Exercise> load_exercise(const std::filesystem::path& file);

struct ExerciseShelf {
  std::vector<Exercise> exercises;  // guided ones by number, then the tracks
  std::vector<Error> faults;        // of the files that could not be read
};
// Every exercise of these folders: FOLDER/<language>/*.md, and right in it (a teacher's own: FOLDER/*.md);
// the first of a name wins. One that is not there in this language is taken in English.
ExerciseShelf load_exercises(const std::vector<std::filesystem::path>& folders, std::string_view language);

}  // namespace lockstep
