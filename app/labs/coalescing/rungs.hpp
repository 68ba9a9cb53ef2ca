// All rungs of the ladder beside each other: what one load of a warp asks for in each, and what came of it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/draw/theme.hpp"
#include "app/model/run.hpp"

namespace lockstep {

// One load of a warp: at the run's settings in its own rung, at the defaults in the others.
struct RungCost {
  int number = 1;  // as the rungs are counted in the window
  std::string slug, idea;
  double sectors = 0;              // on average over the warps
  double fewest = 0;               // in which as many bytes side by side lie
  bool here = false;               // this run's
  std::optional<double> gb_per_s;  // recorded
};
std::vector<RungCost> rung_costs(const Run& run);

// A table: each rung with its sectors, and the throughput where it was recorded.
float rungs_height(const Theme& theme, std::size_t count);
// `recorded`: whose word the throughput is.
void draw_rungs(Canvas& canvas, const Theme& theme, Rect r, const std::vector<RungCost>& costs,
                const std::string& recorded);

}  // namespace lockstep
