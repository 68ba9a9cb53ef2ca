// The units of an SM that work by themselves, as the model of it plays them: what they are told takes effect
// in order, and when is known as soon as they are told.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
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

// The tensor cores, one of each sub-core: a product of a warpgroup is a quarter for each of its warps.
class TensorCores {
 public:
  TensorCores(const UnitCosts& costs, int warps) : costs_(costs), groups_(std::size_t(warps)) {}
  bool full(int sub_core, int cycle) {
    std::deque<int>& ends = ends_[std::size_t(sub_core)];
    while (!ends.empty() && ends.front() <= cycle) ends.pop_front();
    return costs_.products > 0 && int(ends.size()) >= costs_.products;
  }
  UnitSpan multiply(int warp, int cycle, const SmInstruction& product) {
    double& free = free_[std::size_t(warp % kSubCores)];
    const int asked = cycle + costs_.start + (product.from_registers ? 0 : costs_.from_shared);
    const double begin = std::max(free, double(asked));
    free = begin + costs_.column * product.count;
    const int end = int(free + 0.5);
    ends_[std::size_t(warp % kSubCores)].push_back(end);
    Groups& groups = groups_[std::size_t(warp)];
    groups.open = end;
    if (product.ends_group) groups.ends.push_back(end), groups.open = 0;
    return {warp, 0, int(begin), end};
  }
  // From when on a warp may go on that waits until at most so many of its groups are under way.
  int ready(int warp, int pending) const {
    const Groups& groups = groups_[std::size_t(warp)];
    const std::size_t under_way = std::size_t(std::max(0, pending));
    const int last = groups.ends.size() > under_way ? groups.ends[groups.ends.size() - under_way - 1] : 0;
    return last > 0 ? last + costs_.end : 0;
  }

 private:
  struct Groups {
    std::vector<int> ends;
    int open = 0;
  };
  const UnitCosts& costs_;
  std::array<double, kSubCores> free_{};
  std::array<std::deque<int>, kSubCores> ends_;
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
