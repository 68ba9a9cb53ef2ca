// The threads of a block as the hardware holds them: warps of 32 lanes. A lane works, is masked, or has no
// thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

enum class LaneState : std::uint8_t { absent, masked, working };

struct WarpGrid {
  std::string id, title, subtitle;
  std::vector<LaneState> lanes;  // 32 per warp
  int followed_warp = -1;
  std::optional<int> picked;  // warp * 32 + lane
  int warps() const { return int(lanes.size()) / 32; }
};

struct WarpGridHit {
  std::optional<int> lane;  // warp * 32 + lane
  bool clicked = false;
};
// The height of r that it takes at most.
float warp_grid_height(const Theme& theme, int warps);
// Where a lane (warp * 32 + lane) stands.
Rect warp_lane_rect(const Canvas& canvas, const Theme& theme, Rect r, const WarpGrid& grid, int lane);
WarpGridHit draw_warp_grid(Canvas& canvas, const Theme& theme, Rect r, const WarpGrid& grid);

}  // namespace lockstep
