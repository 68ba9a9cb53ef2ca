// What the recordings say of all rungs of a ladder: throughput over the size of the problem.
#pragma once
#include <map>
#include <string>

#include "lab.hpp"

namespace lockstep {

// A recorded curve over n; nullptr where none is.
const std::map<std::int64_t, double>* curve_over_n(const Run& run, const std::string& rung,
                                                   const char* quantity);
// Whether any rung of the run's lab has a curve "gb_per_s" to draw.
bool has_rate_curves(const Run& run);
// This rung's, before the palest ones of all others.
void draw_rate_curves(Canvas& canvas, const Theme& theme, Rect r, const Run& run);

}  // namespace lockstep
