// The tower: memory levels one above the other, with the bytes that crossed between them so far, and the
// step's bytes on their way.
#pragma once
#include <string>
#include <vector>

#include "canvas.hpp"
#include "matrix.hpp"
#include "theme.hpp"

namespace lockstep {

// A part of a level, as a row of cells with what it holds behind them: a buffer in shared memory.
struct TowerPart {
  int cells = 0, filled = 0;
  Color color;
  std::string text;          // "k = 8..15 in use"
  bool strong = true;        // in full colour, else as a tint
  std::string shorter = {};  // "in use": where there is no room for it
};

struct TowerLevel {
  std::string name;  // "L2"
  Color color;
  std::vector<std::string> lines;      // what stands in the box
  std::vector<CellState> cells = {};   // what this step uses of it, 16 in a row; empty: nothing is drawn
  std::string cells_are = {};          // "32 banks"
  std::string figure = {}, unit = {};  // beside the name, at the right edge; the unit where there is room
  std::vector<TowerPart> parts = {};
  float weight = 1;       // its share of the height
  std::string hint = {};  // what the figure means
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

// Where draw_tower() puts a level's box.
Rect tower_level(const Theme& theme, Rect r, const std::vector<TowerLevel>& levels,
                 const std::vector<TowerLink>& links, int level);

// The same as a table, one row per level: its name, the bytes that it gave upwards, its figure. For where
// there is no room for the tower.
void draw_tower_table(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                      const std::vector<TowerLevel>& levels, const std::vector<TowerLink>& links);
float tower_table_height(const Theme& theme, std::size_t levels);

}  // namespace lockstep
