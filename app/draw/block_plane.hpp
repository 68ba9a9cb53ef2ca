// A plane of elements cut into the blocks that compute them: borders where another block begins, the followed
// block's warps in turn, what stands beyond the edge struck through. Plain data in, the cell under the
// pointer out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct PlaneCell {
  std::int64_t block = -1;  // linear; -1: no thread comes here
  std::int32_t warp = -1;   // of the block that is looked at; -1 of others
  bool beyond = false;      // a thread stands here, and no element
  bool now = false;         // of this step
};

struct PlaneLabel {
  float at = 0;  // in cells, the middle of what it names
  std::string text;
};

struct BlockPlane {
  std::string id, title;
  int cols = 0, rows = 0;
  bool square = true;            // cells; else rows may be taller than columns are wide
  std::vector<PlaneCell> cells;  // rows x cols
  std::string top_name, left_name;
  std::vector<PlaneLabel> top, left;
  std::int32_t followed_warp = -1;
  std::optional<std::pair<int, int>> picked;     // row, col of an element
  std::vector<std::pair<int, int>> also_picked;  // the others of its thread
};

struct PlaneHit {
  std::optional<std::pair<int, int>> cell;  // row, col
  bool clicked = false;
};

// How many cells of at least `least` px there is room for beside labels of `digits` figures: columns, rows.
std::pair<int, int> block_plane_room(const Theme& theme, Rect r, float least, int digits);
Rect plane_cell_rect(const Canvas& canvas, const Theme& theme, Rect r, const BlockPlane& plane, int row,
                     int col);
PlaneHit draw_block_plane(Canvas& canvas, const Theme& theme, Rect r, const BlockPlane& plane);

// Colours for a legend: another block's element, the block's that is looked at, its followed warp's, this
// step's.
struct PlaneColors {
  Color other, other_odd, block, block_odd, warp, now;
};
PlaneColors plane_colors(const Theme& theme);

}  // namespace lockstep
