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

bool is_shuffle(Op op) { return op >= Op::shuffle_index && op <= Op::shuffle_xor; }

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

// The lane that a shuffle reads, by shfl.sync: only the five low bits of the operand count; outside of its
// segment a lane reads itself.
unsigned source_lane(const Collective& c, unsigned lane) {
  const unsigned segment = lane & ~unsigned(c.width - 1), end = segment + unsigned(c.width);
  const unsigned operand = unsigned(c.argument) & 31;
  switch (c.op) {
    case Op::shuffle_index:
      return segment | (operand & unsigned(c.width - 1));
    case Op::shuffle_up:
      return lane < segment + operand ? lane : lane - operand;
    case Op::shuffle_down:
      return lane + operand < end ? lane + operand : lane;
    default:
      return (lane ^ operand) < end ? lane ^ operand : lane;
  }
}

}  // namespace

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
  if (is_shuffle(mine.op) &&
      !(mine.width >= 1 && mine.width <= 32 && std::has_single_bit(unsigned(mine.width)))) {
    find("shuffle_width", me.linear, mine.line, file,
         {"block {0}, thread {1}, line {2}: {3} takes a width of 1, 2, 4, 8, 16 or 32, not {4}",
          {n(block_), n(me.linear), n(mine.line), mine.name, n(mine.width)}});
    me.collective.width = 32;
  }
  me.waiting_line = std::uint16_t(mine.line);
  me.state = Thread::State::at_collective;
  leave();
  return me.result;
}

std::uint32_t Machine::lanes_not_done() {
  take_turns();
  const std::size_t first = current->linear / kWarp * kWarp;
  std::uint32_t lanes = 0;
  for (std::size_t t = first; t < std::min(first + kWarp, threads_.size()); ++t)
    if (!threads_[t].done()) lanes |= 1u << (t - first);
  return lanes;
}

// Completes every collective whose lanes have all arrived. Where none is complete, the first one is completed
// without the lanes that will not come, and that is a finding.
bool Machine::complete_collectives(std::size_t first, std::size_t last) {
  bool any = false;
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
  if (any || !waiting) return any;
  // A lane that waits for a barrier in shared memory may still come.
  for (std::size_t t = first; t < last; ++t)
    if (threads_[t].state == Thread::State::at_units) return false;
  const auto lane = unsigned(std::countr_zero(waiting));
  report_missing(first, last, first + lane);
  complete(first, together(lane));
  return true;
}

void Machine::report_missing(std::size_t first, std::size_t last, std::size_t waiting) {
  const Thread& me = threads_[waiting];
  for (std::size_t t = first; t < last; ++t) {
    const Thread& other = threads_[t];
    if (!(me.collective.mask >> (t - first) & 1) || other.done()) continue;
    const bool here = other.state == Thread::State::at_collective &&
                      other.collective.op == me.collective.op && other.collective.mask == me.collective.mask;
    if (here) continue;
    find("warp_divergence", me.linear, me.collective.line, file_id_of(me.collective.file),
         {"block {0}: thread {1} waits at {2} in line {3} for thread {4}, which its mask names and which "
          "waits in "
          "line {5}",
          {n(block_), n(me.linear), me.collective.name, n(me.collective.line), n(other.linear),
           n(other.waiting_line)}},
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
        lane.result = is_shuffle(head.op) ? shuffled(lane, first, arrived) : sum;
    }
  }
  for (std::uint32_t rest = arrived; rest; rest &= rest - 1)
    threads_[first + unsigned(std::countr_zero(rest))].state = Thread::State::ready;
}

std::uint64_t Machine::shuffled(const Thread& lane, std::size_t first, std::uint32_t arrived) {
  const unsigned source = source_lane(lane.collective, unsigned(lane.linear % kWarp));
  if (arrived >> source & 1) return threads_[first + source].collective.value;
  find("undefined_lane", lane.linear, lane.collective.line, file_id_of(lane.collective.file),
       {"block {0}, thread {1}, line {2}: {3} reads lane {4}, which takes no part in it; its value is "
        "undefined",
        {n(block_), n(lane.linear), n(lane.collective.line), lane.collective.name, n(source)}});
  return ~std::uint64_t{0};
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
  return async_ && async_->known(me, std::size_t(other)) > stamp;
}

}  // namespace lockstep::simt
