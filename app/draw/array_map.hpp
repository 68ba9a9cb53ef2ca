// An array as its elements lie: one cell each in a tint of its level's colour, as strong as its value, those
// of this step framed. What is too large for that shows several elements in a cell, and says so.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

constexpr std::uint8_t kMostStrength = 7;

struct ArrayPicture {
  std::string id;       // of its hit area and grid
  std::string title;    // "in"
  std::string about;    // "16,384 × unsigned, read"
  std::string brief{};  // the same where there is little room: "16,384"
  std::uint64_t elements = 0;
  std::uint64_t cols = 0;  // of a matrix; 0: a flat array, which goes on in rows of whole warps
  std::span<const std::uint8_t>
      strength;  // of each element, 0 (nothing known) to kMostStrength; may end early
  Color color;
  std::span<const std::uint64_t> now;  // elements of this step, ascending
  std::optional<std::uint64_t> pinned;
};

struct ArrayHit {
  std::optional<std::uint64_t> element;  // under the pointer, the first of its cell
  bool clicked = false, title_clicked = false;
};

// The height that it takes of at most `most`.
float array_map_height(const Theme& theme, float width, float most, const ArrayPicture& picture);
ArrayHit draw_array_map(Canvas& canvas, const Theme& theme, Rect r, const ArrayPicture& picture);

}  // namespace lockstep
