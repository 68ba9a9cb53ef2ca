#include "controls.hpp"

#include <algorithm>
#include <cmath>

#include "language.hpp"

namespace lockstep {

float scrolled_to_focus(const Canvas& canvas, Rect view, float scroll) {
  constexpr float kMargin = 10;
  const auto focus = canvas.new_focus();
  if (!focus || focus->clip.x != view.x || focus->clip.y != view.y || focus->clip.w != view.w) return scroll;
  if (focus->area.y < view.y + kMargin) return scroll - (view.y + kMargin - focus->area.y);
  if (focus->area.bottom() > view.bottom() - kMargin)
    return scroll + focus->area.bottom() - (view.bottom() - kMargin);
  return scroll;
}

void draw_focus_ring(Canvas& canvas, const Theme& theme, Rect r, float radius) {
  canvas.stroke_rect({r.x - 2, r.y - 2, r.w + 4, r.h + 4}, theme.readable(color::l2), 2, radius + 2);
}

float panel_title_height(const Theme& theme) { return 30 * theme.type; }

Rect draw_panel(Canvas& canvas, const Theme& theme, Rect r, std::string_view title) {
  canvas.fill_rect(r, theme.panel, kCorner);
  canvas.stroke_rect(r, theme.line, 1, kCorner);
  const float top = title.empty() ? kPanelPadding : panel_title_height(theme);
  if (!title.empty())
    canvas.text_fit({r.x + kPanelPadding, r.y + 17 * theme.type}, title,
                    {Font::words_semibold, 10.5f * theme.type, theme.dim}, r.w - 2 * kPanelPadding);
  return {r.x + kPanelPadding, r.y + top, r.w - 2 * kPanelPadding, r.h - top - kPanelPadding * 0.7f};
}

std::string badge_word(const Provenance& provenance) {
  switch (provenance.kind) {
    case Provenance::Kind::measured:
      return tr("measured");
    case Provenance::Kind::recorded:
      return tr("recorded");
    case Provenance::Kind::modelled:
      return tr("modelled");
    case Provenance::Kind::emulated:
      return tr("emulated");
    default:
      return provenance.words();
  }
}

std::string provenance_text(const Provenance& provenance) {
  using enum Provenance::Basis;
  if (provenance.is(Provenance::Kind::recorded) && !provenance.device.empty())
    return tr("recorded: {0}", {provenance.device + ", " + provenance.date});
  if (const auto error = provenance.error_text()) return tr("modelled, error {0}", {*error});
  if (provenance.basis == without_code) return tr("modelled, without the kernel's code");
  if (provenance.basis == at_most) return tr("modelled, at most");
  return provenance.is(Provenance::Kind::not_measured) ? tr("not measured") : badge_word(provenance);
}

namespace {
TextStyle badge_style(const Theme& theme) { return {Font::words, 11 * theme.type, theme.dim, Align::right}; }
float badge_radius(const Theme& theme) { return 3.6f * theme.type; }
}  // namespace

float badge_width(const Canvas& canvas, const Theme& theme, const Provenance& provenance,
                  std::string_view text) {
  const std::string word = text.empty() ? badge_word(provenance) : std::string(text);
  return canvas.measure(word, badge_style(theme)) + 2 * badge_radius(theme) + 5 * theme.type;
}

float badge_symbol_width(const Theme& theme) { return 2 * badge_radius(theme); }

void draw_badge_symbol(Canvas& canvas, const Theme& theme, Vec2 c, const Provenance& provenance) {
  const float radius = badge_radius(theme);
  if (provenance.is(Provenance::Kind::modelled)) {
    canvas.stroke_circle(c, radius, theme.dim, 1.2f, 1.6f);
    return;
  }
  canvas.stroke_circle(c, radius, theme.dim, 1.2f);
  if (provenance.is(Provenance::Kind::measured)) canvas.fill_circle(c, radius, theme.dim);
  if (!provenance.is(Provenance::Kind::recorded)) return;
  std::vector<Vec2> half;  // the left half filled
  for (int i = 0; i <= 12; ++i) {
    const float a = 3.14159265f * (0.5f + float(i) / 12);
    half.push_back({c.x + radius * std::cos(a), c.y + radius * std::sin(a)});
  }
  canvas.fill_polygon(half, theme.dim);
}

void draw_badge(Canvas& canvas, const Theme& theme, Vec2 right, const Provenance& provenance,
                std::string_view text) {
  if (provenance.empty()) return;
  const std::string word = text.empty() ? badge_word(provenance) : std::string(text);
  const float width = canvas.measure(word, badge_style(theme)), radius = badge_radius(theme);
  canvas.text(right, word, badge_style(theme));
  draw_badge_symbol(canvas, theme, {right.x - width - radius - 5 * theme.type, right.y}, provenance);
}

Hit draw_button(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, std::string_view label,
                ButtonLook look, bool enabled) {
  const Hit hit = enabled ? canvas.hit(id, r, true) : Hit{};
  Color fill = look == ButtonLook::primary  ? theme.accent
               : look == ButtonLook::filled ? theme.soft
                                            : theme.panel;
  if (hit.hovered) fill = mix(fill, look == ButtonLook::primary ? Color::hex(0xFFFFFF) : theme.ink, 0.10f);
  canvas.fill_rect(r, fill, kCorner);
  if (look == ButtonLook::plain) canvas.stroke_rect(r, theme.line, 1, kCorner);
  const Color ink = !enabled ? theme.dim : look == ButtonLook::primary ? Color::hex(0xFFFFFF) : theme.ink;
  canvas.text_fit({r.center().x, r.center().y}, label,
                  {look == ButtonLook::primary ? Font::words_semibold : Font::words, 12.5f * theme.type, ink,
                   Align::center},
                  r.w - 8);
  if (hit.focused) draw_focus_ring(canvas, theme, r, kCorner);
  return hit;
}

Hit draw_dropdown(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, std::string_view chosen) {
  const Hit hit = canvas.hit(id, r, true);
  canvas.fill_rect(r, hit.hovered ? mix(theme.soft, theme.ink, 0.08f) : theme.soft, kCorner);
  const float arrow = 22 * theme.type;
  canvas.text_fit({r.x + 10, r.center().y}, chosen, {Font::words, 12.5f * theme.type, theme.ink},
                  r.w - 10 - arrow);
  const Vec2 c{r.right() - arrow / 2 - 2, r.center().y};
  const Vec2 down[] = {{c.x - 4, c.y - 2}, {c.x + 4, c.y - 2}, {c.x, c.y + 3}};
  canvas.fill_polygon(down, theme.dim);
  if (hit.focused) draw_focus_ring(canvas, theme, r);
  return hit;
}

namespace {

// The tick nearest to the pointer, where it is near enough to be meant.
void tell_mark(Canvas& canvas, const Hit& hit, std::span<const SliderMark> marks, float x0, float x1) {
  constexpr float kNear = 6;
  const SliderMark* nearest = nullptr;
  float distance = kNear;
  for (const SliderMark& mark : marks)
    if (const float d = std::abs(x0 + (x1 - x0) * mark.position - hit.pointer.x); d <= distance)
      distance = d, nearest = &mark;
  if (nearest && hit.hovered && !nearest->hint.empty()) canvas.tooltip(nearest->hint);
}

// A tick each; where many would run together, a dotted line below.
void draw_marks(Canvas& canvas, const Theme& theme, std::span<const SliderMark> marks, float x0, float x1,
                float y) {
  constexpr float kTogether = 5;
  constexpr std::ptrdiff_t kMany = 8;
  const auto runs_together = [&](const SliderMark& mark) {
    return std::any_of(marks.begin(), marks.end(), [&](const SliderMark& other) {
      return &other != &mark && std::abs(other.position - mark.position) * (x1 - x0) < kTogether;
    });
  };
  const bool dots = std::count_if(marks.begin(), marks.end(), runs_together) >= kMany;
  for (const SliderMark& mark : marks) {
    const float x = std::round(x0 + (x1 - x0) * mark.position) - 1;
    dots ? canvas.fill_rect({x, y + 6, 2, 2}, theme.dim) : canvas.fill_rect({x, y - 5, 2, 10}, theme.ink);
  }
}

}  // namespace

std::optional<float> draw_slider(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                                 float position, std::span<const SliderMark> marks, bool* focused) {
  const float y = r.center().y, knob = 6 * std::min(theme.type, 1.3f);
  const float x0 = r.x + knob, x1 = r.right() - knob;
  const float x = x0 + (x1 - x0) * std::clamp(position, 0.f, 1.f);
  const Hit hit = canvas.hit(id, {r.x, y - 11, r.w, 22}, true);
  canvas.fill_rect({x0, y - 2, x1 - x0, 4}, theme.soft, 2);
  canvas.fill_rect({x0, y - 2, x - x0, 4}, theme.dim, 2);
  draw_marks(canvas, theme, marks, x0, x1, y);
  canvas.fill_circle({x, y}, hit.hovered || hit.held ? knob + 1 : knob, theme.ink);
  if (hit.focused) draw_focus_ring(canvas, theme, {r.x, y - 9, r.w, 18}, 9);
  if (focused) *focused = hit.focused;
  tell_mark(canvas, hit, marks, x0, x1);
  if (!hit.held && !hit.pressed) return {};
  return std::clamp((hit.pointer.x - x0) / std::max(1.f, x1 - x0), 0.f, 1.f);
}

namespace {
bool logarithmic(double min, double max) { return min > 0 && max / min > 64; }
}  // namespace

float slider_position(double value, double min, double max) {
  if (max <= min) return 0;
  return float(logarithmic(min, max) ? std::log(value / min) / std::log(max / min)
                                     : (value - min) / (max - min));
}

double slider_value(float position, double min, double max, std::int64_t multiple) {
  const double p = std::clamp(double(position), 0.0, 1.0);
  const double raw = logarithmic(min, max) ? min * std::pow(max / min, p) : min + (max - min) * p;
  const double step = double(std::max<std::int64_t>(1, multiple));
  const double lowest = std::ceil(min / step) * step, highest = std::floor(max / step) * step;
  return std::clamp(std::round(raw / step) * step, lowest, highest);
}

Hit draw_icon_button(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, Icon icon) {
  const Hit hit = canvas.hit(id, r, true);
  if (hit.hovered) canvas.fill_rect(r, theme.soft, kCorner);
  const float s = std::min(r.w, r.h) * 0.26f;
  const Vec2 c = r.center();
  const auto triangle = [&](float direction, float shift) {
    const Vec2 points[] = {{c.x + shift - direction * s * 0.8f, c.y - s},
                           {c.x + shift - direction * s * 0.8f, c.y + s},
                           {c.x + shift + direction * s, c.y}};
    canvas.fill_polygon(points, theme.ink);
  };
  const auto chevron = [&](float direction) {  // one step, told apart from playing
    const Vec2 points[] = {{c.x - direction * s * 0.45f, c.y - s},
                           {c.x + direction * s * 0.45f, c.y},
                           {c.x - direction * s * 0.45f, c.y + s}};
    canvas.polyline(points, theme.ink, 2);
  };
  const auto bar = [&](float shift) { canvas.fill_rect({c.x + shift - 1, c.y - s, 2, 2 * s}, theme.ink); };
  switch (icon) {
    case Icon::first:
      bar(-s), triangle(-1, s * 0.5f);
      break;
    case Icon::previous:
      chevron(-1);
      break;
    case Icon::play:
      triangle(1, 0);
      break;
    case Icon::pause:
      bar(-s * 0.5f), bar(s * 0.5f);
      break;
    case Icon::next:
      chevron(1);
      break;
    case Icon::last:
      triangle(1, -s * 0.5f), bar(s);
      break;
  }
  if (hit.focused) draw_focus_ring(canvas, theme, r);
  return hit;
}

}  // namespace lockstep
