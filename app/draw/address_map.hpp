// Where the 32 lanes of one warp instruction go: lanes above, the sectors or the banks that they touch below.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct AddressPicture {
  std::string id;
  std::string title, subtitle;
  std::uint32_t lanes = 0;                 // active
  std::array<std::uint32_t, 32> offset{};  // bytes
  int width = 4;                           // bytes a lane
  bool shared = false;                     // banks below, else sectors
  bool one_by_one = false;                 // lanes that want the same word take turns too: atomics
  int wanted = 1;                          // words per bank that this width takes without a conflict
  std::array<int, 32> turn{};              // the wavefront or sector, in their order, that serves each lane
  int turns = 1;
  bool loads = true;  // words come from below
  float motion = 1;   // how far the words have come
};

// Returns the lane under the pointer.
std::optional<int> draw_addresses(Canvas& canvas, const Theme& theme, Rect r, const AddressPicture& picture);

}  // namespace lockstep
