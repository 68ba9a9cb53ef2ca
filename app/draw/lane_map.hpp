// One warp's access to shared memory, wavefront by wavefront: lane x bank, the words in rows of 32 banks with
// an arrow from every lane, and the wavefronts as a strip.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct SharedAccess {
  std::string id;
  std::uint32_t lanes = 0;                   // active
  std::array<std::uint32_t, 32> offset{};    // bytes
  int width = 4;                             // bytes per lane
  std::array<std::uint8_t, 32> wavefront{};  // that serves each lane
  int wavefronts = 0, fewest = 0;            // taken; the fewest that width and lanes allow
  int now = 0;                               // the wavefront that this step plays
  bool store = false;
  float motion = 1;  // how far this wavefront's words have come
};

// The height of r that draw_lane_map takes.
float lane_map_height(const Theme& theme, Rect r);
// Each returns the lane under the pointer.
std::optional<int> draw_lane_map(Canvas& canvas, const Theme& theme, Rect r, const SharedAccess& access,
                                 std::string_view title, std::string_view subtitle);
std::optional<int> draw_bank_rows(Canvas& canvas, const Theme& theme, Rect r, const SharedAccess& access,
                                  std::string_view title, std::string_view subtitle);
// 32 or fewer boxes in a row; returns the wavefront that was clicked.
std::optional<int> draw_wavefronts(Canvas& canvas, const Theme& theme, Rect r, const SharedAccess& access);

}  // namespace lockstep
