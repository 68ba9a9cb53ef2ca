// Choices side by side.
#include <algorithm>

#include "controls.hpp"

namespace lockstep {
namespace {

// The room around a word, and between two.
struct Spacing {
  float padding = 0, gap = 0;
};

TextStyle pill_style(const Theme& theme, bool chosen = false) {
  return {chosen ? Font::words_semibold : Font::words, 12.5f * theme.type, chosen ? theme.panel : theme.ink,
          Align::center};
}

// By the wider of its two faces, so that nothing moves when another one is chosen.
float pill_width(const Canvas& canvas, const Theme& theme, const Pill& pill, Spacing spacing) {
  return std::max(canvas.measure(pill.label, pill_style(theme)),
                  canvas.measure(pill.label, pill_style(theme, true))) +
         2 * spacing.padding;
}

float row_width(const Canvas& canvas, const Theme& theme, std::span<const Pill> pills, Spacing spacing) {
  float width = -spacing.gap;
  for (const Pill& pill : pills) width += pill_width(canvas, theme, pill, spacing) + spacing.gap;
  return width;
}

Spacing wide(const Theme& theme) { return {12 * theme.type, 6}; }
Spacing tight(const Theme& theme) { return {6 * theme.type, 3}; }

}  // namespace

bool pills_fit(const Canvas& canvas, const Theme& theme, std::span<const Pill> pills, float width) {
  return row_width(canvas, theme, pills, tight(theme)) <= width;
}

std::optional<int> draw_pills(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                              std::span<const Pill> pills, int current) {
  const bool room = row_width(canvas, theme, pills, wide(theme)) <= r.w;
  const Spacing spacing = room ? wide(theme) : tight(theme);
  std::optional<int> clicked;
  float x = r.x;
  for (int i = 0; i < int(pills.size()); ++i) {
    const Pill& pill = pills[std::size_t(i)];
    const Rect box{x, r.y, pill_width(canvas, theme, pill, spacing), r.h};
    x += box.w + spacing.gap;
    const bool able = pill.reason.empty(), chosen = i == current;
    const Hit hit = canvas.hit(std::string(id) + "/" + pill.label, box, able);
    Color fill = chosen ? theme.ink : theme.soft;
    if (hit.hovered && able && !chosen) fill = mix(fill, theme.ink, 0.12f);
    canvas.fill_rect(box, fill, kCorner);
    TextStyle style = pill_style(theme, chosen);
    if (!able && !chosen) style.color = theme.dim;
    canvas.text_fit(box.center(), pill.label, style, box.w - spacing.padding);
    if (hit.focused) draw_focus_ring(canvas, theme, box);
    if (hit.hovered && !(able && pill.hint.empty())) canvas.tooltip(able ? pill.hint : pill.reason);
    if (hit.clicked && able) clicked = i;
  }
  return clicked;
}

}  // namespace lockstep
