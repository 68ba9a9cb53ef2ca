// Result files: what a student gave, and when. JSON; no answer of the author's and no verdict that anybody
// believes: `grade` works everything out anew.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "exercise_check.hpp"

namespace lockstep {

constexpr std::uint64_t kMaxAnswersBytes = 4 << 20;

struct Attempt {
  PartAnswer answer;
  std::string time;     // "2026-11-23T05:30:00Z"
  std::string verdict;  // the word that the student saw: "right", "wrong", ...
};

struct PartRecord {
  std::string id;
  PartAnswer answer;    // as it stands, tried or not: what was typed last
  int hints = 0;        // how many were read
  bool locked = false;  // predict: the run has started
  std::vector<Attempt> attempts;
};

struct ExerciseAnswers {
  std::string exercise;  // slug
  std::string name;      // the student's; "" where none was given
  Seed seed;
  std::string version;  // of the program that wrote the file
  std::vector<PartRecord> parts;
  PartRecord& part(std::string_view id);  // made where it is not there
  const PartRecord* find(std::string_view id) const;
};

// A stranger's file: every length and kind is checked. The error names `name` and what is wrong.
Result<ExerciseAnswers> read_answers(std::string_view bytes, const std::string& name);
Result<ExerciseAnswers> load_answers(const std::filesystem::path& file);
std::string answers_json(const ExerciseAnswers& answers);
// Written beside and renamed: a kill leaves the old file or the new one.
Status save_answers(const ExerciseAnswers& answers, const std::filesystem::path& file);
// USER DATA/answers/<slug>[-<code>].json: where the window keeps them; the folder is made when it is written.
std::filesystem::path answers_file(const std::string& slug, Seed seed);

// Keeps the answer as an attempt of now. Refused for a prediction that stands.
Status add_attempt(ExerciseAnswers& answers, const ExercisePart& part, const PartAnswer& answer,
                   const Verdict& verdict);
// The run has started: the prediction stands.
void lock_prediction(ExerciseAnswers& answers, const ExercisePart& part);

}  // namespace lockstep
