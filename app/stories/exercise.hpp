// A guided exercise: parts that ask, checked against what the model and the run give, with settings that vary
// from student to student. Plain data, read from Markdown (exercise_reader.hpp). No answer stands in it:
// every one is an expression, worked out when it is checked (exercise_check.hpp) with the values that the
// student's seed draws (exercise_seed.hpp).
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/value.hpp"
#include "story.hpp"

namespace lockstep {

// A setting that the seed draws: {name} in texts, `name` in expressions, {name} as a value in a scene block.
struct Vary {
  std::string name;
  std::vector<Value> values;  // at least one
  std::size_t usual = 0;      // which one the default seed takes: the value with a star
};

// A name for an expression over what was drawn: "let: flop = 2 * n * n * n". It may ask for no run.
struct Let {
  std::string name;
  Expression value;
};

enum class PartKind : std::uint8_t {
  number,   // with unit and tolerance
  choice,   // one option
  several,  // any of the options, and where part.reason asks for it a reason in words
  order,    // the options marked +, in the order in which the file has them; the others do not belong
  set,      // "set the lab so that ...": a predicate over run and settings
  predict,  // a number, given before the run: it stands once the run has started
  program,  // "write this kernel": judged by a ProgramJudge
  text      // kept for the teacher, not graded
};
const char* name_of(PartKind kind);  // "number", "choice", ...: the word of its block and of JSON

struct ExercisePart {
  std::string id;  // "flop": the same in every language
  std::string title;
  std::string lab;                  // the exercise's, or that of its scene block's `lab: ...`
  std::optional<SceneSetup> setup;  // none: the lab stays as the part before left it. Values as in the file:
                                    // drawn_setup() puts what was drawn in place of {name}
  std::vector<Paragraph> text;
  PartKind kind = PartKind::number;
  // Question, unit, tolerance, options, tempting answers, what is hidden. Of its kind only number and predict
  // (Ask::Kind::number), choice, several and order (choice) and set mean something; its hint stays empty.
  // Option::right holds for `+` and `-`; an option `? EXPRESSION | text` has its own in option_right.
  Ask ask;
  std::vector<std::optional<Expression>> option_right;  // one per option
  std::vector<InlineText> option_why;                   // one per option; empty: none
  std::vector<InlineText> hints;                        // the next one says more than the one before
  std::string shows;    // "show: ...": the control or landmark that "show me" points at; "" for none
  InlineText reason;    // several: what the student's reason is asked for with; empty: no reason wanted
  std::string program;  // program: the task's name, assets/exercises/programs/<program>.cu
  // Beside the answer once there was an attempt: what a formula says and what the run says.
  std::optional<Expression> formula, measured;
  std::vector<Paragraph> why;  // shown after an attempt
  TextPlace place{};
};

struct Exercise {
  std::string slug;    // the file's name without ending
  std::string number;  // "1", "A": its place in the list; "" behind all others
  std::string track;   // "" for the guided ones, "kernels" for the kernel track
  std::string lab, title;
  int minutes = 0;  // 0: not said
  std::vector<Vary> vary;
  std::vector<Let> lets;
  std::vector<Paragraph> text;  // the situation, before the first part
  std::vector<ExercisePart> parts;
  std::filesystem::path file;
  std::string language;  // "en", "zh"; "" for a teacher's own that does not say
};

}  // namespace lockstep
