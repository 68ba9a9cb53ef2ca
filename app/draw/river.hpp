// The river: the memory levels as a path from HBM to the arithmetic, with bands as thick as the bytes that
// went.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct RiverPlace {
  std::string name;  // "L2"
  Color color;
  std::string note;  // one short line in its box
};

// Where a band's bytes come from: a count, a model's figure, or a count that the bytes do not go below
// (above).
enum class RiverFigure : std::uint8_t { counted, modelled, at_least, at_most };

// Between two places, from the left one to the right one and back; bytes so far and those of this step. A
// band that skips places runs above their boxes.
struct RiverBand {
  int from = 0, to = 0;
  std::int64_t in = 0, out = 0;  // `in` goes to the right, towards the registers
  std::int64_t in_now = 0, out_now = 0;
  RiverFigure figure = RiverFigure::counted;
  Color color;
  std::string hint;  // what else is said of it, "" for nothing
};

struct River {
  std::string title, about;
  std::vector<RiverPlace> places;  // left to right
  std::vector<RiverBand> bands;
};

// Thickness is the logarithm of the bytes: 2 px for a sector, 3 px more for each factor of four, at most 26.
float river_thickness(std::int64_t bytes, float type);
constexpr float kRiverHeight = 132;  // at type size 1; below it the notes and the back of the boxes go
// Whether every name and amount can be read at this width: else the picture does without a river.
bool river_fits(const Canvas& canvas, const Theme& theme, float width, const River& river);
// motion 0 .. 1: how far this step's squares have come.
void draw_river(Canvas& canvas, const Theme& theme, Rect r, const River& river, float motion);

}  // namespace lockstep
