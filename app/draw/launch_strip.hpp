// The launches of a program side by side, where a lab has its ladder: kernel and grid, what they cost, and
// what is wrong with them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct LaunchCell {
  std::string id;
  std::string name;   // "histogram<<<64, 256>>>"
  std::string costs;  // "2,048 sectors · 512 wavefronts"
  std::string wrong;  // "1 finding", in the colour of trouble; "" for nothing
  std::string hint;
  std::string number{};  // "30", where there are so many that names do not tell them apart
};

float launch_strip_height(const Theme& theme);
// As many as have room, the current one among them, with arrows to the others. Returns the one that was
// clicked.
std::optional<int> draw_launch_strip(Canvas& canvas, const Theme& theme, Rect r,
                                     const std::vector<LaunchCell>& cells, int current);

}  // namespace lockstep
