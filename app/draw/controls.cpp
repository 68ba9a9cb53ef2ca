#include "controls.hpp"

#include <algorithm>
#include <cmath>

#include "language.hpp"

namespace lockstep {
namespace {

constexpr float kCorner = 6;

void focus_ring(Canvas& canvas, Rect r, float radius) {
  canvas.stroke_rect({r.x - 2, r.y - 2, r.w + 4, r.h + 4}, color::l2, 2, radius + 2);
}

}  // namespace

float panel_title_height(const Theme& theme) { return 30 * theme.type; }

Rect draw_panel(Canvas& canvas, const Theme& theme, Rect r, std::string_view title) {
  canvas.fill_rect(r, theme.panel, kCorner);
  canvas.stroke_rect(r, theme.line, 1, kCorner);
  const float top = title.empty() ? kPanelPadding : panel_title_height(theme);
  if (!title.empty())
    canvas.text_fit({r.x + kPanelPadding, r.y + 17 * theme.type}, title, {Font::words_semibold, 10.5f * theme.type, theme.dim}, r.w - 2 * kPanelPadding);
  return {r.x + kPanelPadding, r.y + top, r.w - 2 * kPanelPadding, r.h - top - kPanelPadding * 0.7f};
}

std::string badge_word(std::string_view provenance) {
  if (provenance.starts_with("measured")) return tr("measured");
  if (provenance.starts_with("recorded")) return tr("recorded");
  if (provenance.starts_with("modelled")) return tr("modelled");
  return provenance.starts_with("emulated") ? tr("emulated") : std::string(provenance);
}

namespace {
TextStyle badge_style(const Theme& theme) { return {Font::words, 11 * theme.type, theme.dim, Align::right}; }
float badge_radius(const Theme& theme) { return 3.6f * theme.type; }
}  // namespace

float badge_width(const Canvas& canvas, const Theme& theme, std::string_view provenance) {
  return canvas.measure(badge_word(provenance), badge_style(theme)) + 2 * badge_radius(theme) + 5 * theme.type;
}

void draw_badge(Canvas& canvas, const Theme& theme, Vec2 right, std::string_view provenance) {
  if (provenance.empty()) return;
  const std::string word = badge_word(provenance);
  const float width = canvas.measure(word, badge_style(theme)), radius = badge_radius(theme);
  canvas.text(right, word, badge_style(theme));
  const Vec2 c{right.x - width - radius - 5 * theme.type, right.y};
  if (provenance.starts_with("modelled")) {
    canvas.stroke_circle(c, radius, theme.dim, 1.2f, 1.6f);
  } else {
    canvas.stroke_circle(c, radius, theme.dim, 1.2f);
    if (provenance.starts_with("measured")) canvas.fill_circle(c, radius, theme.dim);
    if (provenance.starts_with("recorded")) {  // the left half filled
      std::vector<Vec2> half;
      for (int i = 0; i <= 12; ++i) {
        const float a = 3.14159265f * (0.5f + float(i) / 12);
        half.push_back({c.x + radius * std::cos(a), c.y + radius * std::sin(a)});
      }
      canvas.fill_polygon(half, theme.dim);
    }
  }
}

Hit draw_button(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, std::string_view label, ButtonLook look, bool enabled) {
  const Hit hit = enabled ? canvas.hit(id, r, true) : Hit{};
  Color fill = look == ButtonLook::primary ? theme.accent : look == ButtonLook::filled ? theme.soft : theme.panel;
  if (hit.hovered) fill = mix(fill, look == ButtonLook::primary ? Color::hex(0xFFFFFF) : theme.ink, 0.10f);
  canvas.fill_rect(r, fill, kCorner);
  if (look == ButtonLook::plain) canvas.stroke_rect(r, theme.line, 1, kCorner);
  const Color ink = !enabled ? theme.dim : look == ButtonLook::primary ? Color::hex(0xFFFFFF) : theme.ink;
  canvas.text_fit({r.center().x, r.center().y}, label, {look == ButtonLook::primary ? Font::words_semibold : Font::words, 12.5f * theme.type, ink, Align::center}, r.w - 8);
  if (hit.focused) focus_ring(canvas, r, kCorner);
  return hit;
}

std::optional<float> draw_slider(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, float position, std::span<const float> marks, bool* focused) {
  const float y = r.center().y, knob = 6 * std::min(theme.type, 1.3f);
  const float x0 = r.x + knob, x1 = r.right() - knob;
  const float x = x0 + (x1 - x0) * std::clamp(position, 0.f, 1.f);
  const Hit hit = canvas.hit(id, {r.x, y - 11, r.w, 22}, true);
  canvas.fill_rect({x0, y - 2, x1 - x0, 4}, theme.soft, 2);
  canvas.fill_rect({x0, y - 2, x - x0, 4}, theme.dim, 2);
  for (float mark : marks) canvas.fill_circle({x0 + (x1 - x0) * mark, y}, 2.5f, theme.ink);  // recorded positions
  canvas.fill_circle({x, y}, hit.hovered || hit.held ? knob + 1 : knob, theme.ink);
  if (hit.focused) focus_ring(canvas, {r.x, y - 9, r.w, 18}, 9);
  if (focused) *focused = hit.focused;
  if (!hit.held && !hit.pressed) return {};
  return std::clamp((hit.pointer.x - x0) / std::max(1.f, x1 - x0), 0.f, 1.f);
}

namespace {
bool logarithmic(double min, double max) { return min > 0 && max / min > 64; }
}  // namespace

float slider_position(double value, double min, double max) {
  if (max <= min) return 0;
  return float(logarithmic(min, max) ? std::log(value / min) / std::log(max / min) : (value - min) / (max - min));
}

double slider_value(float position, double min, double max, std::int64_t multiple) {
  const double p = std::clamp(double(position), 0.0, 1.0);
  const double raw = logarithmic(min, max) ? min * std::pow(max / min, p) : min + (max - min) * p;
  const double step = double(std::max<std::int64_t>(1, multiple));
  const double lowest = std::ceil(min / step) * step, highest = std::floor(max / step) * step;
  return std::clamp(std::round(raw / step) * step, lowest, highest);
}

std::optional<int> draw_pills(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, std::span<const Pill> pills, int current) {
  constexpr int kMostNamed = 6;
  const float gap = 6, padding = 12 * theme.type;
  TextStyle style{Font::words, 12.5f * theme.type, theme.ink, Align::center};
  const auto width_of = [&](const std::string& label) { return canvas.measure(label, style) + 2 * padding; };
  float total = -gap;
  for (const Pill& pill : pills) total += width_of(pill.label) + gap;
  const bool named = int(pills.size()) <= kMostNamed && total <= r.w;
  std::optional<int> clicked;
  std::vector<std::string> labels;
  total = -gap;
  for (int i = 0; i < int(pills.size()); ++i) {
    labels.push_back(named ? pills[std::size_t(i)].label : i == current ? std::to_string(i + 1) + "  " + pills[std::size_t(i)].label : std::to_string(i + 1));
    total += width_of(labels.back()) + gap;
  }
  float x = r.x + std::max(0.f, (r.w - total) / 2);
  for (int i = 0; i < int(pills.size()); ++i) {
    const Pill& pill = pills[std::size_t(i)];
    const Rect box{x, r.y, width_of(labels[std::size_t(i)]), r.h};
    x += box.w + gap;
    const bool able = pill.reason.empty(), chosen = i == current;
    const Hit hit = canvas.hit(std::string(id) + "/" + pill.label, box, able);
    Color fill = chosen ? theme.ink : theme.soft;
    if (hit.hovered && able && !chosen) fill = mix(fill, theme.ink, 0.12f);
    canvas.fill_rect(box, fill, kCorner);
    style.color = chosen ? theme.panel : able ? theme.ink : theme.dim;
    style.font = chosen ? Font::words_semibold : Font::words;
    canvas.text_fit(box.center(), labels[std::size_t(i)], style, box.w - padding);
    style.font = Font::words;
    if (hit.focused) focus_ring(canvas, box, kCorner);
    if (hit.hovered) canvas.tooltip(able ? std::to_string(i + 1) + " " + pill.label + (pill.hint.empty() ? "" : "\n" + pill.hint) : pill.reason);
    if (hit.clicked && able) clicked = i;
  }
  return clicked;
}

int segment_at(std::span<const Segment> segments, int step) {
  const auto after = std::upper_bound(segments.begin(), segments.end(), step, [](int s, const Segment& segment) { return s < segment.first; });
  if (after == segments.begin()) return -1;
  const auto& segment = *(after - 1);
  return step < segment.first + segment.count ? int(after - segments.begin()) - 1 : -1;
}

std::optional<int> draw_phase_strip(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, std::span<const Segment> segments, int steps, int current) {
  if (steps <= 0) return {};
  constexpr float kLeast = 3;
  const float unit = r.w / float(steps);
  const Hit hit = canvas.hit(id, r);
  for (float x = r.x; x < r.right() - 0.5f;) {  // one rectangle per visible stretch
    const int step = std::min(steps - 1, int((x - r.x) / unit + 0.001f));
    const int index = segment_at(segments, step);
    if (index < 0) break;
    const Segment& segment = segments[std::size_t(index)];
    const float end = std::max(r.x + float(segment.first + segment.count) * unit, x + kLeast);
    const bool reached = segment.first <= current;
    const float gap = end - x > 8 ? 2.f : 0.f;
    canvas.fill_rect({x, r.y, std::min(end, r.right()) - x - gap, r.h}, reached ? segment.color : mix(theme.soft, segment.color, 0.35f), std::min(2.f, r.h / 3));
    x = end;
  }
  if (!hit.clicked && !hit.held) return {};
  return std::clamp(int((hit.pointer.x - r.x) / unit), 0, steps - 1);
}

Hit draw_icon_button(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, Icon icon) {
  const Hit hit = canvas.hit(id, r, true);
  if (hit.hovered) canvas.fill_rect(r, theme.soft, kCorner);
  const float s = std::min(r.w, r.h) * 0.26f;
  const Vec2 c = r.center();
  const auto triangle = [&](float direction, float shift) {
    const Vec2 points[] = {{c.x + shift - direction * s * 0.8f, c.y - s}, {c.x + shift - direction * s * 0.8f, c.y + s}, {c.x + shift + direction * s, c.y}};
    canvas.fill_polygon(points, theme.ink);
  };
  const auto bar = [&](float shift) { canvas.fill_rect({c.x + shift - 1, c.y - s, 2, 2 * s}, theme.ink); };
  switch (icon) {
    case Icon::first: bar(-s), triangle(-1, s * 0.5f); break;
    case Icon::previous: triangle(-1, 0); break;
    case Icon::play: triangle(1, 0); break;
    case Icon::pause: bar(-s * 0.5f), bar(s * 0.5f); break;
    case Icon::next: triangle(1, 0); break;
    case Icon::last: triangle(1, -s * 0.5f), bar(s); break;
  }
  if (hit.focused) focus_ring(canvas, r, kCorner);
  return hit;
}

}  // namespace lockstep
