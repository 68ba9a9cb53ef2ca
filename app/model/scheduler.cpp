#include "scheduler.hpp"

#include <algorithm>
#include <cassert>

#include "sm_units.hpp"

namespace lockstep {
namespace {

constexpr const char* kStateNames[kWarpStates] = {"selected",
                                                  "not_selected",
                                                  "long_scoreboard",
                                                  "short_scoreboard",
                                                  "barrier",
                                                  "math_throttle",
                                                  "wait",
                                                  "lsu_throttle",
                                                  "no_instruction",
                                                  "long_scoreboard_mbarrier",
                                                  "long_scoreboard_arrivals",
                                                  "long_scoreboard_answer",
                                                  "barrier_wgmma",
                                                  "mio_throttle",
                                                  "gmma",
                                                  "done"};
constexpr const char* kPolicyNames[kPolicies] = {"greedy_youngest", "round_robin", "greedy_oldest"};
constexpr const char* kOpNames[kOps] = {"FFMA",          "IADD",
                                        "IMAD",          "I2F",
                                        "LDG",           "STS",
                                        "CS2R",          "BRA",
                                        "BAR",           "STG",
                                        "LDS",           "LDGSTS",
                                        "DEPBAR",        "MUFU",
                                        "FMNMX",         "R2UR",
                                        "F2FP",          "WARPGROUP.ARRIVE",
                                        "HGMMA",         "WARPGROUP.DEPBAR",
                                        "UTMALDG",       "SYNCS.ARRIVE",
                                        "SYNCS.PHASECHK"};
constexpr int kWarpsOfGroup = 4;

bool at_barriers(Op op) { return op == Op::arrive || op == Op::wait_phase; }
bool from_global(Op op) { return op == Op::load || op == Op::async_copy; }
bool touches_memory(Op op) {
  return from_global(op) || op == Op::store || op == Op::shared_load || op == Op::shared_store;
}

struct Warp {
  const WarpProgram* program = nullptr;
  int next = 0;                             // instruction
  int free = 0;                             // cycle from which its next instruction may issue
  bool at_barrier = false;                  // has issued one that is not yet open
  bool at_fence = false;                    // has issued one that not all of its warpgroup have come to
  const SmInstruction* phase = nullptr;     // the wait for a phase that it has issued and not passed
  int checked = 0;                          // when that wait knows whether the phase is over
  const SmInstruction* products = nullptr;  // the wait for products that it has issued and not passed
  Op last = Op::fma;
  int issued = -1;               // when
  bool waited_for_pipe = false;  // and could not issue since
  //                        // issued
  std::vector<std::int32_t> ready;  // of each issued instruction's result
  // Of the latest: loads from global and from shared memory, asynchronous copies.
  std::int32_t loads_ready = 0, shared_ready = 0, copies_ready = 0;
};

class Sm {
 public:
  // programs: of the warps, in turn.
  Sm(const SmTable& table, std::vector<const WarpProgram*> programs, std::span<const std::uint16_t> arrivals,
     const SmSetting& setting)
      : table_(table),
        setting_(setting),
        warps_(std::size_t(setting.warps)),
        blocks_((setting.warps + setting.warps_per_block - 1) / setting.warps_per_block),
        groups_of_block_((setting.warps_per_block + kWarpsOfGroup - 1) / kWarpsOfGroup),
        barriers_(arrivals, blocks_),
        tensor_(table.units, setting.warps),
        copies_(table.units),
        of_bytes_(arrivals.size()) {
    for (const WarpProgram* program : programs)
      for (const SmInstruction& i : program->instructions)
        if (i.bytes > 0 && i.barrier < of_bytes_.size()) of_bytes_[i.barrier] = true;
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      warps_[w].program = programs[w % programs.size()];
      warps_[w].ready.resize(warps_[w].program->instructions.size());
      longest_ = std::max(longest_, warps_[w].ready.size());
    }
    last_.fill(-1);
    for (auto& pipes : pipe_free_) pipes.fill(0);
    arrived_.resize(std::size_t(blocks_));
    at_fence_.resize(std::size_t(blocks_ * groups_of_block_));
  }

  SmRun run(int most_cycles) {
    SmRun run;
    run.warps = setting_.warps, run.program_size = int(longest_);
    run.issued.assign(std::size_t(run.warps) * std::size_t(run.program_size), most_cycles);
    std::vector<std::uint8_t> by_cycle;  // [cycle][warp]
    for (; !all_done() && run.cycles < most_cycles && !stuck_; ++run.cycles) cycle(run.cycles, by_cycle, run);
    run.total.fill(0);
    run.states.resize(by_cycle.size());
    for (int c = 0; c < run.cycles; ++c)
      for (int w = 0; w < run.warps; ++w) {
        const std::uint8_t state = by_cycle[std::size_t(c) * std::size_t(run.warps) + std::size_t(w)];
        run.states[std::size_t(w) * std::size_t(run.cycles) + std::size_t(c)] = state;
        ++run.total[state];
      }
    for (int w = 0; w < run.warps; ++w)
      for (const int mark : warps_[std::size_t(w)].program->marks)
        run.marks.push_back(run.issued[std::size_t(w) * std::size_t(run.program_size) + std::size_t(mark)]);
    return run;
  }

 private:
  static bool done(const Warp& warp) { return warp.next == int(warp.program->instructions.size()); }
  int block_of(int w) const { return w / setting_.warps_per_block; }
  // When a warp passes the wait that it has issued; nothing as long as that is not known.
  std::optional<int> passes(int w) const {
    const Warp& warp = warps_[std::size_t(w)];
    const auto end = barriers_.end_of(block_of(w), warp.phase->barrier, warp.phase->count);
    if (!end) return {};
    return std::max(warp.checked, *end + table_.units.wake);
  }
  // Whether a warp waits for what another one has still to do.
  bool waits_for_warps(int w) const {
    const Warp& warp = warps_[std::size_t(w)];
    return warp.at_barrier || warp.at_fence || (warp.phase && !passes(w));
  }
  bool all_done() const {
    return std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return done(warp); });
  }

  static WarpState waits_for(Op op) {
    if (from_global(op)) return WarpState::long_scoreboard;
    return op == Op::shared_load ? WarpState::short_scoreboard : WarpState::wait;
  }

  WarpState state_at_barrier(int w, int now) const {
    const SmInstruction& wait = *warps_[std::size_t(w)].phase;
    const auto end = barriers_.end_of(block_of(w), wait.barrier, wait.count);
    if (end && now >= *end) return WarpState::mbarrier_over;
    return of_bytes_[wait.barrier] ? WarpState::mbarrier : WarpState::mbarrier_warps;
  }

  // What keeps a warp from issuing in this cycle; not_selected where nothing does.
  WarpState state_of(int w, int now) const {
    const Warp& warp = warps_[std::size_t(w)];
    if (warp.at_barrier) return WarpState::barrier;
    if (warp.at_fence) return WarpState::gmma;
    if (warp.phase)
      if (const auto passed = passes(w); !passed || now < *passed) return state_at_barrier(w, now);
    if (warp.products)
      if (const auto ready = tensor_.ready(w, warp.products->count); !ready || now < *ready)
        return WarpState::products;
    if (done(warp)) return WarpState::done;
    if (now < warp.free) return warp.last == Op::branch ? WarpState::no_instruction : WarpState::wait;
    const SmInstruction& next = warp.program->instructions[std::size_t(warp.next)];
    for (const int distance : next.needs) {
      if (distance == 0) continue;
      const std::size_t source = std::size_t(warp.next - distance);
      if (now >= warp.ready[source]) continue;
      return waits_for(warp.program->instructions[source].op);
    }
    if (next.needs_loads && now < warp.loads_ready) return WarpState::long_scoreboard;
    if (next.needs_loads && now < warp.shared_ready) return WarpState::short_scoreboard;
    if (from_global(next.op) && next.sectors > 0 &&
        return_free_ - now > arrival_cycles_ + table_.queue * table_.return_interval)
      return WarpState::lsu_throttle;
    if (next.op == Op::product && tensor_.full(w % kSubCores, now)) return WarpState::mio_throttle;
    if (at_barriers(next.op) && barriers_free_ >= now + 1) return WarpState::mio_throttle;
    if (pipe_free_[std::size_t(w % kSubCores)][std::size_t(next.op)] >= now + 1)
      return touches_memory(next.op)  ? WarpState::lsu_throttle
             : next.op == Op::uniform ? WarpState::wait
                                      : WarpState::math_throttle;
    return WarpState::not_selected;
  }

  int pick(int sub_core, const std::vector<int>& eligible) const {
    if (eligible.empty()) return -1;
    const int last = last_[std::size_t(sub_core)];
    if (setting_.policy == Policy::round_robin) {
      const auto after = std::upper_bound(eligible.begin(), eligible.end(), last);
      return after == eligible.end() ? eligible.front() : *after;
    }
    if (const int turn = turn_at_pipe(eligible); turn >= 0) return turn;
    if (std::find(eligible.begin(), eligible.end(), last) != eligible.end()) return last;
    if (setting_.policy == Policy::greedy_oldest) return eligible.front();
    const int block = eligible.front() / setting_.warps_per_block;
    return *std::prev(
        std::upper_bound(eligible.begin(), eligible.end(), (block + 1) * setting_.warps_per_block - 1));
  }

  // Warps that wait for one of these pipes come in turn, whatever the policy (an H200: of two warps that
  // calculate nothing but powers of two, or maxima, both end together).
  static bool in_turn(Op op) { return op == Op::special || op == Op::minmax || op == Op::pack; }
  void note_turn(int w, WarpState state) {
    Warp& warp = warps_[std::size_t(w)];
    const bool waits =
        state == WarpState::math_throttle && in_turn(warp.program->instructions[std::size_t(warp.next)].op);
    warp.waited_for_pipe = waits || (warp.waited_for_pipe && state == WarpState::not_selected);
  }
  // Of those the one that issued longest ago.
  int turn_at_pipe(const std::vector<int>& eligible) const {
    int turn = -1;
    for (const int w : eligible)
      if (warps_[std::size_t(w)].waited_for_pipe &&
          (turn < 0 || warps_[std::size_t(w)].issued < warps_[std::size_t(turn)].issued))
        turn = w;
    return turn;
  }

  void cycle(int now, std::vector<std::uint8_t>& states, SmRun& run) {
    const std::size_t row = states.size();
    bool any = false;
    tensor_.advance(now, run.products);
    for (int w = 0; w < setting_.warps; ++w) states.push_back(std::uint8_t(state_of(w, now)));
    for (int i = 0; i < kSubCores; ++i) {
      const int sub_core = (now + i) % kSubCores;  // none is always first at the load/store unit
      std::vector<int>& eligible = eligible_;
      eligible.clear();
      for (int w = sub_core; w < setting_.warps; w += kSubCores)
        if (WarpState(states[row + std::size_t(w)]) == WarpState::not_selected) eligible.push_back(w);
      const int chosen = pick(sub_core, eligible);
      if (chosen < 0) continue;
      states[row + std::size_t(chosen)] = std::uint8_t(WarpState::selected);
      run.issued[std::size_t(chosen) * longest_ + std::size_t(warps_[std::size_t(chosen)].next)] = now;
      issue(chosen, now, run);
      last_[std::size_t(sub_core)] = chosen;
      any = true;
    }
    if (!any) stuck_ = all_wait_for_warps();
    for (int w = 0; w < setting_.warps; ++w) note_turn(w, WarpState(states[row + std::size_t(w)]));
  }

  bool all_wait_for_warps() const {
    for (int w = 0; w < setting_.warps; ++w) {
      const Warp& warp = warps_[std::size_t(w)];
      if (!waits_for_warps(w) && !done(warp)) return false;
    }
    return true;
  }

  void issue(int w, int now, SmRun& run) {
    Warp& warp = warps_[std::size_t(w)];
    const SmInstruction& instruction = warp.program->instructions[std::size_t(warp.next)];
    const Op op = instruction.op;
    warp.phase = warp.products = nullptr;
    if (of_units(op)) tell_units(w, now, instruction, run);
    const OpCost& cost = table_.cost[std::size_t(op)];
    std::int32_t& ready = warp.ready[std::size_t(warp.next)];
    ready = now + latency(w, warp.next, now);
    if (op == Op::load) warp.loads_ready = std::max(warp.loads_ready, ready);
    if (op == Op::shared_load) warp.shared_ready = std::max(warp.shared_ready, ready);
    if (op == Op::async_copy) ready = warp.copies_ready = std::max(warp.copies_ready, ready);
    ++warp.next;
    warp.free = now + cost.gap, warp.last = op, warp.issued = now;
    if (op == Op::box && instruction.count > 0) warp.free += table_.units.chosen;
    double& free = pipe_free_[std::size_t(w % kSubCores)][std::size_t(op)];
    free = std::max(free, double(now)) + cost.pipe;
    if (cost.beside > 0 && tensor_.works(w % kSubCores, now))
      for (double& pipe : pipe_free_[std::size_t(w % kSubCores)])
        pipe = std::max(pipe, double(now)) + cost.beside;
    if (op == Op::barrier) arrive(w, now);
    if (op == Op::products_fence) come_to_fence(w, now);
  }

  void tell_units(int w, int now, const SmInstruction& i, SmRun& run) {
    Warp& warp = warps_[std::size_t(w)];
    const bool barrier = barriers_.has(i.barrier);
    switch (i.op) {
      case Op::product:
        run.products.push_back({w, warp.next, now, now});
        tensor_.multiply(w, now, i, run.products.size() - 1);
        break;
      case Op::products_wait:
        warp.products = &i;
        break;
      case Op::box: {
        const int there = copies_.ask(now, i.bytes);
        run.boxes.push_back({w, warp.next, now, there});
        if (barrier) barriers_.land(block_of(w), i.barrier, i.bytes, there);
        break;
      }
      case Op::arrive:
        barriers_free_ = std::max(barriers_free_, double(now)) + table_.units.arrive;
        if (barrier) barriers_.arrive(block_of(w), i.barrier, i.count, i.bytes, now + table_.units.arrival);
        break;
      case Op::wait_phase:
        barriers_free_ = std::max(barriers_free_, double(now)) + table_.units.await;
        if (barrier) warp.phase = &i, warp.checked = now + table_.units.over;
        break;
      default:
        break;
    }
  }

  // The last one of a warpgroup to come lets all of it go on.
  void come_to_fence(int w, int now) {
    const int block = block_of(w), in_block = w % setting_.warps_per_block, group = in_block / kWarpsOfGroup;
    const int first = block * setting_.warps_per_block + group * kWarpsOfGroup;
    const int end = std::min({first + kWarpsOfGroup, (block + 1) * setting_.warps_per_block, setting_.warps});
    int& come = at_fence_[std::size_t(block * groups_of_block_ + group)];
    warps_[std::size_t(w)].at_fence = true;
    if (++come < end - first) return;
    come = 0;
    for (int i = first; i < end; ++i)
      warps_[std::size_t(i)].at_fence = false, warps_[std::size_t(i)].free = now + table_.units.fence;
  }

  const SmInstruction& instruction(int w, int index) const {
    return warps_[std::size_t(w)].program->instructions[std::size_t(index)];
  }

  // Until what this instruction gives can be used.
  int latency(int w, int index, int now) {
    const SmInstruction& i = instruction(w, index);
    if (from_global(i.op)) return i.sectors > 0 ? load_cycles(w, index, now) : table_.l1_latency;
    if (i.op == Op::shared_load || i.op == Op::shared_store) return shared_cycles(i, now);
    return table_.cost[std::size_t(i.op)].latency;
  }

  // Shared memory serves one wavefront of the SM per cycle.
  int shared_cycles(const SmInstruction& i, int now) {
    const int start = std::max(now, shared_free_), more = i.wavefronts - 1;
    shared_free_ = start + i.wavefronts;
    return start - now + table_.cost[std::size_t(i.op)].latency + more * table_.wavefront_cycles;
  }

  // An L2 hit: how far its slice is hangs on the address, which differs from load to load. Then its 128 bytes
  // (or as many as it brings) wait for those of the loads before it.
  int load_cycles(int w, int index, int now) {
    const std::uint32_t hash = (std::uint32_t(w) * 2654435761u) ^ (std::uint32_t(index) * 2246822519u);
    const int far = int(
        (std::uint64_t((hash ^ (hash >> 15)) * 2654435761u) * std::uint64_t(table_.load_spread + 1)) >> 32);
    const int arrival = now + table_.cost[std::size_t(Op::load)].latency + far;
    constexpr double kSectorsOfLine = 4;
    const double sectors = instruction(w, index).sectors;
    return_free_ = std::max(return_free_ + table_.return_interval * (sectors / kSectorsOfLine),
                            double(now + arrival_cycles_));
    return std::max(arrival, int(return_free_)) - now;
  }

  // The last one of a block to arrive opens the barrier for all.
  void arrive(int w, int now) {
    const int block = w / setting_.warps_per_block, first = block * setting_.warps_per_block;
    const int end = std::min(first + setting_.warps_per_block, setting_.warps);
    warps_[std::size_t(w)].at_barrier = true;
    if (++arrived_[std::size_t(block)] < end - first) return;
    arrived_[std::size_t(block)] = 0;
    for (int i = first; i < end; ++i) {
      warps_[std::size_t(i)].at_barrier = false;
      warps_[std::size_t(i)].free = now + table_.barrier_cycles;
    }
  }

  const SmTable& table_;
  const SmSetting setting_;
  std::vector<Warp> warps_;
  const int blocks_, groups_of_block_;
  PhaseBarriers barriers_;
  TensorCores tensor_;
  CopyEngine copies_;
  std::vector<bool> of_bytes_;  // by barrier: its phases end with boxes
  bool stuck_ = false;
  std::size_t longest_ = 0;                         // program
  std::vector<int> arrived_, at_fence_, eligible_;  // warps of each block, of each warpgroup
  std::array<int, kSubCores> last_;
  std::array<std::array<double, kOps>, kSubCores> pipe_free_;
  double return_free_ = 0, barriers_free_ = 0;
  int shared_free_ = 0;
  int arrival_cycles_ = table_.cost[std::size_t(Op::load)].latency + table_.load_spread / 2;
};

}  // namespace

const char* name_of(WarpState state) { return kStateNames[std::size_t(state)]; }
const char* name_of(Policy policy) { return kPolicyNames[std::size_t(policy)]; }
const char* name_of(Op op) { return kOpNames[std::size_t(op)]; }

int SmRun::at(int warp, int cycle) const {
  const auto begin = issued.begin() + std::ptrdiff_t(warp) * program_size;
  return int(std::lower_bound(begin, begin + program_size, cycle) - begin);
}

int SmRun::selected(int sub_core, int cycle) const {
  for (int w = sub_core; w < warps; w += kSubCores)
    if (state(w, cycle) == WarpState::selected) return w;
  return -1;
}

SmRun run_sm(const SmTable& table, const WarpProgram& program, const SmSetting& setting, int most_cycles) {
  return run_sm(table, std::span(&program, 1), setting, most_cycles);
}

SmRun run_sm(const SmTable& table, std::span<const WarpProgram> programs, const SmSetting& setting,
             int most_cycles) {
  assert(setting.warps > 0 && setting.warps_per_block > 0 && !programs.empty());
  std::vector<const WarpProgram*> of_warps;
  for (const WarpProgram& program : programs) of_warps.push_back(&program);
  return Sm(table, std::move(of_warps), {}, setting).run(most_cycles);
}

SmRun run_sm(const SmTable& table, const BlockProgram& block, const SmSetting& setting, int most_cycles) {
  assert(setting.warps > 0 && setting.warps_per_block > 0 && !block.empty());
  std::vector<const WarpProgram*> of_warps;
  for (int w = 0; w < setting.warps_per_block; ++w) of_warps.push_back(&block.of(w));
  return Sm(table, std::move(of_warps), block.arrivals, setting).run(most_cycles);
}

// --- the program of kernels/scheduler ----------------------------------------------------------------------

namespace {

// Writes a program down; results are named by the position of the instruction that gives them.
class ProgramWriter {
 public:
  int add(Op op, int line, int a = -1, int b = -1) {
    const int here = int(program.instructions.size());
    const auto distance = [&](int source) { return std::uint16_t(source < 0 ? 0 : here - source); };
    SmInstruction instruction;
    instruction.op = op, instruction.line = std::uint16_t(line);
    instruction.needs[0] = distance(a), instruction.needs[1] = distance(b);
    program.instructions.push_back(instruction);
    return here;
  }
  void mark() { program.marks.push_back(int(program.instructions.size())); }
  WarpProgram program;
};

}  // namespace

WarpProgram chain_program(const ChainSetting& setting, int iterations) {
  constexpr int kLoop = 33, kClock = 34, kStamp = 35, kLoad = 36, kFma = 38, kCount = 39,
                kBarrier = 40;  // lines of 01_chain.cuh
  ProgramWriter p;
  std::vector<int> at(std::size_t(setting.ilp), -1), sum = at;
  for (int k = 0, until_barrier = setting.barrier_every; k < iterations; ++k) {
    p.mark();
    const int now = p.add(Op::clock, kClock);
    std::vector<int> address, value = at;
    for (const int element : at) address.push_back(p.add(Op::wide, kLoad, element));
    for (std::size_t c = 0; c < at.size(); ++c) at[c] = p.add(Op::load, kLoad, address[c]);
    const int left = p.add(Op::integer, kCount);
    const int next = p.add(Op::integer, kLoop);
    p.add(Op::shared_store, kStamp, now);
    p.add(Op::integer, kCount, left);
    p.add(Op::integer, kStamp);
    p.add(Op::integer, kCount);  // reads barrier_every again where there was a barrier
    p.add(--until_barrier == 0 ? Op::barrier : Op::integer, kBarrier);
    if (until_barrier == 0) until_barrier = setting.barrier_every;
    p.add(Op::integer, kLoop, next);
    if (setting.fma_per_load > 0)
      for (std::size_t c = 0; c < at.size(); ++c) value[c] = p.add(Op::convert, kFma, at[c]);
    for (int j = 0; j < setting.fma_per_load; ++j)
      for (std::size_t c = 0; c < at.size(); ++c) sum[c] = p.add(Op::fma, kFma, sum[c], j ? -1 : value[c]);
    p.add(Op::branch, kLoop);
  }
  p.mark();
  p.add(Op::clock, kClock);
  return p.program;
}

SmSetting sm_setting(const ChainSetting& setting, Policy policy) {
  return {setting.warps, setting.warps <= 32 ? setting.warps : setting.warps / 2, policy};
}

int chain_cycles(const WarpProgram& program, const SmRun& run) {
  const std::size_t marks = program.marks.size();
  int first = run.cycles, last = 0;
  for (std::size_t i = 0; i < run.marks.size(); i += marks)
    first = std::min(first, run.marks[i]), last = std::max(last, run.marks[i + marks - 1]);
  return last - first;
}

int mean_latency(const SmTable& table) {
  return table.cost[std::size_t(Op::load)].latency + table.load_spread / 2;
}
SmTable with_latency(SmTable table, int cycles) {
  table.load_spread = std::min(table.load_spread, cycles);
  table.cost[std::size_t(Op::load)].latency = std::max(1, cycles - table.load_spread / 2);
  return table;
}

// FFMA and the latencies of IMAD: kernels/micro (assets/recordings/h200/scheduler_micro.json), where a warp
// with four chains issues an FMA per 1.3 cycles, the loop and the clock included. The rest was fitted to the
// grid of scheduler_grid.inl: the latencies of CS2R, I2F and STS, the branch, how far slices of L2 lie apart,
// 128 bytes' time on the way back; and the pipe's time for IMAD.WIDE, 6.5 cycles where the microbenchmark
// says 2: here it stands for all that a load's address costs. With 2 the mean error is 3.8 % instead of 3.0 %
// (and 4.5 % instead of 3.1 % of settings never fitted). What only derived programs have: a load from shared
// memory takes 29 cycles and 2 for each wavefront above the first (kernels/micro; the banks lab's chains),
// one that L1 answers 41 (kernels/micro); that stores, loads from shared memory and copies keep their pipe as
// long as a load from global memory does is assumed.
//
// What units cost, on an H200 as well: kernels/micro from 09 on and, of what they do not measure, variants of
// them (2026-11-29). A tensor core works half a cycle on a column (m64n256k16: 128 cycles, bf16 as fp8);
// beside it a product takes 63 cycles, 54 with its first operand in registers (09, 11: the fence, the way
// there and the wait); eight are asked for at a time (of 16 the last eight wait until others are done); HGMMA
// and what brings its addresses take a warp 23 and 20 cycles, and the sub-core 35 (a trip as gemm's with 64
// columns and nothing to wait for: 239 cycles of one warpgroup, 322 of two). A box is asked for in 44 cycles,
// 75 more where the warp's other lanes wait for the one that asks (14), comes after 300 and brings 128 bytes
// in 1.2 (13: 106 bytes a cycle; with all SMs at it, of lines of their own, 36: not in the model). From an
// arrival to what waits for it 63 cycles (15), a wait for what is over 43 (16); the SM takes an arrival in 2
// cycles, a wait in 4 (17, 16). MUFU, FMNMX, F2FP: 8.2, 2.2, 2.2 cycles of a sub-core's pipe; beside a tensor
// core that works 10.4, 4.2, 4.2, and FFMA 2.0 for 1.4.
const SmTable& h200_table() {
  static const SmTable table = [] {
    SmTable t;
    t.device = "NVIDIA H200";
    const auto set = [&](Op op, OpCost cost) { t.cost[std::size_t(op)] = cost; };
    set(Op::fma, {4, 1, 1.05, 0.8});
    set(Op::integer, {5, 1, 1});
    set(Op::wide, {6, 1, 6.5});
    set(Op::convert, {6, 1, 6});
    set(Op::load, {226, 1, 2});
    set(Op::shared_store, {25, 1, 6});
    set(Op::clock, {12, 2, 1});
    set(Op::branch, {8, 6, 1});
    set(Op::barrier, {15, 1, 1});
    set(Op::store, {1, 1, 2});
    set(Op::shared_load, {29, 1, 2});
    set(Op::async_copy, t.cost[std::size_t(Op::load)]);
    set(Op::wait_copies, {1, 1, 1});
    set(Op::special, {18, 1, 8.2, 2.1});
    set(Op::minmax, {5, 1, 2.2, 1.9});
    set(Op::uniform, {20, 20, 35});
    set(Op::pack, {5, 1, 2.2, 1.9});
    set(Op::product, {1, 23, 1});
    set(Op::box, {1, 44, 1});
    set(Op::arrive, {1, 1, 6.2});
    set(Op::wait_phase, {1, 1, 1});
    t.units = {0.5, 8, 18, 0, 9, 36, 300, 75, 1.2, 20, 43, 43, 2, 4};
    t.load_spread = 102, t.return_interval = 2.4, t.queue = 192, t.barrier_cycles = 20;
    t.l1_latency = 41, t.wavefront_cycles = 2;
    return t;
  }();
  return table;
}

}  // namespace lockstep
