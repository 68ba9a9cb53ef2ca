#include "cache.hpp"

#include <bit>
#include <cmath>

#include "occupancy.hpp"

namespace lockstep {

Provenance cache_model_provenance(std::uint64_t input_bytes) {
  if (input_bytes < kCacheModelErrorFromBytes) return Provenance::modelled(Provenance::Basis::without_code);
  return Provenance::modelled_within(int(std::lround(kCacheModelError * 100)));
}
namespace {

constexpr std::uint32_t kWhole = 0xffffffffu;  // all 32 bytes of a sector

std::uint64_t tag_of(std::uint32_t buffer, std::uint32_t line) {
  return (std::uint64_t{buffer} << 32 | line) + 1;
}

// Of the L2: multiplicative (Knuth), so that power-of-two strides spread as they do on the hardware.
std::uint64_t l2_hash(std::uint64_t tag) { return tag * 0x9E3779B97F4A7C15ull >> 20; }
// Of the L1: neighbouring lines in neighbouring sets. An H200's L1 of 248 KB keeps 224 KB in one piece whole,
// which no scattering hash would do with so few ways.
std::uint64_t l1_hash(std::uint32_t buffer, std::uint32_t line) { return std::uint64_t{line} + buffer * 37u; }

// The sectors and their neighbours in the same 64 bytes.
unsigned in_pairs(unsigned sectors) {
  const unsigned first = (sectors | sectors >> 1) & 0b0101u;
  return first | first << 1;
}

}  // namespace

CacheShape l2_shape(const Gpu& gpu) { return {std::uint64_t(gpu.l2_bytes), gpu.l2_ways}; }

CacheShape l1_share(const Gpu& gpu, int threads, std::int64_t shared_bytes, std::int64_t blocks) {
  const int most = std::max(1, resident_blocks(gpu, {threads, 0, shared_bytes}).blocks);
  const std::int64_t wanted = most * allocated_shared_bytes(gpu, shared_bytes);
  const auto capacity =
      std::lower_bound(gpu.shared_capacities.begin(), gpu.shared_capacities.end() - 1, wanted);
  const std::int64_t resident =
      std::clamp<std::int64_t>((blocks + gpu.multiprocessors - 1) / gpu.multiprocessors, 1, most);
  return {std::uint64_t((gpu.l1_shared_bytes - *capacity) / resident), gpu.l1_ways};
}

int CacheModel::load(std::uint32_t buffer, std::uint32_t line_number, unsigned sectors) {
  if (in_host(buffer)) return 0;
  const std::uint64_t tag = tag_of(buffer, line_number);
  Line& line = lines_.find(tag, l2_hash(tag));
  const unsigned there = line.valid | line.dirty;
  const unsigned fetched = in_pairs(sectors & ~there) & ~there;
  line.valid |= std::uint8_t(sectors | fetched);
  fetched_ += std::uint64_t(std::popcount(fetched));
  return std::popcount(fetched);
}

int CacheModel::store(std::uint32_t buffer, std::uint32_t line_number, unsigned sectors) {
  if (in_host(buffer)) return 0;
  const std::uint64_t tag = tag_of(buffer, line_number);
  Line& line = lines_.find(tag, l2_hash(tag));
  const int clean = std::popcount(sectors & ~unsigned(line.dirty));
  line.dirty |= std::uint8_t(sectors);
  dirtied_ += std::uint64_t(clean);
  return clean;
}

unsigned L1Model::load(std::uint32_t buffer, std::uint32_t line_number, unsigned sectors) {
  Line& line = lines_.find(tag_of(buffer, line_number), l1_hash(buffer, line_number));
  unsigned missing = 0;
  for (unsigned s = 0; s < CacheShape::kSectors; ++s) {
    if (!(sectors >> s & 1) || line.bytes[s] == kWhole) continue;
    missing |= 1u << s;
    line.bytes[s] = kWhole;
  }
  return missing;
}

void L1Model::store(std::uint32_t buffer, std::uint32_t line_number,
                    const std::array<std::uint32_t, 4>& bytes) {
  Line& line = lines_.find(tag_of(buffer, line_number), l1_hash(buffer, line_number));
  for (std::size_t s = 0; s < bytes.size(); ++s) line.bytes[s] |= bytes[s];
}

void L1Model::forget(std::uint32_t buffer, std::uint32_t line_number, unsigned sectors) {
  Line& line = lines_.find(tag_of(buffer, line_number), l1_hash(buffer, line_number));
  for (unsigned s = 0; s < CacheShape::kSectors; ++s)
    if (sectors >> s & 1) line.bytes[s] = 0;
}

}  // namespace lockstep
