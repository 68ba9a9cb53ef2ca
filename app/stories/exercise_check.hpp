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
// of the option as the student saw it, "2"; several: "1, 3"; order: "3, 1, 4"; set: settings_answer();
// program: the program's text; text: the text.
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
  // From another thread: what is being judged ends as soon as can be, with an error, and so does all after
  // it.
  virtual void cancel() {}
};

// Verdict::Kind::right of a `text` part means that there is one. `figures` stand on the part's scene, of
// `set` on the reader's own run (put_on_stage(), PartFigures). An Error is the author's.
Result<Verdict> check_part(const DrawnExercise& drawn, std::size_t part, const PartAnswer& answer,
                           FigureSource& figures, ProgramJudge* judge);
// The right answer as one would give it (PartAnswer::text); not of program, text and set.
Result<std::string> right_part_answer(const DrawnExercise& drawn, std::size_t part, FigureSource& figures);
// Puts `figures` on the part's scene, or, of a `set` part, on what the answer names; the error says why that
// cannot be. A run that is not to be had here is no error: figures of it say so.
Status put_on_stage(const DrawnExercise& drawn, std::size_t part, const PartAnswer* answer,
                    StoryFigures& figures);

// The figures of a part's scene, which is put on the stage when the first of them is asked for: most parts
// need no run.
class PartFigures final : public FigureSource {
 public:
  PartFigures(const DrawnExercise& drawn, std::size_t part, const PartAnswer* answer, StoryFigures& figures)
      : drawn_(drawn), part_(part), answer_(answer), figures_(figures) {}
  Result<Value> figure(const FigurePath& asked) override;

 private:
  const DrawnExercise& drawn_;
  const std::size_t part_;
  const PartAnswer* answer_;
  StoryFigures& figures_;
  bool staged_ = false;
};

// check_part without a window: a setting that the lab does not have is Verdict::Kind::not_understood.
Result<Verdict> check_part_alone(const DrawnExercise& drawn, std::size_t part, const PartAnswer& answer,
                                 StoryFigures& figures, ProgramJudge* judge);

// The answer to a `set` part: "padded; n=64; pad=1", the rung and all settings. And back.
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
