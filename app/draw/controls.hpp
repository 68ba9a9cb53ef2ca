// The window's controls: flat, drawn on a Canvas, ids from slugs. Each returns what the reader did to it.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/model/provenance.hpp"
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

constexpr float kCorner = 6;
// Where a list that is `scroll` px down must be so that a control that has just got the keyboard is in view.
float scrolled_to_focus(const Canvas& canvas, Rect view, float scroll);
// Around what has the keyboard.
void draw_focus_ring(Canvas& canvas, const Theme& theme, Rect r, float radius = kCorner);

// A flat panel with a hairline and a small title in capitals; returns the area for what it holds.
Rect draw_panel(Canvas& canvas, const Theme& theme, Rect r, std::string_view title);
constexpr float kPanelPadding = 14;
float panel_title_height(const Theme& theme);

// The provenance of a number: a shape and a word, no colour of its own. Words: "measured", "recorded: ...",
// "emulated", "modelled ...". Right-aligned at `right`. `text` stands in the word's place where it is given.
void draw_badge(Canvas& canvas, const Theme& theme, Vec2 right, const Provenance& provenance,
                std::string_view text = "");
float badge_width(const Canvas& canvas, const Theme& theme, const Provenance& provenance,
                  std::string_view text = "");
// Its symbol alone, where a hint or a neighbour has the word.
void draw_badge_symbol(Canvas& canvas, const Theme& theme, Vec2 center, const Provenance& provenance);
float badge_symbol_width(const Theme& theme);
std::string badge_word(const Provenance& provenance);  // the first word, translated
// All of it in the language in use: "recorded: NVIDIA H200, 2026-11-21", "modelled, error 10 %".
std::string provenance_text(const Provenance& provenance);

enum class ButtonLook { plain, filled, primary };
Hit draw_button(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, std::string_view label,
                ButtonLook look, bool enabled = true);

// The chosen one of a list that opens with a click or Enter.
Hit draw_dropdown(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, std::string_view chosen);

// A tick on a slider, and what it says when the pointer is on it.
struct SliderMark {
  float position = 0;
  std::string hint;
};
// A track with a knob. Positions run from 0 to 1; returns the new one while it is dragged or clicked.
std::optional<float> draw_slider(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                                 float position, std::span<const SliderMark> marks = {},
                                 bool* focused = nullptr);
// Whole numbers min .. max in steps of `multiple`, logarithmic when max / min > 64.
float slider_position(double value, double min, double max);
double slider_value(float position, double min, double max, std::int64_t multiple);

// Words side by side, one of them chosen. Returns the clicked one. Where they do not fit (pills_fit), a list
// takes their place.
struct Pill {
  std::string label;
  std::string reason;  // why it cannot be chosen; "" = it can
  std::string hint;    // shown on hover
};
bool pills_fit(const Canvas& canvas, const Theme& theme, std::span<const Pill> pills, float width);
std::optional<int> draw_pills(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                              std::span<const Pill> pills, int current);

// The phase strip: segments in proportion to their steps. Segments below 3 px are drawn as one. Returns the
// step that was clicked. Cost follows pixels.
struct Segment {
  int first = 0, count = 0;
  Color color;
};
std::optional<int> draw_phase_strip(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                                    std::span<const Segment> segments, int steps, int current);
// Index of the segment that holds a step (binary search), -1 for none.
int segment_at(std::span<const Segment> segments, int step);

// Shapes of the stepper's buttons.
enum class Icon { first, previous, play, pause, next, last };
Hit draw_icon_button(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, Icon icon);

}  // namespace lockstep
