// A canvas on which a story has its say: while its question is open, numbers that give the answer away are
// drawn as "?", and what the question hides is veiled. It remembers where the landmarks stand, for what a
// scene puts in front, and the lines in which words may be explained.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answer_mask.hpp"
#include "canvas_forward.hpp"
#include "theme.hpp"

namespace lockstep {

// Landmarks with a meaning of their own: numbers stand bare in the first two, a column of costs is one of the
// third with what it counts behind it ("costs/sectors"). One that is called by what is asked for shows no
// numbers at all. What stands on a scale is the same in every run, ticks and names of settings: nothing there
// is hidden. kNow ends the name of a column's part in which the step on the stage stands.
constexpr std::string_view kHeadline = "headline", kNumbers = "numbers", kCosts = "costs/",
                           kSentence = "sentence", kCurves = "curves", kScale = "scale", kNow = "/now";

struct Landmark {
  std::string name;
  Rect area;  // of it what can be seen
};

// What an open question keeps from the reader; nothing: all is told.
struct StoryMask {
  std::optional<HiddenAnswer> answer;
  std::vector<std::string> hides;  // landmarks
};

class StoryCanvas final : public ForwardCanvas {
 public:
  // `everywhere`: in every text, else only where words say so (a kernel's text keeps its numbers, but for its
  // comments).
  StoryCanvas(Canvas& canvas, const StoryMask& mask, bool everywhere = true);

  const std::vector<Landmark>& landmarks() const { return landmarks_; }
  // A line of text where words can be explained: a title, or the sentence.
  struct Line {
    std::string text;
    Vec2 left;  // of its vertical middle
    TextStyle style;
  };
  const std::vector<Line>& lines() const { return lines_; }
  // Over what the question hides; `words` say why.
  void draw_veils(const Theme& theme, const std::string& words);

  void text(Vec2 at, std::string_view utf8, const TextStyle& style) override;
  void push_clip(Rect r) override;
  void pop_clip() override;
  Hit hit(std::string_view id, Rect r, bool focusable) override;
  void tooltip(std::string_view utf8) override;
  void hint(Rect r, std::string_view utf8) override;
  void part(std::string_view name, Rect r, const std::function<void(Canvas&, Rect)>& draw) override;
  void landmark(std::string_view name, Rect r) override;

 private:
  const Landmark* at(Vec2 place) const;  // the last one that was said there
  bool hides(const Landmark& one) const;
  bool veiled(Vec2 place) const;
  MaskedNumbers masked_in(const std::string& landmark, const TextStyle& style) const;
  std::string told(std::string_view text, MaskedNumbers which) const;
  std::string told_lines(std::string_view text) const;

  const StoryMask& mask_;
  const bool everywhere_;
  std::vector<Rect> clips_;
  std::vector<Landmark> landmarks_;
  std::vector<Line> lines_;
};

}  // namespace lockstep
