// A matrix, or the part of it that a block works on: cells in a colour per state, row and column numbers, the
// whole matrix small beside it with the part marked. Plain data in, an element under the pointer out.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/model/progress.hpp"
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

// What a cell shows. Values index the widget's palette.
// held: a register holds what is bound for this cell.
enum class CellState : std::uint8_t {
  absent,
  untouched,
  done,
  reads_now,
  writes_now,
  padding,
  trouble,
  held
};
constexpr float kCellsBelow = 58;  // a picture's cells begin so far below its top, at type size 1

struct MatrixPicture {
  std::string id;                   // "stage/in": hit areas and the grid's key
  std::string title;                // "in"
  std::string subtitle;             // "128 × 128 floats"
  std::int64_t rows = 0, cols = 0;  // the whole matrix
  std::int64_t first_row = 0, first_col = 0, shown_rows = 0, shown_cols = 0;
  std::vector<CellState> cells;         // shown_rows x shown_cols
  Color color;                          // of the level that holds the matrix
  std::optional<std::uint64_t> pinned;  // element of the whole matrix
  // Parts that come next, in their order: paler in the small picture, and a line leads from one to the other.
  // That picture is the landmark "order in NAME", of an id "stage/NAME".
  std::vector<Region> next;
};

struct MatrixHit {
  std::optional<std::uint64_t> hovered;  // element (row * cols + col) under the pointer
  bool clicked = false;
  bool in_overview = false;  // found in the small picture of the whole matrix
  Vec2 pointer;
};

// Draws into r (title line, then cells as large as fit, square). Returns what the pointer is on.
MatrixHit draw_matrix(Canvas& canvas, const Theme& theme, Rect r, const MatrixPicture& picture);
// Where element (row, col) of the shown part stands; empty if it is not shown.
std::optional<Rect> cell_rect(const Theme& theme, Rect r, const MatrixPicture& picture, std::int64_t row,
                              std::int64_t col);

// The palette for a level's colour: one colour per CellState.
std::vector<Color> cell_palette(const Theme& theme, Color level);

}  // namespace lockstep
