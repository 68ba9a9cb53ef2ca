// Is a part's answer right? Worked out now, from the exercise, the seed and the run.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer.hpp"
#include "exercise_seed.hpp"
#include "story_figures.hpp"

namespace lockstep {

// What a student gave to a part, as it stands in a result file. number, predict: as typed; choice: the place
// of the option as the student saw it, "2"; several: "1, 3"; order: "3, 1, 4"; set: settings_answer(); program:
// the program's text; text: the text.
struct PartAnswer {
  std::string text;
  std::string reason;  // several
};

// Judges "write this kernel". Whoever runs readers' programs fills it: this folder cannot.
class ProgramJudge {
 public:
  virtual ~ProgramJudge() = default;
  // `values`: what was drawn. An Error of Exit::unavailable says why it cannot be judged here.
  virtual Result<Verdict> judge(const std::string& task, std::string_view text, const Params& values) = 0;
  // What a student starts from; the error names the file that is missing.
  virtual Result<std::string> starting_text(const std::string& task) = 0;
};

// Verdict::Kind::right of a `text` part means that there is one. `figures` stand on the part's scene (or on
// the reader's own run, for `set`): put_on_stage(). An Error is the author's.
Result<Verdict> check_part(const DrawnExercise& drawn, std::size_t part, const PartAnswer& answer,
                           FigureSource& figures, ProgramJudge* judge);
// The right answer as one would give it (PartAnswer::text); not of program, text and set.
Result<std::string> right_part_answer(const DrawnExercise& drawn, std::size_t part, FigureSource& figures);
// Does checking this part ask for a run? Else its figures need no stage.
bool needs_run(const ExercisePart& part);

// The part's scene on `figures`; of a `set` part what the answer names, and the error says why it cannot be.
// A run that is not to be had is no error: figures of it say so.
Status put_on_stage(const DrawnExercise& drawn, std::size_t part, const PartAnswer* answer,
                    StoryFigures& figures);

// The answer to a `set` part: "padded n=64 pad=1", the rung and what differs from the lab's defaults. And back.
std::string settings_answer(const Request& request);
Result<SceneSetup> setup_of_answer(const std::string& lab, std::string_view text);

// Prediction, formula and measurement side by side. Texts with unit; "" where the part has none, the sentence
// that says why where it is not to be had here.
struct Compared {
  std::string given, formula, measured;
};
Result<Compared> compare_part(const DrawnExercise& drawn, std::size_t part, const PartAnswer& answer,
                              FigureSource& figures);

}  // namespace lockstep
