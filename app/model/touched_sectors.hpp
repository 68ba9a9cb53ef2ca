// Which sectors of global memory were touched, each counted once: so much has to come from HBM, and to go
// there, however large the L2 is.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "cache.hpp"
#include "fold.hpp"

namespace lockstep {

class TouchedSectors {
 public:
  void add(const WarpInstruction& i) {
    if (i.view >= kFirstSharedView || !moves_data(i.kind)) return;
    if (views_.size() <= i.view) views_.resize(std::size_t(i.view) + 1);
    View& view = views_[i.view];
    std::uint32_t last = ~0u;
    for (std::uint32_t lanes = i.lanes; lanes; lanes &= lanes - 1) {
      const std::uint32_t offset = i.offset[std::size_t(std::countr_zero(lanes))];
      for (std::uint32_t s = offset / kSectorBytes; s <= (offset + i.width - 1) / kSectorBytes; ++s)
        if (s != last) touch(view, last = s, i.kind);
    }
  }
  // Read before they were written to.
  std::uint64_t loaded() const { return loaded_; }
  std::uint64_t stored() const { return stored_; }

 private:
  struct View {
    std::vector<std::uint8_t> sectors;  // kLoaded | kStored
  };
  static constexpr std::uint32_t kSectorBytes = CacheShape::kSectorBytes;
  static constexpr std::uint8_t kLoaded = 1, kStored = 2;
  void touch(View& view, std::uint32_t sector, Kind kind) {
    if (view.sectors.size() <= sector) view.sectors.resize(std::size_t(sector) + 1);
    std::uint8_t& known = view.sectors[sector];
    if (reads(kind) && known == 0) known |= kLoaded, ++loaded_;
    if (writes(kind) && !(known & kStored)) known |= kStored, ++stored_;
  }
  std::vector<View> views_;  // by id
  std::uint64_t loaded_ = 0, stored_ = 0;
};

}  // namespace lockstep
