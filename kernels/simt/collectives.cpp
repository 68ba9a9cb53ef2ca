// Where the lanes of a warp meet: shuffles, votes, matches, reductions and __syncwarp, by their documented
// semantics (CUDA C++ Programming Guide, "Warp Vote", "Warp Match", "Warp Reduce", "Warp Shuffle"; PTX ISA,
// shfl.sync).
#include <algorithm>
#include <array>
#include <bit>

#include "async_units.hpp"
#include "machine.hpp"

namespace lockstep::simt {
namespace {

constexpr std::size_t kWarp = 32;
using Op = Collective::Op;

std::string n(std::int64_t x) { return std::to_string(x); }

std::uint32_t reduced(Op op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::min_signed:
      return std::uint32_t(std::min(std::int32_t(a), std::int32_t(b)));
    case Op::max_signed:
      return std::uint32_t(std::max(std::int32_t(a), std::int32_t(b)));
    case Op::min_unsigned:
      return std::min(a, b);
    case Op::max_unsigned:
      return std::max(a, b);
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

// By shfl.sync: only the five low bits of the operand count; outside of its segment a lane reads itself.
unsigned Collective::source_lane(unsigned lane) const {
  const unsigned segment = lane & ~unsigned(width - 1), end = segment + unsigned(width);
  const unsigned operand = unsigned(argument) & 31;
  switch (op) {
    case Op::shuffle_index:
      return segment | (operand & unsigned(width - 1));
    case Op::shuffle_up:
      return lane < segment + operand ? lane : lane - operand;
    case Op::shuffle_down:
      return lane + operand < end ? lane + operand : lane;
    default:
      return (lane ^ operand) < end ? lane ^ operand : lane;
  }
}

std::uint64_t Machine::collective(const Collective& mine) {
  take_turns();
  Thread& me = *current;
  const std::uint16_t file = file_id_of(mine.file);
  if (options_.trace && mine.op != Op::matrix)
    record({0, 0, 0, file, std::uint16_t(mine.line), 0, 0, Kind::warp_sync});
  if (!(mine.mask >> (me.linear % kWarp) & 1))
    find("not_in_mask", me.linear, mine.line, file,
         {"block {0}, thread {1}, line {2}: calls {3} with a mask that does not name its own lane",
          {n(block_), n(me.linear), n(mine.line), mine.name}});
  me.collective = mine;
  if (mine.is_shuffle() &&
      !(mine.width >= 1 && mine.width <= 32 && std::has_single_bit(unsigned(mine.width)))) {
    find("shuffle_width", me.linear, mine.line, file,
         {"block {0}, thread {1}, line {2}: {3} takes a width of 1, 2, 4, 8, 16 or 32, not {4}",
          {n(block_), n(me.linear), n(mine.line), mine.name, n(mine.width)}});
    me.collective.width = 32;
  }
  me.waiting_line = std::uint16_t(mine.line);
  if (mine.is_shuffle() && mine.mask == ~0u) return shuffle();
  me.state = Thread::State::at_collective;
  leave();
  return me.result;
}

std::uint32_t Machine::lanes_not_done() {
  take_turns();
  meet_others();
  const std::size_t first = current->linear / kWarp * kWarp;
  std::uint32_t lanes = 0;
  for (std::size_t t = first; t < std::min(first + kWarp, threads_.size()); ++t)
    if (!threads_[t].done()) lanes |= 1u << (t - first);
  return lanes;
}

// Completes every collective whose lanes have all arrived. Where none is complete, the first one is completed
// without the lanes that will not come, and that is a finding.
bool Machine::complete_collectives(std::size_t first, std::size_t last) {
  bool any = complete_shuffles(first, last);
  std::uint32_t waiting = 0, alive = 0;
  for (std::size_t t = first; t < last; ++t) {
    if (!threads_[t].done()) alive |= 1u << (t - first);
    if (threads_[t].state == Thread::State::at_collective) waiting |= 1u << (t - first);
  }
  const auto together = [&](unsigned lane) {  // lanes that wait for the same as this one
    const Collective& mine = threads_[first + lane].collective;
    std::uint32_t same = 0;
    for (std::uint32_t rest = waiting & (mine.mask | 1u << lane); rest; rest &= rest - 1) {
      const Collective& c = threads_[first + unsigned(std::countr_zero(rest))].collective;
      if (c.op == mine.op && c.mask == mine.mask && c.combine == mine.combine) same |= rest & -rest;
    }
    return same;
  };
  for (std::uint32_t rest = waiting; rest;) {
    const auto lane = unsigned(std::countr_zero(rest));
    const std::uint32_t here = together(lane);
    rest &= ~here;
    if ((threads_[first + lane].collective.mask & alive & ~here) != 0) continue;
    complete(first, here);
    any = true;
  }
  if (any) return true;
  // A lane that waits for a barrier in shared memory may still come.
  for (std::size_t t = first; t < last; ++t)
    if (threads_[t].state == Thread::State::at_units) return false;
  const OpenShuffle& oldest = shuffles_[first / kWarp].at(shuffles_[first / kWarp].closed);
  if (oldest.arrived && (!waiting || std::countr_zero(oldest.arrived) < std::countr_zero(waiting))) {
    close_without_missing(first, last);
    return true;
  }
  if (!waiting) return false;
  const auto lane = unsigned(std::countr_zero(waiting));
  const Collective mine = threads_[first + lane].collective;
  report_missing(first, last, first + lane, mine, [&](const Thread& other) {
    return other.state == Thread::State::at_collective && other.collective.op == mine.op &&
           other.collective.mask == mine.mask;
  });
  complete(first, together(lane));
  return true;
}

// Tells of the first lane that thread `waiting` waits for and that is not here.
template <class F>
void Machine::report_missing(std::size_t first, std::size_t last, std::size_t waiting, const Collective& at,
                             F here) {
  for (std::size_t t = first; t < last; ++t) {
    const Thread& other = threads_[t];
    if (!(at.mask >> (t - first) & 1) || other.done() || here(other)) continue;
    find("warp_divergence", std::int64_t(waiting), at.line, file_id_of(at.file),
         {"block {0}: thread {1} waits at {2} in line {3} for thread {4}, which its mask names and which "
          "waits in "
          "line {5}",
          {n(block_), n(std::int64_t(waiting)), at.name, n(at.line), n(other.linear), n(other.waiting_line)}},
         other.linear, other.waiting_line);
    return;
  }
}

// Gives each of the lanes that have arrived its result and lets it go on.
void Machine::complete(std::size_t first, std::uint32_t arrived) {
  const Collective head = threads_[first + unsigned(std::countr_zero(arrived))].collective;
  std::uint32_t truths = 0, sum = 0;
  bool alike = true, begun = false;
  for (std::uint32_t rest = arrived; rest; rest &= rest - 1) {
    const Collective& c = threads_[first + unsigned(std::countr_zero(rest))].collective;
    if (c.value) truths |= rest & -rest;
    alike &= c.value == head.value;
    sum = begun ? reduced(head.op, sum, std::uint32_t(c.value)) : std::uint32_t(c.value);
    begun = true;
  }
  if (head.op == Op::sync) synchronise(first, arrived);
  if (head.op == Op::matrix && arrived != ~0u) {  // nothing is done
    const std::size_t lane = first + std::size_t(std::countr_zero(arrived));
    find("warp_divergence", std::int64_t(lane), head.line, file_id_of(head.file),
         {"block {0}, thread {1}, line {2}: {3} takes all 32 lanes of the warp, and {4} are here",
          {n(block_), n(std::int64_t(lane)), n(head.line), head.name, n(std::popcount(arrived))}});
  } else if (head.op == Op::matrix) {
    void* lanes[kWarp];
    for (std::size_t lane = 0; lane < kWarp; ++lane) lanes[lane] = threads_[first + lane].collective.data;
    head.combine(lanes);
  }
  for (std::uint32_t rest = arrived; rest; rest &= rest - 1) {
    Thread& lane = threads_[first + unsigned(std::countr_zero(rest))];
    switch (head.op) {
      case Op::sync:
      case Op::matrix:
        break;
      case Op::any:
        lane.result = truths != 0;
        break;
      case Op::all:
        lane.result = truths == arrived;
        break;
      case Op::ballot:
        lane.result = truths;
        break;
      case Op::match_all:
        lane.result = alike ? arrived : 0;
        break;
      case Op::match_any: {
        std::uint32_t same = 0;
        for (std::uint32_t others = arrived; others; others &= others - 1)
          if (threads_[first + unsigned(std::countr_zero(others))].collective.value == lane.collective.value)
            same |= others & -others;
        lane.result = same;
        break;
      }
      default:
        lane.result = head.is_shuffle() ? shuffled(lane, first, arrived) : sum;
    }
  }
  for (std::uint32_t rest = arrived; rest; rest &= rest - 1)
    threads_[first + unsigned(std::countr_zero(rest))].state = Thread::State::ready;
}

std::uint64_t Machine::shuffled(const Thread& lane, std::size_t first, std::uint32_t arrived) {
  const unsigned source = lane.collective.source_lane(unsigned(lane.linear % kWarp));
  return arrived >> source & 1 ? threads_[first + source].collective.value : undefined_value(lane, source);
}

std::uint64_t Machine::undefined_value(const Thread& lane, unsigned source) {
  find("undefined_lane", lane.linear, lane.collective.line, file_id_of(lane.collective.file),
       {"block {0}, thread {1}, line {2}: {3} reads lane {4}, which takes no part in it; its value is "
        "undefined",
        {n(block_), n(lane.linear), n(lane.collective.line), lane.collective.name, n(source)}});
  return ~std::uint64_t{0};
}

// --- shuffles of the whole warp ---
// Most of all collectives, and a change of stack costs more than all that they do. A shuffle orders no
// memory, so that a lane whose value is there goes on before the others have come, as long as it works in
// registers and reads shared memory; meet_others() stands before all else. What it finds is what it would
// find if all had waited.

std::uint32_t Machine::lanes_alive(std::size_t first) const {
  std::uint32_t alive = 0;
  for (std::size_t t = first; t < std::min(first + kWarp, threads_.size()); ++t)
    if (!threads_[t].done()) alive |= 1u << (t - first);
  return alive;
}

std::uint64_t Machine::shuffle() {
  Thread& me = *current;
  if (!bring(me) || !take(me)) {
    me.state = Thread::State::at_shuffle;
    leave();
  }
  return me.result;
}

void Machine::catch_up() {
  Thread& me = *current;
  me.catching_up = true, me.state = Thread::State::at_shuffle;
  leave();
}

// The lane's value to its next shuffle; false: there are too many open ones, or others shuffle otherwise.
bool Machine::bring(Thread& lane) {
  OpenShuffles& warp = shuffles_[lane.linear / kWarp];
  if (lane.shuffles - warp.closed >= OpenShuffles::kMost) return false;
  OpenShuffle& next = warp.at(lane.shuffles);
  if (!next.arrived) next.first = lane.collective, next.thread = lane.linear;
  if (next.first.op != lane.collective.op) return false;
  next.values[lane.linear % kWarp] = lane.collective.value;
  next.arrived |= 1u << lane.linear % kWarp;
  return lane.brought = true;
}

// What the lane gets of it; false: the lane that it reads may still come.
bool Machine::take(Thread& lane) {
  const std::size_t first = lane.linear / kWarp * kWarp;
  OpenShuffle& next = shuffles_[lane.linear / kWarp].at(lane.shuffles);
  const unsigned source = lane.collective.source_lane(unsigned(lane.linear % kWarp));
  if (next.arrived >> source & 1)
    lane.result = next.values[source];
  else if (lanes_alive(first) & ~next.arrived)
    return false;
  else
    lane.result = undefined_value(lane, source);
  next.taken |= 1u << lane.linear % kWarp;
  ++lane.shuffles, lane.brought = false, lane.ahead = true;
  if (next.taken == next.arrived) close_shuffles(first);
  return true;
}

// Those that all lanes have behind them.
void Machine::close_shuffles(std::size_t first) {
  OpenShuffles& warp = shuffles_[first / kWarp];
  for (;;) {
    const OpenShuffle& oldest = warp.at(warp.closed);
    if (!oldest.arrived || oldest.taken != oldest.arrived || (lanes_alive(first) & ~oldest.arrived)) return;
    close_oldest(first);
  }
}

void Machine::close_oldest(std::size_t first) {
  OpenShuffles& warp = shuffles_[first / kWarp];
  OpenShuffle& oldest = warp.at(warp.closed++);
  oldest.arrived = oldest.taken = 0;
  for (std::size_t t = first; t < std::min(first + kWarp, threads_.size()); ++t) {
    Thread& lane = threads_[t];
    lane.shuffles = std::max(lane.shuffles, warp.closed);  // of one that did not come
    lane.ahead = lane.shuffles > warp.closed;
  }
}

// Lets every lane go on whose value has come, or that is ahead no more.
bool Machine::complete_shuffles(std::size_t first, std::size_t last) {
  close_shuffles(first);  // a lane that others waited for may have ended
  bool any = false;
  for (std::size_t t = first; t < last; ++t) {
    Thread& lane = threads_[t];
    if (lane.state != Thread::State::at_shuffle) continue;
    if (lane.catching_up ? lane.ahead : !((lane.brought || bring(lane)) && take(lane))) continue;
    lane.state = Thread::State::ready, lane.catching_up = false, any = true;
  }
  return any;
}

// Nobody can go on: the oldest shuffle is closed without the lanes that will not come, and that is a finding.
void Machine::close_without_missing(std::size_t first, std::size_t last) {
  OpenShuffles& warp = shuffles_[first / kWarp];
  const OpenShuffle& oldest = warp.at(warp.closed);
  report_missing(first, last, oldest.thread, oldest.first,
                 [&](const Thread& other) { return (oldest.arrived >> other.linear % kWarp & 1) != 0; });
  for (std::uint32_t rest = oldest.arrived & ~oldest.taken; rest; rest &= rest - 1) {
    Thread& lane = threads_[first + unsigned(std::countr_zero(rest))];
    lane.result = undefined_value(lane, lane.collective.source_lane(unsigned(lane.linear % kWarp)));
    ++lane.shuffles, lane.brought = false;
    lane.state = Thread::State::ready;
  }
  close_oldest(first);
}

// __syncwarp orders memory among its lanes: each knows from now on what any of them knew.
void Machine::synchronise(std::size_t first, std::uint32_t lanes) {
  ++stamp_;
  std::array<std::uint32_t, kWarp> known{};
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
    for (std::size_t j = 0; j < kWarp; ++j)
      known[j] = std::max(known[j], seen_[(first + unsigned(std::countr_zero(rest))) * kWarp + j]);
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1) known[unsigned(std::countr_zero(rest))] = stamp_;
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
    std::copy(known.begin(), known.end(),
              seen_.begin() + std::ptrdiff_t((first + unsigned(std::countr_zero(rest))) * kWarp));
  if (async_) async_->merge_lanes(first, lanes);
}

// Whether the running thread comes after what thread `other` did at `stamp`, within one barrier interval.
bool Machine::ordered(int other, std::uint32_t stamp) const {
  const std::size_t me = current->linear;
  if (std::size_t(other) / kWarp == me / kWarp && seen_[me * kWarp + std::size_t(other) % kWarp] > stamp)
    return true;
  return async_ && async_->known(me, std::size_t(other)) > async_->end_of_reading(std::size_t(other), stamp);
}

}  // namespace lockstep::simt
