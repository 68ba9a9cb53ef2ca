// What was measured of kernels/scheduler, setting by setting.
#include <cstdlib>

#include "scheduler.hpp"

namespace lockstep {

const char* const kRecordedChains = "recorded: NVIDIA H200, 2026-11-22";
const char* const kModelError = "modelled, error 3 %";

const std::vector<RecordedChain>& recorded_chains() {
  static const std::vector<RecordedChain> all{
#include "assets/recordings/h200/scheduler_grid.inl"
  };
  return all;
}

const RecordedChain* recorded_chain(const ChainSetting& s) {
  for (const RecordedChain& r : recorded_chains())
    if (r.warps == s.warps && r.ilp == s.ilp && r.fma_per_load == s.fma_per_load &&
        r.barrier_every == s.barrier_every)
      return &r;
  return nullptr;
}

std::vector<std::vector<int>> read_starts(const std::string& text) {
  constexpr std::size_t kMostWarps = 64, kMostStarts = 64;
  std::vector<std::vector<int>> warps(1);
  for (const char* at = text.c_str(); *at;) {
    char* end = nullptr;
    const long cycle = std::strtol(at, &end, 10);
    if (end == at || cycle < 0 || cycle > 1 << 24 || (*end != ',' && *end != ';')) return {};
    warps.back().push_back(int(cycle));
    if (warps.back().size() > kMostStarts || warps.size() > kMostWarps + 1) return {};
    if (*end == ';') warps.emplace_back();
    at = end + 1;
  }
  warps.pop_back();
  return warps;
}

}  // namespace lockstep
