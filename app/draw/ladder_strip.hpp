// A ladder's rungs side by side: each with its name, its time as a bar, and what it adds.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/model/provenance.hpp"
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct LadderCell {
  std::string id;               // of its hit area
  std::string name, idea;       // "padded", "one column more per row, and no two lanes share a bank"
  std::string adds;             // the idea in a few words: "+ one column per row"
  double ms = 0;                // its time; 0 = none
  std::string no_time;          // in place of a time: why there is none
  std::string cannot_run;       // why it cannot be chosen; "" = it can
  bool first_of_group = false;  // of another type than the rung before: a gap stands between
};

struct LadderStrip {
  std::string title, about;  // "THE LADDER", "n = 16,384 on an H200, log scale"
  std::string timed_at;      // the same without the scale of the bars, for a table
  std::optional<Provenance> provenance;
  std::vector<LadderCell> cells;
  int current = 0;
};

float ladder_strip_height(const Theme& theme, bool low);
// Bars are as long as the logarithm of their time, all of one scale. Where names do not fit the strip shows
// the current rung with its neighbours, and arrows to those beside them. `low`: without what each adds.
// Returns the rung that was clicked.
std::optional<int> draw_ladder_strip(Canvas& canvas, const Theme& theme, Rect r, const LadderStrip& strip,
                                     bool low);

// The same for paper, below each other and with nothing left out: as high as it says for this width.
float ladder_list_height(const Canvas& canvas, const Theme& theme, float width, const LadderStrip& strip);
void draw_ladder_list(Canvas& canvas, const Theme& theme, Rect r, const LadderStrip& strip);

}  // namespace lockstep
