// Which lane holds what in a warp's matrix product: A on the left, B above, C in the corner, each cell with
// its lane and in the tint of its register; and ldmatrix, which brings the fragments from shared memory.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "app/model/fragments.hpp"
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct FragmentPicture {
  std::string id;
  std::string title;
  std::optional<int> pinned;  // a lane whose elements stay lit
};
struct FragmentHit {
  struct Cell {
    Fragment matrix = Fragment::a;
    MatrixIndex element;
    FragmentSlot slot;
  };
  std::optional<Cell> hovered;
  bool clicked = false;
};
FragmentHit draw_fragments(Canvas& canvas, const Theme& theme, Rect r, const FragmentPicture& picture);

struct LdmatrixPicture {
  std::string id;
  std::string title;
  int matrices = 4;                           // 1, 2 or 4
  bool transposed = false;                    // .trans
  std::array<std::uint32_t, 32> row_bytes{};  // in shared memory, as lane 0, 1, ... gives them
  std::optional<int> pinned;                  // a lane
};
struct LdmatrixHit {
  struct Cell {
    int matrix = 0;
    MatrixIndex element;
    FragmentSlot slot;  // where it arrives
  };
  std::optional<Cell> hovered;
  bool clicked = false;
};
LdmatrixHit draw_ldmatrix(Canvas& canvas, const Theme& theme, Rect r, const LdmatrixPicture& picture);

}  // namespace lockstep
