#include "warp_grid.hpp"

#include <algorithm>

#include "language.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

constexpr int kLanes = 32;
constexpr float kHead = 56, kFoot = 24, kLargestRow = 20;  // title and lane numbers; legend

Color lane_color(const Theme& theme, bool followed) {
  return followed ? color::registers : mix(theme.panel, color::registers, theme.dark ? 0.5f : 0.45f);
}

// One lane: filled, an empty frame struck through, or a dot.
void draw_lane(Canvas& canvas, const Theme& theme, Rect cell, LaneState state, bool followed) {
  if (state == LaneState::working) {
    canvas.fill_rect(cell, lane_color(theme, followed), 1.5f);
  } else if (state == LaneState::masked) {
    canvas.stroke_rect(cell, theme.dim, 1, 1.5f);
    canvas.line({cell.x, cell.bottom()}, {cell.right(), cell.y}, theme.dim, 1);
  } else {
    canvas.fill_circle(cell.center(), std::min(1.5f, cell.h / 4), theme.dim);
  }
}

// The three states, as they are drawn.
void draw_key(Canvas& canvas, const Theme& theme, Rect r) {
  const float type = theme.type, side = 11 * type;
  const TextStyle style{Font::words, 11 * type, theme.dim};
  float x = r.x;
  for (const auto& [state, label] :
       {std::pair{LaneState::working, tr("works")}, std::pair{LaneState::masked, tr("masked")},
        std::pair{LaneState::absent, tr("no thread")}}) {
    if (x + side > r.right()) return;
    draw_lane(canvas, theme, {x, r.y, side, side}, state, true);
    canvas.text_fit({x + side + 6 * type, r.y + side / 2}, label, style, r.right() - x - side - 6 * type);
    x += side + 20 * type + canvas.measure(label, style);
  }
}

TextStyle warp_label(const Theme& theme) { return {Font::mono, 10 * theme.type, theme.dim, Align::right}; }

struct Frame {
  Rect all;
  float row = 0;  // height of a warp
};
Frame frame_of(const Canvas& canvas, const Theme& theme, Rect r, const WarpGrid& grid) {
  const float type = theme.type;
  const float left = canvas.measure(tr("warp {0}", {"31"}), warp_label(theme)) + 10 * type;
  const Rect all{r.x + left, r.y + kHead * type, r.w - left, std::max(0.f, r.h - (kHead + kFoot) * type)};
  return {all, std::min(all.h / float(std::max(1, grid.warps())), kLargestRow * type)};
}

}  // namespace

Rect warp_lane_rect(const Canvas& canvas, const Theme& theme, Rect r, const WarpGrid& grid, int lane) {
  const Frame f = frame_of(canvas, theme, r, grid);
  const float w = f.all.w / kLanes;
  return {f.all.x + float(lane % kLanes) * w, f.all.y + float(lane / kLanes) * f.row, w, f.row};
}

float warp_grid_height(const Theme& theme, int warps) {
  return (kHead + kFoot + kLargestRow * float(warps)) * theme.type;
}

WarpGridHit draw_warp_grid(Canvas& canvas, const Theme& theme, Rect r, const WarpGrid& grid) {
  canvas.landmark("warps", r);
  const float type = theme.type;
  canvas.text_fit({r.x, r.y + 8 * type}, grid.title, {Font::words_semibold, 12.5f * type, theme.ink}, r.w);
  canvas.text_fit({r.x, r.y + 24 * type}, grid.subtitle, {Font::words, 11.5f * type, theme.dim}, r.w);
  if (grid.warps() == 0) return {};
  const TextStyle label = warp_label(theme);
  const auto [all, row] = frame_of(canvas, theme, r, grid);
  const float w = all.w / kLanes;
  const TextStyle number{Font::mono, 9.5f * type, theme.dim, Align::center};
  const int every = w >= canvas.measure("31", number) + 3 ? 1 : 4;
  for (int lane = 0; lane < kLanes; lane += every)
    canvas.text({all.x + (float(lane) + 0.5f) * w, all.y - 8 * type}, number_text(lane), number);
  canvas.text({all.x - 8 * type, all.y - 8 * type}, tr("lane"), label);
  const int label_every = row >= 12 * type ? 1 : row >= 6 * type ? 2 : 4;
  for (int warp = 0; warp < grid.warps(); ++warp) {
    const float y = all.y + float(warp) * row;
    if (warp % label_every == 0)
      canvas.text({all.x - 8 * type, y + row / 2}, tr("warp {0}", {number_text(warp)}),
                  {Font::mono, 10 * type, warp == grid.followed_warp ? theme.ink : theme.dim, Align::right});
    for (int lane = 0; lane < kLanes; ++lane)
      draw_lane(canvas, theme, {all.x + float(lane) * w + 1, y + 1, w - 2, std::max(1.f, row - 2)},
                grid.lanes[std::size_t(warp * kLanes + lane)], warp == grid.followed_warp);
  }
  if (grid.picked && *grid.picked < int(grid.lanes.size())) {
    const Rect cell{all.x + float(*grid.picked % kLanes) * w, all.y + float(*grid.picked / kLanes) * row, w,
                    row};
    canvas.fill_rect(cell.inset(1), color::current, 1.5f);
    canvas.stroke_rect(cell, theme.ink, 1.5f, 2);
  }
  draw_key(canvas, theme, {all.x, all.y + row * float(grid.warps()) + 8 * type, all.w, 14 * type});
  const Rect cells{all.x, all.y, all.w, row * float(grid.warps())};
  const Hit hit = canvas.hit(grid.id, cells);
  if (!hit.hovered || row <= 0) return {};
  const int warp = std::clamp(int((hit.pointer.y - cells.y) / row), 0, grid.warps() - 1);
  return {warp * kLanes + std::clamp(int((hit.pointer.x - cells.x) / w), 0, kLanes - 1), hit.clicked};
}

}  // namespace lockstep
