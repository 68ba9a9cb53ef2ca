#include "text_field.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr float kPad = 8;

float width_before(const Canvas& canvas, const TextEdit& edit, int position, const TextStyle& style) {
  return canvas.measure(edit.text_before(position), style);
}

// The gap between two characters that is nearest to x.
int position_at(const Canvas& canvas, const TextEdit& edit, float x, const TextStyle& style) {
  int first = 0, last = edit.length();  // widths grow with the position
  while (first < last) {
    const int middle = (first + last) / 2;
    const float here = width_before(canvas, edit, middle, style),
                next = width_before(canvas, edit, middle + 1, style);
    if ((here + next) / 2 < x)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

// The characters that stand in the field as a whole.
TextEdit::Range shown_in(const Canvas& canvas, const TextEdit& edit, float room, const TextStyle& style) {
  constexpr float kHair = 0.5f;
  const float from = edit.scroll_px - kHair, to = edit.scroll_px + room + kHair;
  TextEdit::Range shown{position_at(canvas, edit, from, style), position_at(canvas, edit, to, style)};
  if (width_before(canvas, edit, shown.first, style) < from) ++shown.first;
  if (width_before(canvas, edit, shown.last, style) > to) --shown.last;
  return {shown.first, std::max(shown.first, shown.last)};
}

void answer_pointer(const Canvas& canvas, const Hit& hit, float text_x, TextEdit& edit,
                    const TextStyle& style) {
  if (!hit.pressed && !hit.held && !hit.double_clicked) return;
  const int at = position_at(canvas, edit, hit.pointer.x - text_x, style);
  if (hit.double_clicked)
    edit.select_word(std::max(0, at - (at == edit.length())));
  else if (hit.pressed)
    edit.place(at, hit.shift);
  else if (hit.dragged)
    edit.place(at, true);
}

// The least movement that brings the caret into the field.
void keep_caret_in_view(const Canvas& canvas, TextEdit& edit, float room, const TextStyle& style) {
  constexpr float kCaret = 2;
  const float caret = width_before(canvas, edit, edit.caret(), style),
              all = width_before(canvas, edit, edit.length(), style) + kCaret;
  edit.scroll_px = std::clamp(edit.scroll_px, std::max(0.f, caret + kCaret - room), caret);
  edit.scroll_px = std::min(edit.scroll_px, std::max(0.f, all - room));
}

TextStyle error_style(const Theme& theme) {
  return {Font::words, 11.5f * theme.type, theme.readable(color::trouble)};
}
float error_step(const Theme& theme) { return 16 * theme.type; }

}  // namespace

Hit draw_text_field(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, TextEdit& edit,
                    const FieldLook& look) {
  const TextStyle style{look.font, look.size * theme.type, theme.ink};
  const Rect inside{r.x + kPad, r.y, std::max(1.f, r.w - 2 * kPad), r.h};
  const Hit hit = canvas.hit(id, r, true);
  answer_pointer(canvas, hit, inside.x - edit.scroll_px, edit, style);
  keep_caret_in_view(canvas, edit, inside.w, style);
  canvas.fill_rect(r, theme.ground, 4);
  const Color edge = look.wrong ? color::trouble : look.focused ? theme.readable(color::l2) : theme.line;
  canvas.stroke_rect(r, edge, look.focused || look.wrong ? 1.5f : 1, 4);
  canvas.push_clip({inside.x - 1, r.y, inside.w + 3, r.h});
  const float x = inside.x - edit.scroll_px, half = 0.66f * style.size;
  const auto selection = edit.selection();
  if (look.focused && !selection.empty()) {
    const float from = width_before(canvas, edit, selection.first, style),
                to = width_before(canvas, edit, selection.last, style);
    canvas.fill_rect({x + from, r.center().y - half, to - from, 2 * half}, theme.highlight, 2);
  }
  const auto shown = shown_in(canvas, edit, inside.w, style);
  canvas.text({x + width_before(canvas, edit, shown.first, style), r.center().y},
              edit.text_between(shown.first, shown.last), style);
  if (edit.length() == 0 && !look.hint.empty())
    canvas.text({x, r.center().y}, look.hint, {Font::words, style.size, theme.dim});
  if (look.focused && look.caret)
    canvas.fill_rect({std::round(x + width_before(canvas, edit, edit.caret(), style)), r.center().y - half,
                      1.5f, 2 * half},
                     theme.ink);
  canvas.pop_clip();
  return hit;
}

float field_error_height(const Canvas& canvas, const Theme& theme, std::string_view why, float width) {
  if (why.empty()) return 0;
  return float(canvas.count_lines(why, error_style(theme), width)) * error_step(theme) + 6 * theme.type;
}

void draw_field_error(Canvas& canvas, const Theme& theme, std::string_view why, Rect r) {
  if (!why.empty())
    canvas.text_wrap({r.x, r.y + 2 * theme.type}, why, error_style(theme), r.w, error_step(theme));
}

}  // namespace lockstep
