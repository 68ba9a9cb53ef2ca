// The units of an SM that work by themselves, as the model of it plays them.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler.hpp"

namespace lockstep {

// Barriers in shared memory: a phase ends when enough lanes have arrived and all bytes that they announced
// are there.
class PhaseBarriers {
 public:
  PhaseBarriers(std::span<const std::uint16_t> arrivals, int blocks)
      : arrivals_(arrivals), states_(arrivals.size() * std::size_t(blocks)) {}
  bool has(int barrier) const { return std::size_t(barrier) < arrivals_.size(); }
  void arrive(int block, int barrier, int lanes, std::int64_t bytes, int cycle) {
    State& s = state(block, barrier);
    s.arrived += lanes, s.announced += bytes;
    take(s, barrier, cycle);
  }
  void land(int block, int barrier, std::int64_t bytes, int cycle) {
    State& s = state(block, barrier);
    s.announced -= bytes;
    take(s, barrier, cycle);
  }
  // When so many phases have ended; nothing as long as that is not known.
  std::optional<int> end_of(int block, int barrier, int phases) const {
    const auto& ends = states_[index(block, barrier)].ends;
    if (phases == 0) return 0;
    if (ends.size() < std::size_t(phases)) return {};
    return ends[std::size_t(phases) - 1];
  }

 private:
  struct State {
    int arrived = 0, latest = 0;
    std::int64_t announced = 0;  // bytes that were not yet asked for
    std::vector<int> ends;
  };
  std::size_t index(int block, int barrier) const {
    return std::size_t(block) * arrivals_.size() + std::size_t(barrier);
  }
  State& state(int block, int barrier) { return states_[index(block, barrier)]; }
  void take(State& s, int barrier, int cycle) {
    s.latest = std::max(s.latest, cycle);
    const int needed = std::max<int>(1, arrivals_[std::size_t(barrier)]);
    if (s.arrived < needed || s.announced > 0) return;
    s.arrived -= needed;
    s.ends.push_back(s.latest);
  }
  std::span<const std::uint16_t> arrivals_;
  std::vector<State> states_;
};

// The tensor cores, one of each sub-core: a product of a warpgroup is a quarter for each of its warps. Warps
// that have asked for products take turns, product by product.
class TensorCores {
 public:
  TensorCores(const UnitCosts& costs, int warps) : costs_(costs), groups_(std::size_t(warps)) {}
  bool full(int sub_core, int cycle) const {
    const Core& core = cores_[std::size_t(sub_core)];
    const int under_way = int(core.asked.size()) + (core.free > cycle);
    return costs_.products > 0 && under_way >= costs_.products;
  }
  // `span`: where it is to be noted when the product is worked on.
  void multiply(int warp, int cycle, const SmInstruction& product, std::size_t span) {
    const int asked = cycle + costs_.start + (product.from_registers ? 0 : costs_.from_shared);
    cores_[std::size_t(warp % kSubCores)].asked.push_back(
        {warp, asked, costs_.column * product.count, product.ends_group, span});
    groups_[std::size_t(warp)].asked += product.ends_group;
  }
  bool works(int sub_core, int cycle) const { return cores_[std::size_t(sub_core)].free > cycle; }
  // Begins what can begin up to this cycle.
  void advance(int cycle, std::vector<UnitSpan>& spans) {
    for (Core& core : cores_)
      while (core.free <= cycle)
        if (const auto next = next_of(core, cycle); next != core.asked.end())
          work_on(core, next, spans);
        else
          break;
  }
  // From when on a warp may go on that waits until at most so many of its groups are under way; nothing as
  // long as that is not known.
  std::optional<int> ready(int warp, int pending) const {
    const Groups& groups = groups_[std::size_t(warp)];
    const int needed = groups.asked - pending;
    if (needed <= 0) return 0;
    if (int(groups.ends.size()) < needed) return {};
    return groups.ends[std::size_t(needed) - 1] + costs_.end;
  }

 private:
  struct Product {
    int warp, asked;
    double cycles;
    bool ends_group;
    std::size_t span;
  };
  struct Core {
    std::vector<Product> asked;  // in order
    double free = 0;
    int last = -1;  // warp
  };
  struct Groups {
    int asked = 0;
    std::vector<int> ends;
  };
  // The first product of the warp whose turn it is: another one than the last, where another one waits.
  std::vector<Product>::iterator next_of(Core& core, int cycle) const {
    auto best = core.asked.end();
    for (auto p = core.asked.begin(); p != core.asked.end(); ++p) {
      if (p->asked > cycle) continue;
      if (best == core.asked.end()) best = p;
      if (p->warp != core.last) return p;
    }
    return best;
  }
  void work_on(Core& core, std::vector<Product>::iterator p, std::vector<UnitSpan>& spans) {
    const double begin = std::max(core.free, double(p->asked));
    core.free = begin + p->cycles, core.last = p->warp;
    const int end = int(core.free + 0.5);
    spans[p->span].begin = int(begin), spans[p->span].end = end;
    if (p->ends_group) groups_[std::size_t(p->warp)].ends.push_back(end);
    core.asked.erase(p);
  }
  const UnitCosts& costs_;
  std::array<Core, kSubCores> cores_;
  std::vector<Groups> groups_;
};

// The copy engine brings boxes one after another.
class CopyEngine {
 public:
  explicit CopyEngine(const UnitCosts& costs) : costs_(costs) {}
  int ask(int cycle, std::uint32_t bytes) {  // when all of it is there
    constexpr double kLine = 128;
    free_ = std::max(free_, double(cycle + costs_.box)) + costs_.line * (bytes / kLine);
    return int(free_ + 0.5);
  }

 private:
  const UnitCosts& costs_;
  double free_ = 0;
};

}  // namespace lockstep
