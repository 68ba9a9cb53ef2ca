// The card: the block's part of both matrices, between them the tile where there is one; what is there by
// this step, and what the step moves.
#include <algorithm>
#include <array>

#include "app/draw/matrix.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

std::vector<std::uint8_t> states(const TransposeScene& scene, int step, const ViewInfo& view, bool input) {
  std::vector<std::uint8_t> cells;
  for (const ElementState& e :
       scene.progress.elements_until(step, view, scene.progress.region_touched(0, view))) {
    const bool done = input ? e.reads > 0 : e.writes > 0;
    CellState state = done ? CellState::done : CellState::untouched;
    if (e.now == ElementState::Now::reads) state = CellState::reads_now;
    if (e.now == ElementState::Now::writes) state = CellState::writes_now;
    cells.push_back(std::uint8_t(state));
  }
  return cells;
}

void draw_states(Canvas& canvas, const Theme& theme, Rect r, const TransposeScene& scene, int step,
                 const ViewInfo& view, bool input) {
  const Region region = scene.progress.region_touched(0, view);
  if (region.empty()) return;
  const auto palette = cell_palette(theme, view.space == Space::shared ? color::shared : color::hbm);
  std::array<Color, 256> colors;
  colors.fill(theme.panel);
  std::copy_n(palette.begin(), std::min(palette.size(), colors.size()), colors.begin());
  canvas.grid(view.name, r, int(region.cols), int(region.rows), states(scene, step, view, input), colors, 0);
  canvas.stroke_rect(r, theme.line);
}

}  // namespace

void TransposeScene::card(Canvas& canvas, const StageInput& in) const {
  const Launch& launch = run().launches.at(0);
  const ViewInfo *input = launch.view(0), *output = launch.view(1), *tile = nullptr;
  if (!input || !output) return;
  for (const ViewInfo& view : launch.views)
    if (view.space == Space::shared && view.shape.size() == 2) tile = &view;
  const Rect r = in.area;
  const float gap = 16, count = tile ? 3 : 2, side = std::min(r.h, (r.w - gap * (count - 1)) / count);
  const float step_x = (r.w - side) / (count - 1);
  const auto place = [&](int i) { return Rect{r.x + float(i) * step_x, r.y + (r.h - side) / 2, side, side}; };
  const Rect from = place(0), to = place(tile ? 2 : 1);
  draw_states(canvas, in.theme, from, *this, in.view.step, *input, true);
  if (tile) draw_states(canvas, in.theme, place(1), *this, in.view.step, *tile, false);
  draw_states(canvas, in.theme, to, *this, in.view.step, *output, false);
  for (int i = 0; i + 1 < int(count); ++i) {  // where the data go next
    const Rect a = place(i), b = place(i + 1);
    const float y = a.center().y, tip = 5;
    canvas.line({a.right() + 8, y}, {b.x - 8 - tip, y}, in.theme.dim, 1.5f);
    const Vec2 arrow[] = {{b.x - 8, y}, {b.x - 8 - 1.6f * tip, y - tip}, {b.x - 8 - 1.6f * tip, y + tip}};
    canvas.fill_polygon(arrow, in.theme.dim);
  }
}

}  // namespace lockstep
