// A canvas drawn larger or smaller, and elsewhere: what is laid out for one size stands the same at another,
// lines and gaps with it.
#pragma once
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "canvas.hpp"

namespace lockstep {

inline Vec2 scaled(Vec2 p, float by) { return {p.x * by, p.y * by}; }
inline Rect scaled(Rect r, float by) { return {r.x * by, r.y * by, r.w * by, r.h * by}; }

class ScaledCanvas final : public Canvas {
 public:
  // Its sizes of text are those of `canvas`.
  ScaledCanvas(Canvas& canvas, float scale, Vec2 moved = {}) : canvas_(canvas), scale_(scale), moved_(moved) {
    std::vector<float> sizes = canvas.type_scale();
    for (float& size : sizes) size /= scale;
    use_type_scale(std::move(sizes));
  }

  void fill_rect(Rect r, Color c, float radius) override { canvas_.fill_rect(placed(r), c, radius * scale_); }
  void stroke_rect(Rect r, Color c, float width, float radius) override {
    canvas_.stroke_rect(placed(r), c, width * scale_, radius * scale_);
  }
  void line(Vec2 a, Vec2 b, Color c, float width, float dash) override {
    canvas_.line(placed(a), placed(b), c, width * scale_, dash * scale_);
  }
  void polyline(std::span<const Vec2> points, Color c, float width) override {
    canvas_.polyline(all(points), c, width * scale_);
  }
  void fill_polygon(std::span<const Vec2> points, Color c) override { canvas_.fill_polygon(all(points), c); }
  void curve(Vec2 a, Vec2 control_a, Vec2 control_b, Vec2 b, Color c, float width) override {
    canvas_.curve(placed(a), placed(control_a), placed(control_b), placed(b), c, width * scale_);
  }
  void fill_circle(Vec2 center, float radius, Color c) override {
    canvas_.fill_circle(placed(center), radius * scale_, c);
  }
  void stroke_circle(Vec2 center, float radius, Color c, float width, float dash) override {
    canvas_.stroke_circle(placed(center), radius * scale_, c, width * scale_, dash * scale_);
  }
  void text(Vec2 at, std::string_view utf8, const TextStyle& asked) override {
    TextStyle style = in_scale(asked);
    style.size *= scale_;
    canvas_.text(placed(at), utf8, style);
  }
  void grid(std::string_view key, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
            Colormap colors, float gap) override {
    const float whole = std::round(gap * scale_);  // pixels: gaps between the same cells look the same
    canvas_.grid(key, placed(r), columns, rows, values, colors, gap > 0 ? std::max(1.f, whole) : gap);
  }
  void push_clip(Rect r) override { canvas_.push_clip(placed(r)); }
  void pop_clip() override { canvas_.pop_clip(); }
  Hit hit(std::string_view id, Rect r, bool focusable) override {
    Hit hit = canvas_.hit(id, placed(r), focusable);
    hit.pointer = scaled(Vec2{hit.pointer.x - moved_.x, hit.pointer.y - moved_.y}, 1 / scale_);
    hit.moved = scaled(hit.moved, 1 / scale_);
    return hit;
  }
  void tooltip(std::string_view utf8) override { canvas_.tooltip(utf8); }
  void hint(Rect r, std::string_view utf8) override { canvas_.hint(placed(r), utf8); }
  std::optional<NewFocus> new_focus() const override {
    auto focus = canvas_.new_focus();
    if (focus) *focus = {unplaced(focus->area), unplaced(focus->clip)};
    return focus;
  }
  bool interactive() const override { return canvas_.interactive(); }
  void landmark(std::string_view name, Rect r) override { canvas_.landmark(name, placed(r)); }

 private:
  Vec2 placed(Vec2 p) const { return {p.x * scale_ + moved_.x, p.y * scale_ + moved_.y}; }
  Rect placed(Rect r) const {
    return {r.x * scale_ + moved_.x, r.y * scale_ + moved_.y, r.w * scale_, r.h * scale_};
  }
  Rect unplaced(Rect r) const { return scaled(Rect{r.x - moved_.x, r.y - moved_.y, r.w, r.h}, 1 / scale_); }
  std::vector<Vec2> all(std::span<const Vec2> points) const {
    std::vector<Vec2> moved(points.begin(), points.end());
    for (Vec2& p : moved) p = placed(p);
    return moved;
  }
  Canvas& canvas_;
  const float scale_;
  const Vec2 moved_;
};

}  // namespace lockstep
