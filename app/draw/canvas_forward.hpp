// A canvas that draws everything on another one: what stands between the two overrides what it is about.
#pragma once
#include "canvas.hpp"

namespace lockstep {

class ForwardCanvas : public Canvas {
 public:
  explicit ForwardCanvas(Canvas& canvas) : canvas_(canvas) { use_type_scale(canvas.type_scale()); }

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
  void text(Vec2 at, std::string_view utf8, const TextStyle& style) override {
    canvas_.text(at, utf8, style);
  }
  void grid(std::string_view key, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
            Colormap colors, float gap) override {
    canvas_.grid(key, r, columns, rows, values, colors, gap);
  }
  void push_clip(Rect r) override { canvas_.push_clip(r); }
  void pop_clip() override { canvas_.pop_clip(); }
  Hit hit(std::string_view id, Rect r, bool focusable) override { return canvas_.hit(id, r, focusable); }
  void tooltip(std::string_view utf8) override { canvas_.tooltip(utf8); }
  void hint(Rect r, std::string_view utf8) override { canvas_.hint(r, utf8); }
  std::optional<NewFocus> new_focus() const override { return canvas_.new_focus(); }
  bool interactive() const override { return canvas_.interactive(); }
  void landmark(std::string_view name, Rect r) override { canvas_.landmark(name, r); }

 protected:
  Canvas& canvas_;
};

}  // namespace lockstep
