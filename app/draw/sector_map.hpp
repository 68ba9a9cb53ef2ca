// One warp's access to global memory where it falls: every 128-byte line that it touches as a row of four
// sectors, the bytes that a lane uses marked at their place with the lane's number, and what is fetched along
// with them left pale.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct GlobalAccess {
  std::uint32_t lanes = 0;                 // active
  std::array<std::uint32_t, 32> offset{};  // bytes
  int width = 4;                           // bytes per lane
};

// A line of 128 bytes that an access touches.
struct TouchedLine {
  std::uint32_t first_byte = 0;
  std::array<std::uint32_t, 4> used{};  // of each sector of 32 bytes, a bit per byte; 0: not fetched
  int sectors() const;
};
// Ascending.
std::vector<TouchedLine> touched_lines(const GlobalAccess& access);

// What the access asks for, and the fewest sectors that as many different bytes could lie in.
struct SectorUse {
  int lines = 0, sectors = 0, fewest = 0;
  int used_bytes = 0;  // different ones
  int fetched_bytes() const { return sectors * 32; }
  double used() const { return sectors ? double(used_bytes) / fetched_bytes() : 0; }
};
SectorUse sector_use(const GlobalAccess& access);

struct SectorPicture {
  std::string id, title, subtitle;
  GlobalAccess access;
  std::optional<int> picked;  // lane
  bool loads = true;
  std::array<int, 32> turn{};  // of the sectors in their order, the one that serves each lane
  int turns = 1;
  float motion = 1;  // how far the words have come
};

struct SectorHit {
  std::optional<int> lane;  // under the pointer
  bool clicked = false;
};
SectorHit draw_sector_map(Canvas& canvas, const Theme& theme, Rect r, const SectorPicture& picture);

}  // namespace lockstep
