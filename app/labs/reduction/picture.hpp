// The tree of a reduction: a row for each round, a place in it for each thread of the block, and a line for
// each addition.
#pragma once
#include <string>
#include <vector>

#include "scene.hpp"

namespace lockstep {

// Places of one row, as they lie between x = 0 and 1.
struct TreeRow {
  const Round* round = nullptr;
  std::string label;  // "s = 8"
};

// The rows of a tree that say something, top first: the first one loads.
std::vector<TreeRow> tree_rows(const Tree& tree);
// Those at work in this step, and with them the ones that are done: first to last; last is -1 before all.
struct RowsNow {
  int first = 0, last = -1;
};
RowsNow rows_now(const std::vector<TreeRow>& rows, int step);

// The columns right of the tree: what a round costs.
struct TreeColumns {
  float adds = 0, warps = 0, wavefronts = 0;  // widths; 0: not there
  float width() const { return adds + warps + wavefronts; }
};

// Lines and places alone, without words: rows from the top of r. `now`: the rows at work, of which `motion`
// is done; those below them are still to come.
void draw_tree(Canvas& canvas, const Theme& theme, Rect r, const std::vector<TreeRow>& rows,
               std::int64_t threads, RowsNow now, float motion);

}  // namespace lockstep
