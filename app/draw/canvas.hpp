// What widgets draw on. Two makers: the ImGui draw list (canvas_imgui.cpp) and SVG (canvas_svg.cpp).
// Coordinates are logical pixels with y down; the makers apply the scale. No ImGui, GL or CUDA here.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

struct Vec2 {
  float x = 0, y = 0;
};
struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  Vec2 center() const { return {x + w / 2, y + h / 2}; }
  bool contains(Vec2 p) const { return p.x >= x && p.x < x + w && p.y >= y && p.y < y + h; }
  Rect inset(float d) const { return {x + d, y + d, w - 2 * d, h - 2 * d}; }
};

struct Color {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  static constexpr Color hex(std::uint32_t rgb, std::uint8_t alpha = 255) {
    return {std::uint8_t(rgb >> 16), std::uint8_t(rgb >> 8), std::uint8_t(rgb), alpha};
  }
  constexpr Color with_alpha(float f) const { return {r, g, b, std::uint8_t(a * f + 0.5f)}; }
  bool operator==(const Color&) const = default;
};
Color mix(Color a, Color b, float t);  // t = 0 gives a, 1 gives b; on straight alpha

enum class Font : std::uint8_t { words, words_semibold, mono, mono_semibold };
enum class Align : std::uint8_t { left, center, right };
struct TextStyle {
  Font font = Font::words;
  float size = 12.5f;  // logical pixels
  Color color{};
  Align align = Align::left;
};

// What the pointer and the keyboard did to a hit area in this frame.
struct Hit {
  bool hovered = false, pressed = false, clicked = false, double_clicked = false, held = false,
       focused = false;
  Vec2 pointer;     // in canvas coordinates, valid when hovered or held
  float wheel = 0;  // notches, while the pointer is over it, covered by another area or not
  bool shift = false;
  bool dragged = false;  // held or let go, further than a click's tremor from the press
  Vec2 moved;            // by how much the pointer moved since the last frame, while held
  bool right_pressed = false, right_held = false;  // the other button
};

// How grid() turns values into colours: value v (0..255) -> table[v].
using Colormap = std::span<const Color, 256>;

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void fill_rect(Rect r, Color color, float radius = 0) = 0;
  virtual void stroke_rect(Rect r, Color color, float width = 1, float radius = 0) = 0;
  virtual void line(Vec2 a, Vec2 b, Color color, float width = 1,
                    float dash = 0) = 0;  // dash: length of on and off
  virtual void polyline(std::span<const Vec2> points, Color color, float width = 1) = 0;
  virtual void fill_polygon(std::span<const Vec2> points, Color color) = 0;  // convex
  virtual void curve(Vec2 a, Vec2 control_a, Vec2 control_b, Vec2 b, Color color,
                     float width = 1) = 0;  // cubic Bezier
  virtual void fill_circle(Vec2 center, float radius, Color color) = 0;
  virtual void stroke_circle(Vec2 center, float radius, Color color, float width = 1, float dash = 0) = 0;
  // `at` is the left/centre/right end of the line's vertical middle: text is centred on at.y. UTF-8, one
  // line.
  virtual void text(Vec2 at, std::string_view utf8, const TextStyle& style) = 0;
  // columns x rows cells, values row by row (one byte each); cells have a gap of `gap` px where they are >= 4
  // px wide. `key` names the grid between frames, so that unchanged values need not be sent to the GPU again.
  virtual void grid(std::string_view key, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
                    Colormap colors, float gap = 1) = 0;
  virtual void push_clip(Rect r) = 0;
  virtual void pop_clip() = 0;
  // A hit area with a stable id ("stage/out"). Later areas lie above earlier ones. focusable: reachable by
  // Tab.
  virtual Hit hit(std::string_view id, Rect r, bool focusable = false) = 0;
  // Shown beside the pointer by makers that have one, after everything else. '\n' separates lines.
  virtual void tooltip(std::string_view utf8) = 0;
  // What stands here in short: shown beside the pointer where no later hit area lies above and nothing else
  // has a tooltip to show. Takes no click from anything.
  virtual void hint(Rect, std::string_view) {}
  // The area that has just got the keyboard, where it was drawn last, and the clip in force there: for what
  // scrolls.
  struct NewFocus {
    Rect area, clip;
  };
  virtual std::optional<NewFocus> new_focus() const { return {}; }
  // From here on this stands at `r`, by the name that stories have for it ("river", "lanes to banks"): what a
  // scene may put in front, or hide until its question is answered. Said before anything is drawn there.
  virtual void landmark(std::string_view /*name*/, Rect /*r*/) {}
  // False for a figure on paper: nothing in it says what a click or a key would do.
  virtual bool interactive() const { return true; }
  // What can stand alone in a figure, by its name there ("river"): `draw` draws it here at `r`, and where a
  // figure of it is made, on that.
  virtual void part(std::string_view /*name*/, Rect r, const std::function<void(Canvas&, Rect)>& draw) {
    draw(*this, r);
  }

  // Sizes in logical pixels, ascending: all text is drawn and measured in the smallest of them that is no
  // more than a tenth below the size it asks for. Empty: in that size itself.
  void use_type_scale(std::vector<float> sizes) { type_scale_ = std::move(sizes); }
  const std::vector<float>& type_scale() const { return type_scale_; }
  TextStyle in_scale(TextStyle style) const;

  // Width of one line; the same for every maker, needs no ImGui (text_metrics.cpp).
  float measure(std::string_view utf8, const TextStyle& style) const;
  // Draws utf8, shortened by an ellipsis to fit `width`; true if it had to be shortened, and the whole is a
  // hint then.
  bool text_fit(Vec2 at, std::string_view utf8, const TextStyle& style, float width);
  // The same in the size `least` where `style` is too large.
  bool text_shrunk(Vec2 at, std::string_view utf8, TextStyle style, float least, float width);
  // As text_fit, but says less before it cuts: without what stands behind the last comma, then semicolon or
  // colon, then word by word; returns the width drawn.
  float text_brief(Vec2 at, std::string_view utf8, const TextStyle& style, float width);
  // Lines that text_wrap would draw.
  int count_lines(std::string_view utf8, const TextStyle& style, float width) const;
  // Draws utf8 wrapped at spaces (CJK: anywhere) from the top left corner; returns the height used.
  float text_wrap(Vec2 top_left, std::string_view utf8, const TextStyle& style, float width,
                  float line_height);

 private:
  std::vector<float> type_scale_;
};

}  // namespace lockstep
