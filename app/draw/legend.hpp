// What the colours of a picture mean, in one or more rows; and a card of facts about one thing.
#pragma once
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct LegendItem {
  std::string label;
  Color color;
  bool outline = false;  // a frame, else a filled square
};
float legend_height(const Canvas& canvas, const Theme& theme, float width,
                    const std::vector<LegendItem>& items);
void draw_legend(Canvas& canvas, const Theme& theme, Rect r, const std::vector<LegendItem>& items);

struct Card {
  std::string title;
  std::vector<std::string> lines;
  std::string action;  // what a click does
};
// In the upper left corner of r, as wide and high as it needs; false, and nothing drawn, where it does not
// fit.
bool draw_card(Canvas& canvas, const Theme& theme, Rect r, const Card& card);

}  // namespace lockstep
