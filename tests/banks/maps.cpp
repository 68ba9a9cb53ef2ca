#include "maps.hpp"

#include <random>

namespace bank_maps {
namespace {

using Random = std::mt19937;

std::uint32_t below(Random& random, std::uint32_t n) { return std::uint32_t(random()) % n; }

std::uint32_t some_mask(Random& random) {
  switch (below(random, 4)) {
    case 0:
      return ~0u >> below(random, 32);
    case 1:
      return std::uint32_t(random()) | 1u << below(random, 32);
    default:
      return ~0u;
  }
}

Map some_map(Random& random, int kind, std::uint32_t elements) {
  Map map;
  const std::uint32_t crowd = 1 + below(random, 64), stride = below(random, 65), flip = below(random, 32);
  const std::uint32_t shared_by = 1u << below(random, 6), step = below(random, 9);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t& e = map.offset[lane];
    if (kind == 0) e = below(random, elements);
    if (kind == 1) e = below(random, crowd);
    if (kind == 2) e = lane * stride;
    if (kind == 3) e = (lane ^ flip) / shared_by * (1 + step);
    if (kind == 4) e = (lane & (shared_by - 1)) * stride + lane / 16 * below(random, 2) * 32;
    e %= elements;
  }
  if (kind == 5)
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      map.offset[lane] = lane % 2 && below(random, 8) ? map.offset[lane - 1] : below(random, elements);
  map.lanes = some_mask(random);
  return map;
}

}  // namespace

std::vector<Map> random_maps(int width) {
  Random random(20261121u + std::uint32_t(width));
  const std::uint32_t elements = 32768u / std::uint32_t(width);
  std::vector<Map> maps;
  for (int k = 0; k < kMaps; ++k) {
    maps.push_back(some_map(random, k % 6, elements));
    for (auto& offset : maps.back().offset) offset *= std::uint32_t(width);
  }
  return maps;
}

std::vector<Map> strided_maps(int width) {
  const std::uint32_t words = std::uint32_t(width) / 4;
  std::vector<Map> maps;
  for (std::uint32_t stride = 0; stride <= 64; stride += words)
    for (std::uint32_t offset = 0; offset <= 64; offset += words) {
      Map map;
      for (std::uint32_t lane = 0; lane < 32; ++lane) map.offset[lane] = 4 * (offset + lane * stride);
      maps.push_back(map);
    }
  return maps;
}

char digit_of(int wavefronts) {
  return wavefronts < 0 || wavefronts > 35 ? '?' : "0123456789abcdefghijklmnopqrstuvwxyz"[wavefronts];
}
int wavefronts_of(char digit) { return digit >= 'a' ? digit - 'a' + 10 : digit - '0'; }

}  // namespace bank_maps
