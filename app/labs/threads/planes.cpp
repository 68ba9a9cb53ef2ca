#include "planes.hpp"

#include <algorithm>

#include "app/draw/block_plane.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

// Where a plane's cells stand in the problem. A 1-D problem is written in rows of `wrap` elements.
struct Window {
  std::int64_t wrap = 0;  // 0: a plane of the problem as it is
  Extent3 first;
  int cols = 0, rows = 0;
  Extent3 at(int row, int col) const {
    return wrap ? Extent3{(first.y + row) * wrap + col, 0, 0}
                : Extent3{first.x + col, first.y + row, first.z};
  }
};

// A block to a row where that can be read, else a round number of warps.
std::int64_t wrap_of(std::int64_t block) {
  return block < 16 ? 32 / block * block : block <= 64 ? block : 64;
}

// What the threads reach: the problem, and what stands beyond its edge.
Extent3 reached(const IndexMap& m) {
  const Extent3 all = m.threads();
  if (!m.grid_stride)
    return {std::max(all.x, m.problem.x), std::max(all.y, m.problem.y), std::max(all.z, m.problem.z)};
  return {(m.problem.x + all.x - 1) / all.x * all.x, 1, 1};
}

// The first of `shown` cells of `extent` so that `wanted` is among them: its block amid its neighbours, where
// that fits.
std::int64_t first_shown(std::int64_t extent, std::int64_t shown, std::int64_t wanted, std::int64_t block) {
  if (shown >= extent) return 0;
  const std::int64_t before = block <= shown ? (shown - block) / 2 / block * block : 0;
  const std::int64_t first = block <= shown ? wanted / block * block - before : wanted - shown / 2;
  return std::clamp<std::int64_t>(first, 0, extent - shown);
}

// The planes that are shown, in columns.
struct PlaneGrid {
  std::vector<Window> windows;
  int columns = 1;
};

constexpr float kLeastCell = 4;

Window window_of(const IndexMap& m, int dimensions, const Extent3& at, std::pair<int, int> room) {
  const Extent3 all = reached(m);
  Window w;
  if (dimensions == 1) {
    w.wrap = wrap_of(m.block.x);
    const std::int64_t rows = (all.x + w.wrap - 1) / w.wrap;
    w.cols = int(w.wrap), w.rows = int(std::min<std::int64_t>(rows, room.second));
    w.first.y = first_shown(rows, w.rows, at.x / w.wrap, 1);
    return w;
  }
  w.cols = int(std::min<std::int64_t>(all.x, room.first)),
  w.rows = int(std::min<std::int64_t>(all.y, room.second));
  w.first = {first_shown(all.x, w.cols, at.x, m.block.x), first_shown(all.y, w.rows, at.y, m.block.y), at.z};
  return w;
}

Rect cell_of_grid(Rect r, int columns, std::size_t count, std::size_t index, float gap) {
  const int rows = int((count + std::size_t(columns) - 1) / std::size_t(columns));
  const float w = (r.w + gap) / float(columns) - gap, h = (r.h + gap) / float(rows) - gap;
  return {r.x + float(int(index) % columns) * (w + gap), r.y + float(int(index) / columns) * (h + gap), w, h};
}

// As many slices as have room with cells that can be told apart, in the columns that make the cells largest.
PlaneGrid plane_grid(const Theme& theme, Rect r, const IndexMap& m, int dimensions, const Extent3& at) {
  constexpr std::int64_t kMostSlices = 12;
  const std::int64_t slices = dimensions == 3 ? reached(m).z : 1;
  const int digits = dimensions == 3 ? 2 : 10;  // of the labels: "blockIdx.y"
  PlaneGrid grid;
  for (std::int64_t count = std::min(slices, kMostSlices); count >= 1; --count) {
    float best = 0;
    for (int columns = 1; columns <= int(count); ++columns) {
      const Rect cell = cell_of_grid(r, columns, std::size_t(count), 0, 14 * theme.type);
      const auto [cols, rows] = block_plane_room(theme, cell, 1, digits);
      const Extent3 all = reached(m);
      const float side = std::min(float(cols) / float(all.x), float(rows) / float(all.y));
      if (side > best) best = side, grid.columns = columns;
    }
    if (best < kLeastCell * theme.type && count > 1) continue;
    const Rect cell = cell_of_grid(r, grid.columns, std::size_t(count), 0, 14 * theme.type);
    Window w = window_of(m, dimensions, at, block_plane_room(theme, cell, kLeastCell * theme.type, digits));
    const std::int64_t first = first_shown(slices, count, at.z, 1);
    for (std::int64_t s = 0; s < count; ++s) {
      if (dimensions == 3) w.first.z = first + s;
      grid.windows.push_back(w);
    }
    return grid;
  }
  return grid;
}

PlaneCell cell_state(const ThreadsScene& scene, const Extent3& e, std::int64_t block,
                     const std::vector<std::int64_t>& now) {
  const IndexMap& m = scene.map;
  if (m.grid_stride && e.x >= reached(m).x) return {};
  const auto thread = m.thread_of(e);
  if (!thread) return {};
  PlaneCell cell;
  cell.block = m.grid.linear(thread->block);
  if (cell.block == block) cell.warp = std::int32_t(m.warp_of(*thread));
  cell.beyond = !m.problem.holds(e);
  cell.now = !cell.beyond && std::binary_search(now.begin(), now.end(), m.problem.linear(e));
  return cell;
}

// A label in the middle of each block that is in sight.
std::vector<PlaneLabel> block_labels(std::int64_t first, std::int64_t shown, std::int64_t block,
                                     std::int64_t blocks) {
  std::vector<PlaneLabel> labels;
  for (std::int64_t b = first / block; b < blocks && b * block < first + shown; ++b) {
    const std::int64_t from = std::max(first, b * block), to = std::min(first + shown, (b + 1) * block);
    labels.push_back({float(from + to) / 2 - float(first), number_text(b)});
  }
  return labels;
}

void label_rows(BlockPlane& p, const IndexMap& m, const Window& w) {
  const bool block_to_row = w.wrap == m.block.x;
  p.top_name = block_to_row ? tr("a row: the {0} threads of a block", {number_text(m.block.x)})
                            : tr("{0} elements to a row", {number_text(w.wrap)});
  for (int row = 0; row < w.rows; ++row) {
    const std::int64_t line = w.first.y + row;
    const std::int64_t block = m.grid_stride ? line % m.grid.x : line;
    p.left.push_back({float(row) + 0.5f,
                      block_to_row ? tr("block {0}", {number_text(block)}) : number_text(line * w.wrap)});
  }
}

void label_plane(BlockPlane& p, const ThreadsScene& scene, const Window& w) {
  const IndexMap& m = scene.map;
  if (w.wrap) return label_rows(p, m, w);
  p.top = block_labels(w.first.x, w.cols, m.block.x, m.grid.x);
  p.left = block_labels(w.first.y, w.rows, m.block.y, m.grid.y);
  if (scene.dimensions == 3) {
    p.top_name = tr("slice {0}", {number_text(w.first.z)});
    return;
  }
  p.top_name = "blockIdx.x", p.left_name = "blockIdx.y";
}

BlockPlane plane_of(const ThreadsScene& scene, const LabView& view, const Pick& pick, const Window& w,
                    std::size_t index) {
  BlockPlane p;
  p.id = "stage/plane" + number_text(std::int64_t(index));
  p.cols = w.cols, p.rows = w.rows;
  const auto now = scene.elements_of_step(view.step);
  p.square = w.wrap == 0;
  const std::int64_t block = scene.map.grid.linear(pick.thread.block);
  const Extent3 wanted = pick.element.value_or(scene.map.first_of(pick.thread));
  for (int row = 0; row < w.rows; ++row)
    for (int col = 0; col < w.cols; ++col) {
      const Extent3 e = w.at(row, col);
      p.cells.push_back(cell_state(scene, e, block, now));
      if (e == wanted)
        p.picked = std::pair{row, col};
      else if (pick.element && !p.cells.back().beyond && scene.map.thread_of(e) == pick.thread)
        p.also_picked.push_back({row, col});
    }
  p.followed_warp = std::int32_t(scene.map.warp_of(pick.thread));
  label_plane(p, scene, w);
  return p;
}

std::string whole_text(const ThreadsScene& scene) {
  const Extent3& e = scene.map.problem;
  if (scene.dimensions == 1) return tr("out: {0} elements", {grouped(e.x)});
  if (scene.dimensions == 2) return tr("out: {0} rows of {1}", {grouped(e.y), grouped(e.x)});
  return tr("out: {0} slices of {1} rows of {2}", {grouped(e.z), grouped(e.y), grouped(e.x)});
}

// What is in sight of it is said where that is not all.
std::string problem_text(const ThreadsScene& scene, const PlaneGrid& grid) {
  const Extent3 all = reached(scene.map);
  const Window& first = grid.windows.front();
  const bool rows =
      first.wrap ? std::int64_t(first.rows) * first.wrap < all.x : first.cols < all.x || first.rows < all.y;
  const bool part = rows || (scene.dimensions == 3 && std::int64_t(grid.windows.size()) < all.z);
  return part ? tr("{0}, a part of it in sight", {whole_text(scene)}) : whole_text(scene);
}

}  // namespace

ProblemHit draw_problem(Canvas& canvas, const StageInput& in, Rect r, const ThreadsScene& scene,
                        const Pick& pick) {
  const Theme& theme = in.theme;
  const float type = theme.type, head = 20 * type;
  const PlaneColors colors = plane_colors(theme);
  const std::vector<LegendItem> legend{{tr("other blocks"), colors.other_odd},
                                       {tr("this block, warp by warp"), colors.block_odd},
                                       {tr("this step"), colors.now},
                                       {tr("picked"), color::current},
                                       {tr("beyond the edge"), theme.soft}};
  constexpr float kLegendFrom = 190;  // px: below that the cells take all the height
  const float legend_h = r.h < kLegendFrom * type ? 0 : legend_height(canvas, theme, r.w, legend);
  if (legend_h > 0) draw_legend(canvas, theme, {r.x, r.bottom() - legend_h, r.w, legend_h}, legend);
  const Rect room{r.x, r.y + head, r.w, r.h - head - legend_h - 6 * type};
  const Extent3 at = pick.element.value_or(scene.map.first_of(pick.thread));
  const PlaneGrid grid = plane_grid(theme, room, scene.map, scene.dimensions, at);
  canvas.text_fit({r.x, r.y + 8 * type}, problem_text(scene, grid),
                  {Font::words_semibold, 13.5f * type, theme.ink}, r.w);
  ProblemHit hit;
  for (std::size_t i = 0; i < grid.windows.size(); ++i) {
    const Window& w = grid.windows[i];
    const Rect area = cell_of_grid(room, grid.columns, grid.windows.size(), i, 14 * type);
    const BlockPlane plane = plane_of(scene, in.view, pick, w, i);
    const PlaneHit on = draw_block_plane(canvas, theme, area, plane);
    if (on.cell) hit.element = w.at(on.cell->first, on.cell->second), hit.clicked = on.clicked;
    for (int c = 0; c < int(plane.cells.size()); ++c)
      if (plane.cells[std::size_t(c)].now)
        hit.of_step[scene.map.problem.linear(w.at(c / w.cols, c % w.cols))] =
            plane_cell_rect(canvas, theme, area, plane, c / w.cols, c % w.cols).center();
  }
  return hit;
}

}  // namespace lockstep
