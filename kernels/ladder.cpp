#include "ladder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/model/embedded.hpp"
#include "app/model/source_hash.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_kernels[];
extern const int embedded_kernels_count;

// The one table, in the order of the menus: LADDER(x) is kernels/x/ladder.cpp.
#define LOCKSTEP_LADDERS(LADDER) \
  LADDER(banks)                  \
  LADDER(transpose)              \
  LADDER(scheduler)              \
  LADDER(occupancy)              \
  LADDER(gemm)                   \
  LADDER(softmax)                \
  LADDER(attention)              \
  LADDER(graphs)                 \
  LADDER(timing)                 \
  LADDER(micro)

#define LADDER(name) const Ladder& name##_ladder();
LOCKSTEP_LADDERS(LADDER)
#undef LADDER

const std::vector<const Ladder*>& ladders() {
#define LADDER(name) &name##_ladder(),
  static const std::vector<const Ladder*> all{LOCKSTEP_LADDERS(LADDER)};
#undef LADDER
  return all;
}

const Ladder* find_ladder(std::string_view slug) {
  for (const Ladder* ladder : ladders())
    if (ladder->info.slug == slug) return ladder;
  return nullptr;
}

std::vector<std::string> rung_names(std::span<const Ladder* const> ladders) {
  std::vector<std::string> names;
  for (const Ladder* ladder : ladders)
    for (const RungInfo& rung : ladder->info.rungs) names.push_back(ladder->info.slug + "/" + rung.slug);
  return names;
}

std::optional<RungName> rung_named(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return {};
  return RungName{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::int64_t int_param(const Params& params, const char* name) {
  return std::get<std::int64_t>(params.at(name));
}

double larger_error(double largest, double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
}

std::string_view kernel_source(std::string_view file) {
  for (int i = 0; i < embedded_kernels_count; ++i)
    if (embedded_kernels[i].name == file) return embedded_kernels[i].text;
  return {};
}

std::string source_hash(std::string_view file) { return source_hash_of(kernel_source(file)); }

}  // namespace lockstep
