// Words on their way from one picture to another: a curve each with a small square on it. Those of one turn
// (a wavefront, a sector) travel together, the turns one after the other.
#pragma once
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct Flight {
  Vec2 from, to;
  int turn = 0;
};

struct Flights {
  std::vector<Flight> all;
  int turns = 1;
  float top = 0;  // no curve rises above it
  Color color;
  bool paths_stay = true;  // a few of them, thin, once the words have arrived
};

// How far the words of a turn have come, 0 .. 1, when the step has come as far as `motion`.
float flight_progress(int turn, int turns, float motion);
// How many turns have arrived.
int turns_arrived(int turns, float motion);
// While they travel, the words under way.
void draw_flights(Canvas& canvas, const Flights& flights, float motion);

// A word that is `at` (0 .. 1) of the way down a curve that leaves and arrives upright: `bend` is the reach
// of its ends, as a part of the height.
void draw_falling_word(Canvas& canvas, Vec2 from, Vec2 to, float bend, float at, float side);

}  // namespace lockstep
