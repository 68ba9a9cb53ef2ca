// The tower: memory levels one above the other, with the bytes that crossed between them so far, and the
// step's bytes on their way.
#pragma once
#include <string>
#include <vector>

#include "canvas.hpp"
#include "matrix.hpp"
#include "theme.hpp"

namespace lockstep {

struct TowerLevel {
  std::string name;  // "L2"
  Color color;
  std::vector<std::string> lines;  // what stands in the box
  std::vector<CellState> cells;    // what this step uses of it, 16 in a row; empty: nothing is drawn
  std::string cells_are;           // "32 banks"
};

// Bytes between level `from` and level `to` (indexes into the levels, top first). A link that skips a level
// runs beside it.
struct TowerLink {
  int from = 0, to = 0;
  std::string down, up;                // "4.0 KB" towards the bottom and towards the top; "" for none
  bool modelled = false;               // a model's figure, not a count
  int moving_down = 0, moving_up = 0;  // squares on their way in this step
};

// motion 0 .. 1 is how far the moving squares have come.
void draw_tower(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                const std::vector<TowerLevel>& levels, const std::vector<TowerLink>& links, float motion);

}  // namespace lockstep
