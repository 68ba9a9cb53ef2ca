// Amounts as bars from zero, one below the other, each with its name and figure: what several ways cost.
#pragma once
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct AmountBar {
  std::string name, figure;
  double amount = 0;
  bool current = false;  // in full colour, its name in ink
};
struct AmountBars {
  std::string title, about;
  std::string provenance;  // the words of its badge; "" for none
  std::vector<AmountBar> bars;
  Color color;
};
float amount_bars_height(const Theme& theme, std::size_t bars);
void draw_amount_bars(Canvas& canvas, const Theme& theme, Rect r, const AmountBars& picture);

}  // namespace lockstep
