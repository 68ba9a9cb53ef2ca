#include "launch_strip.hpp"

#include <algorithm>

#include "controls.hpp"
#include "language.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

constexpr float kLeastLaunch = 216, kMostLaunch = 372, kCellGap = 10, kMoreWidth = 44;

// At an end: how many more there are on that side.
bool draw_more(Canvas& canvas, const Theme& theme, Rect r, int more, bool to_right) {
  const Hit hit = canvas.hit(to_right ? "launch/later" : "launch/earlier", r, true);
  if (hit.hovered) canvas.fill_rect(r, theme.soft, kCorner);
  if (hit.focused) draw_focus_ring(canvas, theme, r);
  const Vec2 c{r.center().x, r.center().y - 8 * theme.type};
  const float w = (to_right ? 3 : -3) * theme.type, h = 5 * theme.type;
  const Vec2 head[] = {{c.x - w, c.y - h}, {c.x + w, c.y}, {c.x - w, c.y + h}};
  canvas.polyline(head, theme.ink, 1.5f);
  canvas.text({r.center().x, r.center().y + 10 * theme.type}, grouped(more),
              {Font::words, 10.5f * theme.type, theme.dim, Align::center});
  return hit.clicked;
}

void draw_launch(Canvas& canvas, const Theme& theme, Rect r, const LaunchCell& cell, bool current) {
  const float type = theme.type, pad = 12 * type, width = r.w - 2 * pad;
  const TextStyle number{Font::mono, 10.5f * type, theme.dim, Align::right};
  const float number_w = cell.number.empty() ? 0 : canvas.measure(cell.number, number) + 8 * type;
  canvas.text({r.right() - pad, r.y + 17 * type}, cell.number, number);
  canvas.text_fit({r.x + pad, r.y + 17 * type}, cell.name,
                  {current ? Font::mono_semibold : Font::mono, 11.5f * type, theme.ink}, width - number_w);
  const TextStyle wrong{Font::words_semibold, 10.5f * type, theme.readable(color::trouble), Align::right};
  const float wrong_w = cell.wrong.empty() ? 0 : canvas.measure(cell.wrong, wrong) + 10 * type;
  if (wrong_w > 0) canvas.text({r.right() - pad, r.y + 37 * type}, cell.wrong, wrong);
  canvas.text_fit({r.x + pad, r.y + 37 * type}, cell.costs, {Font::words, 11 * type, theme.dim},
                  width - wrong_w);
}

}  // namespace

float launch_strip_height(const Theme& theme) { return 52 * theme.type; }

std::optional<int> draw_launch_strip(Canvas& canvas, const Theme& theme, Rect r,
                                     const std::vector<LaunchCell>& cells, int current) {
  const int all = int(cells.size());
  if (all == 0) return {};
  const float least = kLeastLaunch * theme.type, arrow = kMoreWidth * theme.type;
  const bool fit = float(all) * (least + kCellGap) - kCellGap <= r.w;
  const float room = fit ? r.w : r.w - 2 * (arrow + kCellGap);
  const int count = fit ? all : std::max(1, int((room + kCellGap) / (least + kCellGap)));
  const int first = fit ? 0 : std::clamp(current - count / 2, 0, all - count);
  const float width = std::min(kMostLaunch * theme.type, (room + kCellGap) / float(count) - kCellGap);
  std::optional<int> chosen;
  if (first > 0 && draw_more(canvas, theme, {r.x, r.y, arrow, r.h}, first, false)) chosen = first - 1;
  float x = first == 0 ? r.x : r.x + arrow + kCellGap;
  for (int i = first; i < first + count; ++i, x += width + kCellGap) {
    const LaunchCell& cell = cells[std::size_t(i)];
    const Rect box{x, r.y, width, r.h};
    const Hit hit = canvas.hit(cell.id, box, true);
    canvas.fill_rect(box, hit.hovered ? mix(theme.panel, theme.soft, 0.6f) : theme.panel, kCorner);
    canvas.stroke_rect(box, i == current ? theme.ink : theme.line, i == current ? 1.5f : 1, kCorner);
    if (hit.focused) draw_focus_ring(canvas, theme, box);
    draw_launch(canvas, theme, box, cell, i == current);
    if (hit.hovered && !cell.hint.empty()) canvas.tooltip(cell.hint);
    if (hit.clicked) chosen = i;
  }
  const int behind = all - first - count;
  if (behind > 0 && draw_more(canvas, theme, {x, r.y, arrow, r.h}, behind, true)) chosen = first + count;
  return chosen;
}

}  // namespace lockstep
