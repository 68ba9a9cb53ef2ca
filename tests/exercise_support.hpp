// The shipped exercises, and students who answer them.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/devices/gpus.hpp"
#include "app/model/portable.hpp"
#include "app/stories/exercise_reader.hpp"
#include "app/stories/grading.hpp"
#include "app/stories/markdown.hpp"
#include "app/stories/story_text.hpp"
#include "stories_support.hpp"

namespace lockstep {

// Those that need no compiler: programs to write are judged elsewhere.
inline std::vector<Exercise> guided_exercises(const char* language = "en") {
  ExerciseShelf shelf = load_exercises({in_source("assets/exercises")}, language);
  for (const Error& fault : shelf.faults) FAIL_CHECK(fault.text());
  std::erase_if(shelf.exercises, [](const Exercise& one) {
    return std::any_of(one.parts.begin(), one.parts.end(),
                       [](const ExercisePart& part) { return part.kind == PartKind::program; });
  });
  return std::move(shelf.exercises);
}

inline const Exercise& exercise_named(const std::string& slug) {
  static const std::vector<Exercise> all = guided_exercises();
  for (const Exercise& one : all)
    if (one.slug == slug) return one;
  FAIL("there is no exercise " << slug);
  return all.front();
}

// Figures without a GPU; recordings are read once.
class ExerciseEngines {
 public:
  ExerciseEngines() : figures(sources()) {}

 private:
  StoryEngines engines_;
  std::map<std::pair<std::string, std::string>, std::vector<Run>> recorded_;
  RunSources sources() {
    const RunSources all = engines_.sources();
    return {all.run, [this, all](const std::string& lab, const std::string& rung) {
              const auto known = recorded_.find({lab, rung});
              if (known != recorded_.end()) return known->second;
              return recorded_.emplace(std::pair(lab, rung), all.recorded(lab, rung)).first->second;
            }};
  }

 public:
  StoryFigures figures;
};

// An answer to a `set` part that fulfils it: the settings that the test knows for this part.
inline std::string settings_for(const DrawnExercise& drawn, const std::string& part) {
  const auto number = [&](const char* name) { return std::int64_t(number_of(drawn.values.at(name))); };
  const auto word = [&](const char* name) { return std::get<std::string>(drawn.values.at(name)); };
  const auto block = [&](std::int64_t registers, std::int64_t shared) {
    return "stream; threads=" + std::to_string(number("threads")) +
           "; registers=" + std::to_string(registers) + "; shared_bytes=" + std::to_string(shared) +
           "; device=" + word("gpu");
  };
  const auto share = [&](std::int64_t blocks) {
    const Gpu& gpu = *gpu_by_word(word("gpu"));
    return gpu.shared_bytes_per_sm / blocks / 1024 * 1024 - 1024;
  };
  if (part == "padding") return "column; pitch=" + std::to_string(number("width") + 1);
  if (part == "room") return block(14, share(number("blocks") + 1));
  if (part == "brake")
    return block(number("registers"),
                 std::min(share(number("wanted")), gpu_by_word(word("gpu"))->shared_bytes_per_block));
  return "";
}

inline std::string right_answer_for(const DrawnExercise& drawn, std::size_t i, StoryFigures& figures) {
  const ExercisePart& part = drawn.exercise->parts[i];
  if (part.kind == PartKind::set) return settings_for(drawn, part.id);
  if (part.kind == PartKind::text) return "because it is so";
  PartFigures staged(drawn, i, nullptr, figures);
  const auto answer = right_part_answer(drawn, i, staged);
  if (!answer) FAIL_CHECK(part.id << ": " << answer.error().text());
  return answer ? *answer : "";
}

// The file of a student who got everything right at the first try.
inline ExerciseAnswers good_answers(const Exercise& exercise, const std::string& name, Seed seed,
                                    StoryFigures& figures) {
  const auto drawn = draw_exercise(exercise, seed);
  REQUIRE(drawn.ok());
  ExerciseAnswers answers{exercise.slug, name, seed, "0.1.0", {}};
  for (std::size_t i = 0; i < exercise.parts.size(); ++i) {
    PartRecord& record = answers.part(exercise.parts[i].id);
    record.answer = {right_answer_for(*drawn, i, figures),
                     exercise.parts[i].reason.empty() ? "" : "seen by " + name};
    const std::string second = (i < 10 ? "0" : "") + std::to_string(i);
    record.attempts.push_back({record.answer, "2026-11-23T09:00:" + second + "Z", "right"});
  }
  return answers;
}

}  // namespace lockstep
