// Rungs and choices side by side.
#include <algorithm>

#include "controls.hpp"

namespace lockstep {
namespace {

constexpr int kMostNamed = 6;

// What is written on the pills, and which of them are there.
struct PillRow {
  std::vector<std::string> labels;
  int first = 0, last = -1;  // of those shown
  float padding = 0, gap = 0;
};

TextStyle pill_style(const Theme& theme) {
  return {Font::words, 12.5f * theme.type, theme.ink, Align::center};
}

float pill_width(const Canvas& canvas, const Theme& theme, const PillRow& row, int i) {
  return canvas.measure(row.labels[std::size_t(i)], pill_style(theme)) + 2 * row.padding;
}

float row_width(const Canvas& canvas, const Theme& theme, const PillRow& row) {
  float width = -row.gap;
  for (int i = row.first; i <= row.last; ++i) width += pill_width(canvas, theme, row, i) + row.gap;
  return width;
}

enum class Labels { names, current_named, numbers };

PillRow row_of(const Theme& theme, std::span<const Pill> pills, int current, Labels labels, bool tight) {
  PillRow row;
  for (int i = 0; i < int(pills.size()); ++i) {
    const std::string &name = pills[std::size_t(i)].label, number = std::to_string(i + 1);
    row.labels.push_back(labels == Labels::names                     ? name
                         : labels == Labels::numbers || i != current ? number
                                                                     : number + "  " + name);
  }
  row.last = int(pills.size()) - 1;
  row.padding = (tight ? 6 : 12) * theme.type, row.gap = tight ? 3 : 6;
  return row;
}

// The widest way of writing that fits; at last the numbers around the current one, as many as there is room
// for.
PillRow fitting_row(const Canvas& canvas, const Theme& theme, std::span<const Pill> pills, int current,
                    float width) {
  const bool few = int(pills.size()) <= kMostNamed;
  const std::pair<Labels, bool> ways[] = {{few ? Labels::names : Labels::current_named, false},
                                          {Labels::current_named, false},
                                          {Labels::current_named, true},
                                          {Labels::numbers, true}};
  PillRow row;
  for (const auto& [labels, tight] : ways)
    if (row = row_of(theme, pills, current, labels, tight); row_width(canvas, theme, row) <= width)
      return row;
  const int all = row.last, middle = std::clamp(current, 0, all);
  row.first = row.last = middle;
  for (bool grown = true; grown;) {
    grown = false;
    for (const int side : {-1, 1}) {
      PillRow wider = row;
      (side < 0 ? wider.first : wider.last) += side;
      if (wider.first < 0 || wider.last > all || row_width(canvas, theme, wider) > width) continue;
      row = wider, grown = true;
    }
  }
  if (row_width(canvas, theme, row) > width) row.last = row.first - 1;  // not even one
  return row;
}

}  // namespace

std::optional<int> draw_pills(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                              std::span<const Pill> pills, int current) {
  if (pills.empty()) return {};
  const PillRow row = fitting_row(canvas, theme, pills, current, r.w);
  std::optional<int> clicked;
  float x = r.x + std::max(0.f, (r.w - row_width(canvas, theme, row)) / 2);
  for (int i = row.first; i <= row.last; ++i) {
    const Pill& pill = pills[std::size_t(i)];
    const Rect box{x, r.y, pill_width(canvas, theme, row, i), r.h};
    x += box.w + row.gap;
    const bool able = pill.reason.empty(), chosen = i == current;
    const Hit hit = canvas.hit(std::string(id) + "/" + pill.label, box, able);
    Color fill = chosen ? theme.ink : theme.soft;
    if (hit.hovered && able && !chosen) fill = mix(fill, theme.ink, 0.12f);
    canvas.fill_rect(box, fill, kCorner);
    TextStyle style = pill_style(theme);
    style.color = chosen ? theme.panel : able ? theme.ink : theme.dim;
    style.font = chosen ? Font::words_semibold : Font::words;
    canvas.text_fit(box.center(), row.labels[std::size_t(i)], style, box.w - row.padding);
    if (hit.focused) draw_focus_ring(canvas, theme, box);
    if (hit.hovered)
      canvas.tooltip(able ? std::to_string(i + 1) + " " + pill.label +
                                (pill.hint.empty() ? "" : "\n" + pill.hint)
                          : pill.reason);
    if (hit.clicked && able) clicked = i;
  }
  return clicked;
}

}  // namespace lockstep
