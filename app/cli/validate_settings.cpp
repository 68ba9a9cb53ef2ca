#include "app/cli/validate_settings.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

namespace lockstep {
namespace {

// Fowler, Noll, Vo: FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

// Numbers that are the same with every standard library: its distributions are not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t end) { return std::size_t(random_() % end); }
  double fraction() { return double(random_() >> 11) / double(std::uint64_t{1} << 53); }
  // From min to max, by the logarithm of the distance from min.
  double between(double min, double max) { return min + std::expm1(fraction() * std::log1p(max - min)); }

 private:
  std::mt19937_64 random_;
};

bool has(const Parameter& p, const RungInfo& rung) {
  return p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung.slug) != p.rungs.end();
}

Value drawn_value(const LabInfo& lab, const RungInfo& rung, const Parameter& p, Draw& draw) {
  if (const auto choices = choices_in(lab, rung.slug, p); !choices.empty()) {
    const std::string& chosen = choices[draw.below(choices.size())];
    if (p.type == "int") return std::int64_t(std::stoll(chosen));
    return chosen;
  }
  if (p.type == "float") return draw.between(p.min, p.max);
  if (p.type == "int") return std::int64_t(std::llround(draw.between(p.min, p.max)));
  return p.default_value;
}

Result<Params> drawn_params(const LabInfo& lab, const RungInfo& rung, Draw& draw) {
  auto params = complete_params(lab, rung.slug, {});
  if (!params) return params;
  for (const Parameter& p : lab.parameters)
    if (has(p, rung) && !p.model_only) (*params)[p.name] = drawn_value(lab, rung, p, draw);
  if (const auto sets = lab.sets.find(rung.slug); sets != lab.sets.end() && !sets->second.empty())
    for (const auto& [name, value] : sets->second[draw.below(sets->second.size())]) (*params)[name] = value;
  return complete_params(lab, rung.slug, snapped(lab, rung.slug, *params));
}

bool small_enough(const Ladder& ladder, const RungInfo& rung, const Params& params) {
  std::uint64_t bytes = 0;
  for (const BufferSpec& spec : ladder.buffers(params, rung.slug)) bytes += spec.bytes();
  if (bytes > kMaxDrawnBytes) return false;
  // A block of a problem as large as that takes too long to be a sample.
  if (ladder.flops && ladder.flops(params, rung.slug) > kMaxDrawnFlops) return false;
  simt::ProblemBuffers buffers(ladder, params, rung.slug);
  simt::EmulationOptions first_block;
  first_block.machine.blocks = {0};
  first_block.fold = false;
  const auto sample = simt::emulate(ladder, rung.file, params, buffers.spans(), first_block);
  if (!sample.refused.empty() || sample.launches.empty() || sample.launches.size() > kMaxDrawnLaunches)
    return false;
  double accesses = 0;
  for (const Launch& launch : sample.launches)
    accesses += double(sample.accesses) / double(sample.launches.size()) * double(launch.blocks());
  return accesses <= kMaxDrawnAccesses;
}

}  // namespace

std::vector<Params> drawn_settings(const Ladder& ladder, const RungInfo& rung, int count, std::uint64_t seed,
                                   const std::vector<Params>& taken) {
  constexpr int kTries = 300;
  Draw draw(hash_of(rung.file, seed));
  std::vector<Params> found;
  const auto is_new = [&](const Params& params) {
    return std::find(taken.begin(), taken.end(), params) == taken.end() &&
           std::find(found.begin(), found.end(), params) == found.end();
  };
  for (int i = 0; i < kTries && int(found.size()) < count; ++i)
    if (auto params = drawn_params(ladder.info, rung, draw);
        params && is_new(*params) && small_enough(ladder, rung, *params))
      found.push_back(std::move(*params));
  return found;
}

}  // namespace lockstep
