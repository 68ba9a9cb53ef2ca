// A story: scenes that ask, let the reader predict, show the run that answers, and say why. Plain data, read
// from Markdown (story_reader.hpp); every number in it is an expression and computed when it is shown.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/axis.hpp"
#include "app/model/expression.hpp"
#include "figure_format.hpp"

namespace lockstep {

// A piece of text: all of one kind.
struct Inline {
  enum class Kind : std::uint8_t { text, emphasis, strong, code, figure };
  Kind kind = Kind::text;
  std::string text;         // of a figure the expression as written
  Expression expression{};  // figure
  FigureFormat format{};    // figure
};
using InlineText = std::vector<Inline>;

struct Paragraph {
  InlineText pieces;
  bool bullet = false;     // an item of a list
  std::string label = {};  // what stands above it: "model", "verdict"; "" for nothing
};

// Where a scene puts the lab, as it stands in the file: words are checked against the lab by scene_setup.hpp.
struct SceneSetup {
  std::string lab;                          // "" for the story's own
  std::string rung, engine;                 // "" leaves them to the lab
  std::vector<std::string> settings;        // "n=128", as --set takes them
  std::vector<TextPlace> setting_places{};  // of each
  std::optional<StepKey> at;
  std::optional<std::int64_t> warp, block;
  std::string frame;  // what the stage puts in front; "" for nothing
  TextPlace place{};
  TextPlace rung_place{}, at_place{};
};

// A wrong answer that many give, and what made it tempting.
struct Tempting {
  Expression answer;  // of a choice: the number of the option, from 1
  InlineText why;
};

// A figure from which the answer follows: the bytes, where sectors are asked for.
struct AlsoHidden {
  Expression answer;
  std::string unit;
};

struct Option {
  InlineText text;
  bool right = false;
};

struct Tolerance {
  double size = 0;  // in the question's unit, or percent of the answer
  bool percent = false;
};

struct Ask {
  enum class Kind : std::uint8_t { number, choice, set };
  Kind kind = Kind::number;
  InlineText question;
  std::optional<Expression> answer;  // number: its value; set: true once the reader's own run fulfils it
  std::string unit;                  // "ms", "sectors"; "" for a bare number
  std::optional<Tolerance> tolerance;
  std::vector<Option> options;  // choice
  std::vector<Tempting> tempting;
  InlineText hint;  // empty: none
  // What of the window is hidden until the answer, by its landmark: "ladder", "headline", "costs", "curves".
  // Numbers that equal the answer are hidden anyway.
  std::vector<std::string> hides;
  std::vector<AlsoHidden> also;  // hidden as the answer is
  TextPlace hides_place{};
  TextPlace place{};
};

struct StoryScene {
  std::string title;
  SceneSetup setup;
  std::vector<Paragraph> text;
  std::optional<Ask> ask;
  std::vector<Paragraph> why;    // shown after the answer
  std::vector<Paragraph> notes;  // of a tour: for the one who speaks
  TextPlace place{};
};

struct Story {
  std::string slug;  // the file's name without ending
  std::string lab, title;
  int minutes = 0;                 // 0: not said
  std::vector<std::string> after;  // labs whose stories come before
  std::vector<StoryScene> scenes;
  std::filesystem::path file;
  std::string language;  // "en", "zh"; "" for a teacher's own that does not say
};

}  // namespace lockstep
