#include "cache.hpp"

#include <algorithm>

namespace lockstep {

CacheModel::CacheModel(CacheShape shape)
    : ways_(shape.ways),
      sets_(std::max<std::uint64_t>(1, shape.bytes / CacheShape::kLineBytes / shape.ways)),
      lines_(sets_ * ways_) {}

// The line with this tag, or the least recently used one of its set, emptied. Sets are chosen by a hash of
// the line number (multiplicative, Knuth), so that power-of-two strides spread as they do on the hardware.
CacheModel::Line& CacheModel::find(std::uint64_t tag) {
  const std::uint64_t set = (tag * 0x9E3779B97F4A7C15ull >> 20) % sets_;
  Line* const first = &lines_[set * ways_];
  Line* oldest = first;
  for (Line* line = first; line != first + ways_; ++line) {
    if (line->tag == tag) return *line;
    if (line->tag == 0 || (oldest->tag != 0 && line->used < oldest->used)) oldest = line;
  }
  *oldest = {tag, 0, 0, 0};
  return *oldest;
}

bool CacheModel::touch(std::uint32_t buffer, std::uint32_t sector, bool store) {
  constexpr std::uint32_t per_line = CacheShape::kLineBytes / CacheShape::kSectorBytes;
  Line& line = find((std::uint64_t{buffer} << 32 | sector / per_line) + 1);
  line.used = ++clock_;
  const std::uint8_t bit = std::uint8_t(1u << sector % per_line);
  std::uint8_t& state = store ? line.dirty : line.valid;
  const bool known = (store ? line.dirty : line.valid | line.dirty) & bit;
  state |= bit;
  if (!known) ++(store ? dirtied_ : fetched_);
  return !known;
}

}  // namespace lockstep
