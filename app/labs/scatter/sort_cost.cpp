#include "sort_cost.hpp"

#include <algorithm>
#include <bit>

#include "app/devices/gpus.hpp"

namespace lockstep {

int sort_passes(std::int64_t nodes) {
  constexpr int kDigitBits = 8;
  const int bits = std::bit_width(std::uint64_t(std::max<std::int64_t>(1, nodes - 1)));
  return (bits + kDigitBits - 1) / kDigitBits;
}

SortCost sort_cost(const Run& run, double edges, std::int64_t nodes) {
  constexpr double kEdgeBytes = 4 + 4;
  SortCost cost{sort_passes(nodes), 0, "", 0};
  cost.bytes = 2 * kEdgeBytes * edges * cost.passes;
  const Gpu* gpu = find_gpu(provenance_of(run, "time").device);
  if (!gpu) gpu = find_gpu(run.device.name);
  if (gpu) cost.device = gpu->word, cost.ms = cost.bytes / gpu->memory_bandwidth * 1e3;
  return cost;
}

}  // namespace lockstep
