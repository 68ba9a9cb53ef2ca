// Draws on another canvas what belongs on paper: nothing to click, no tooltips, no hints of what a click
// would do. It can draw a single part of a picture, and tells how small the type became and what was cut off.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "canvas.hpp"

namespace lockstep {

class FigureCanvas final : public Canvas {
 public:
  struct Part {
    std::string name;
    Rect at;
  };

  explicit FigureCanvas(Canvas& paper) : paper_(paper) {}
  // From now on the part of this name is drawn, at `at`, and nothing else; "" draws all again.
  void draw_only(std::string part, Rect at) {
    wanted_ = std::move(part), at_ = at, muted_ = !wanted_.empty();
  }

  const std::vector<Part>& parts() const { return parts_; }                 // that went by, each name once
  const std::vector<std::string>& shortened() const { return shortened_; }  // texts that end in an ellipsis
  float smallest_type() const { return smallest_; }  // logical pixels; 0 before any text

  void fill_rect(Rect r, Color c, float radius) override {
    if (!muted_) paper_.fill_rect(r, c, radius);
  }
  void stroke_rect(Rect r, Color c, float width, float radius) override {
    if (!muted_) paper_.stroke_rect(r, c, width, radius);
  }
  void line(Vec2 a, Vec2 b, Color c, float width, float dash) override {
    if (!muted_) paper_.line(a, b, c, width, dash);
  }
  void polyline(std::span<const Vec2> points, Color c, float width) override {
    if (!muted_) paper_.polyline(points, c, width);
  }
  void fill_polygon(std::span<const Vec2> points, Color c) override {
    if (!muted_) paper_.fill_polygon(points, c);
  }
  void curve(Vec2 a, Vec2 control_a, Vec2 control_b, Vec2 b, Color c, float width) override {
    if (!muted_) paper_.curve(a, control_a, control_b, b, c, width);
  }
  void fill_circle(Vec2 center, float radius, Color c) override {
    if (!muted_) paper_.fill_circle(center, radius, c);
  }
  void stroke_circle(Vec2 center, float radius, Color c, float width, float dash) override {
    if (!muted_) paper_.stroke_circle(center, radius, c, width, dash);
  }
  void text(Vec2 at, std::string_view utf8, const TextStyle& style) override {
    if (muted_ || utf8.empty()) return;
    if (utf8.ends_with("…")) shortened_.emplace_back(utf8);
    smallest_ = smallest_ > 0 ? std::min(smallest_, style.size) : style.size;
    paper_.text(at, utf8, style);
  }
  void grid(std::string_view key, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
            Colormap colors, float gap) override {
    if (!muted_) paper_.grid(key, r, columns, rows, values, colors, gap);
  }
  void push_clip(Rect r) override {
    if (!muted_) paper_.push_clip(r);
  }
  void pop_clip() override {
    if (!muted_) paper_.pop_clip();
  }
  Hit hit(std::string_view, Rect, bool) override { return {}; }
  void tooltip(std::string_view) override {}
  void hint(Rect, std::string_view) override {}
  bool interactive() const override { return false; }
  void part(std::string_view name, Rect r, const std::function<void(Canvas&, Rect)>& draw) override {
    const auto same = [&](const Part& known) { return known.name == name; };
    const bool first = std::none_of(parts_.begin(), parts_.end(), same);
    if (first) parts_.push_back({std::string(name), r});
    if (wanted_.empty()) return draw(*this, r);
    if (name != wanted_ || !first) return;
    muted_ = false;
    draw(*this, at_);
    muted_ = true;
  }

 private:
  Canvas& paper_;
  std::string wanted_;
  Rect at_;
  bool muted_ = false;
  std::vector<Part> parts_;
  std::vector<std::string> shortened_;
  float smallest_ = 0;
};

}  // namespace lockstep
