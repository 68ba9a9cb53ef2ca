#include "compulsory.hpp"

#include <algorithm>

#include "touched_sectors.hpp"

namespace lockstep {

CompulsoryTraffic::CompulsoryTraffic(const AccessAxis& axis) {
  TouchedSectors touched;
  const auto bytes = [](std::uint64_t sectors) {
    return std::int64_t(sectors) * std::int64_t(CacheShape::kSectorBytes);
  };
  until_.reserve(axis.steps.size());
  for (int s = 0; s < int(axis.steps.size()); ++s) {
    for (const Step& part : axis.parts_of(s))
      if (!part.barrier) touched.add(part.instruction);
    until_.push_back({bytes(touched.loaded()), bytes(touched.stored())});
  }
}

CompulsoryBytes CompulsoryTraffic::until(int step) const {
  if (step < 0 || until_.empty()) return {};
  return until_[std::min(std::size_t(step), until_.size() - 1)];
}

CompulsoryBytes CompulsoryTraffic::of(int step) const {
  const CompulsoryBytes now = until(step), before = until(step - 1);
  return {now.load - before.load, now.store - before.store};
}

}  // namespace lockstep
