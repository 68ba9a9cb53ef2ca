// One row of numbers as bars over its columns, with the part that a step works on lit, and a line of steps
// over it; and a list of rows to choose from. Plain data in, the element or row under the pointer out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/model/fold.hpp"
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct RowBar {
  double value = 0;  // -infinity: no bar; NaN or +infinity: a full one in the colour of trouble
  Color color;
};

// A level over a stretch of columns.
struct RowLevel {
  Span cols;
  double value = 0;
};

// What stands beside the bars, at the height of a value.
struct RowLabel {
  std::string text;
  double value = 0;
  Color color;
};

struct RowBarsPicture {
  std::string id;               // "stage/scores"
  std::string title, subtitle;  // in one line
  std::vector<RowBar> bars;     // one per column
  std::int64_t columns = 0;     // where there are no bars
  std::vector<double> before;   // where the bars ended before this step; empty: not drawn
  double bottom = 0, top = 1;   // of the axis; top > bottom. Bars begin at 0, also those of negative values
  std::int64_t tile = 0;        // a line at every multiple of it; 0 = none
  Span now;                     // columns that this step works on
  std::vector<RowLevel> line;   // rising columns, no gaps
  Color line_color;
  std::vector<RowLabel> labels;  // at most two
  std::string empty;             // said where there are no bars to draw
  std::vector<double> ticks;     // written at the axis; empty: round values
};

struct RowHit {
  std::optional<std::int64_t> column;
  bool clicked = false;
};
// Of the part of a bar that this step took away.
Color row_before_color(const Theme& theme);
RowHit draw_row_bars(Canvas& canvas, const Theme& theme, Rect r, const RowBarsPicture& picture);
// Where draw_row_bars() puts these columns.
Rect row_bars_columns(const Theme& theme, Rect r, const RowBarsPicture& picture, Span columns);

// A share between 0 and 1 per stretch of columns, as a cell with its figure where there is room. Stands in
// line with draw_row_bars() over the same columns.
struct RowShare {
  Span cols;
  double value = 0;
  std::string text;
  bool strong = false;  // in full colour
  bool now = false;
};
struct RowSharesPicture {
  std::string id, title;
  std::int64_t columns = 0;
  std::vector<RowShare> shares;
  Color color;
};
float row_shares_height(const Theme& theme);
// The index of the share under the pointer.
std::optional<std::size_t> draw_row_shares(Canvas& canvas, const Theme& theme, Rect r,
                                           const RowSharesPicture& picture);

// Rows of a matrix, each as a strip of cells with a word behind it where there is something to say.
struct RowEntry {
  std::int64_t row = 0;
  std::vector<std::uint8_t> shades;       // kRowShades cells, 0 .. 255
  std::string trouble;                    // "NaN"; its cells are in the colour of trouble then
  bool followed = false, beside = false;  // beside: of the same block
};
constexpr int kRowShades = 48;
struct RowListPicture {
  std::string id, title, subtitle;
  std::string subtitle_on_paper;  // where nobody can click
  bool subtitle_is_trouble = false;
  std::vector<RowEntry> rows;
  Color color;
};
// How many rows there is room for.
int row_list_room(const Theme& theme, Rect r);
// The index of the entry under the pointer.
struct RowListHit {
  std::optional<std::size_t> entry;
  bool clicked = false;
};
RowListHit draw_row_list(Canvas& canvas, const Theme& theme, Rect r, const RowListPicture& picture);

// How often each of several kernels goes over its data: boxes, filled as far as they were counted.
struct PassCount {
  std::string name;
  int stated = 0;                 // boxes
  std::optional<double> counted;  // of this kernel so far; nothing for the others
  std::string figure;             // behind the boxes
};
float pass_counts_height(const Theme& theme, std::size_t rows);
void draw_pass_counts(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                      const std::string& subtitle, const std::vector<PassCount>& rows, Color color);

}  // namespace lockstep
