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
#include "canvas.hpp"
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

class StoryCanvas final : public Canvas {
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

  void fill_rect(Rect r, Color c, float radius) override { canvas_.fill_rect(r, c, radius); }
  void stroke_rect(Rect r, Color c, float width, float radius) override {
    canvas_.stroke_rect(r, c, width, radius);
  }
  void line(Vec2 a, Vec2 b, Color c, float width, float dash) override { canvas_.line(a, b, c, width, dash); }
  void polyline(std::span<const Vec2> points, Color c, float width) override {
    canvas_.polyline(points, c, width);
  }
  void fill_polygon(std::span<const Vec2> points, Color c) override { canvas_.fill_polygon(points, c); }
  void curve(Vec2 a, Vec2 control_a, Vec2 control_b, Vec2 b, Color c, float width) override {
    canvas_.curve(a, control_a, control_b, b, c, width);
  }
  void fill_circle(Vec2 center, float radius, Color c) override { canvas_.fill_circle(center, radius, c); }
  void stroke_circle(Vec2 center, float radius, Color c, float width, float dash) override {
    canvas_.stroke_circle(center, radius, c, width, dash);
  }
  void text(Vec2 at, std::string_view utf8, const TextStyle& style) override;
  void grid(std::string_view key, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
            Colormap colors, float gap) override {
    canvas_.grid(key, r, columns, rows, values, colors, gap);
  }
  void push_clip(Rect r) override;
  void pop_clip() override;
  Hit hit(std::string_view id, Rect r, bool focusable) override;
  void tooltip(std::string_view utf8) override;
  void hint(Rect r, std::string_view utf8) override;
  std::optional<NewFocus> new_focus() const override { return canvas_.new_focus(); }
  bool interactive() const override { return canvas_.interactive(); }
  void part(std::string_view name, Rect r, const std::function<void(Canvas&, Rect)>& draw) override;
  void landmark(std::string_view name, Rect r) override;

 private:
  const Landmark* at(Vec2 place) const;  // the last one that was said there
  bool veiled(Vec2 place) const;
  MaskedNumbers masked_in(const std::string& landmark, const TextStyle& style) const;
  std::string told(std::string_view text, MaskedNumbers which) const;
  std::string told_lines(std::string_view text) const;

  Canvas& canvas_;
  const StoryMask& mask_;
  const bool everywhere_;
  std::vector<Rect> clips_;
  std::vector<Landmark> landmarks_;
  std::vector<Line> lines_;
};

}  // namespace lockstep
