// Request -> ladder and rung, shared by the engines.
#pragma once
#include <cmath>

#include "app/model/cache.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {

struct RungRef {
  const Ladder* ladder = nullptr;
  const RungInfo* rung = nullptr;
  explicit operator bool() const { return rung != nullptr; }
};

inline RungRef find_rung(const Request& request) {
  const Ladder* ladder = find_ladder(request.lab);
  const int index = ladder ? ladder->info.rung_index(request.rung) : -1;
  return {ladder, index < 0 ? nullptr : &ladder->info.rungs[std::size_t(index)]};
}

// How far the L1 model's bytes of this rung may be from the counter's, as a share.
inline double l1_error(const Ladder& ladder, const std::string& rung) {
  const auto more = ladder.l1_errors.find(rung);
  return more == ladder.l1_errors.end() ? kL1ModelError : more->second;
}
inline Provenance l1_provenance(const Ladder& ladder, const std::string& rung) {
  return Provenance::modelled_within(int(std::lround(l1_error(ladder, rung) * 100)));
}
// Of MemoryEvidence: what each engine that folds a grid says of it.
inline void put_memory_provenance(Run& run, const Ladder& ladder, std::uint64_t input_bytes) {
  const Provenance at_most = Provenance::modelled(Provenance::Basis::at_most);
  run.provenance["metrics.models"] = cache_model_provenance(input_bytes);
  run.provenance["metrics.models.hbm_store_bytes"] = at_most;
  run.provenance["metrics.models.l2_load_bytes"] = l1_provenance(ladder, run.request.rung);
  run.provenance["metrics.models.l2_store_bytes"] = at_most;
}

}  // namespace lockstep
