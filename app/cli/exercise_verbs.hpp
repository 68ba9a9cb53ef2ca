// `lockstep exercise ...`: guided exercises as text, and the teacher's side: codes, checking, grading.
#pragma once
#include <memory>

#include "app/cli/verbs.hpp"
#include "app/stories/exercise_check.hpp"

namespace lockstep {

struct ExerciseArguments : ShotArguments {
  enum class Work { none, list, show, start, check, grade, fresh, codes };
  Work work = Work::none;
  std::optional<std::string> subject;  // an exercise, a file, a folder
  std::vector<std::string> names;      // of students, or files with one name in each line
  std::vector<std::string> folders;    // --exercises
  std::optional<std::string> program;  // check: the student's .cu
  std::optional<std::string> seed, passphrase_file;
  bool solutions = false, csv = false;
};

Outcome work_on_exercises(const ExerciseArguments& arguments);

// The folders of exercises, with those that --exercises names before the program's own.
Result<std::vector<std::filesystem::path>> folders_with_exercises(const ExerciseArguments& arguments);
// Who judges "write this kernel"; nullptr: nobody does.
std::unique_ptr<ProgramJudge> exercise_judge(const std::vector<std::filesystem::path>& folders);

// Parts of it.
Outcome show_exercise(const ExerciseArguments& arguments);
// The program that a student of "write this kernel" starts from, and what is to be said of his.
Outcome start_program(const ExerciseArguments& arguments);
Outcome check_program(const ExerciseArguments& arguments);
Outcome check_exercise_file(const ExerciseArguments& arguments);
Outcome grade_folder(const ExerciseArguments& arguments);
// An exercise by its name, or its file.
Result<Exercise> chosen_exercise(const ExerciseArguments& arguments, const std::string& name);
// --passphrase-file, else LOCKSTEP_PASSPHRASE; nothing where neither is given.
Result<std::optional<std::string>> passphrase_of(const ExerciseArguments& arguments);
const char* word_of(Verdict::Kind kind);

}  // namespace lockstep
