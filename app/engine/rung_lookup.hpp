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
inline std::string l1_words(const Ladder& ladder, const std::string& rung) {
  return "modelled, error " + std::to_string(std::lround(l1_error(ladder, rung) * 100)) + " %";
}

}  // namespace lockstep
