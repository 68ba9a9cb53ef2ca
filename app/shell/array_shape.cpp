// How an array stands where nobody has said it: what the indexing of a block tells of its rows.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "program_scene.hpp"

namespace lockstep {
namespace {

constexpr std::uint64_t kLeastColumns = 8;  // less is a stride

// The distance from run to run of neighbours that most have, where all others are multiples of it (the planes
// of a volume are); 0 where there is none.
std::uint64_t distance_of_runs(const std::set<std::uint64_t>& elements) {
  std::map<std::uint64_t, int> distances;
  std::optional<std::uint64_t> run, before;
  for (const std::uint64_t e : elements) {
    if (!before || e != *before + 1) {
      if (run) ++distances[e - *run];
      run = e;
    }
    before = e;
  }
  if (distances.empty()) return 0;
  const auto most = std::max_element(distances.begin(), distances.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::uint64_t distance = most->first;
  const bool rows = std::all_of(distances.begin(), distances.end(),
                                [&](const auto& one) { return one.first % distance == 0; });
  return rows ? distance : 0;
}

}  // namespace

std::uint64_t guess_columns(const MemoryAxis& steps, const ViewInfo& view) {
  if (view.element_bytes == 0) return 0;
  std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>, std::set<std::uint64_t>> instructions;
  for (const Step& step : steps.steps) {
    const WarpInstruction& i = step.instruction;
    if (step.barrier || i.view != view.id) continue;
    auto& elements = instructions[{std::uint16_t(i.file), std::uint32_t(i.line), std::uint32_t(i.visit)}];
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (i.lanes >> lane & 1) elements.insert(i.offset[lane] / view.element_bytes);
  }
  std::map<std::uint64_t, int> votes;
  for (const auto& [place, elements] : instructions)
    if (const std::uint64_t distance = distance_of_runs(elements); distance >= kLeastColumns)
      ++votes[distance];
  const std::uint64_t n = view.elements();
  std::uint64_t best = 0;
  int most = 0;
  for (const auto& [distance, count] : votes)
    if (count > most && distance * 2 <= n) best = distance, most = count;
  return best;
}

}  // namespace lockstep
