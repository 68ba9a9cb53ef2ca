// Request -> ladder and rung, shared by the engines.
#pragma once
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

}  // namespace lockstep
