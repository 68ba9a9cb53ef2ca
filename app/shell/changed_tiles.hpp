// What of a frame looks other than in the frame before. The frame lies in tiles, and a tile has a hash of all
// that is drawn into it, in order: what is drawn elsewhere, before or behind, leaves it as it is.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

struct ImDrawData;

namespace lockstep {

// Whole pixels, y down; `right` and `bottom` are the first ones outside.
struct PixelBox {
  int left = 0, top = 0, right = 0, bottom = 0;
  bool empty() const { return right <= left || bottom <= top; }
  std::int64_t area() const { return empty() ? 0 : std::int64_t{right - left} * (bottom - top); }
  bool operator==(const PixelBox&) const = default;
};
PixelBox common(PixelBox a, PixelBox b);

class ChangedTiles {
 public:
  // Boxes around all that has changed since the frame before, none over another. The first frame, one of
  // another size and the one after forget() have changed everywhere. A callback that is not a grid's and a
  // texture that is not the font's may show other pixels each time.
  std::vector<PixelBox> update(const ImDrawData& frame);
  void forget() { hashes_.clear(); }

 private:
  PixelBox size_;
  std::uint64_t frames_ = 0;
  std::vector<std::uint64_t> hashes_;  // row after row
};

// Leaves of a frame what reaches into these boxes, and cuts it there.
void keep_within(ImDrawData& frame, std::span<const PixelBox> boxes);

}  // namespace lockstep
