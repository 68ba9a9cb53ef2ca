#include "scheduler.hpp"

#include <algorithm>
#include <cassert>

namespace lockstep {
namespace {

constexpr const char* kStateNames[kWarpStates] = {
    "selected",      "not_selected", "long_scoreboard", "short_scoreboard", "barrier",
    "math_throttle", "wait",         "lsu_throttle",    "no_instruction",   "done"};
constexpr const char* kOpNames[kOps] = {"FFMA", "IADD", "I2F", "LDG", "STS", "CS2R", "BRA", "BAR"};

struct Warp {
  int next = 0;                       // instruction
  int free = 0;                       // cycle from which its next instruction may issue
  bool at_barrier = false;            // has issued one that is not yet open
  Op last = Op::fma;                  // issued
  std::vector<std::int32_t> ready;    // of each issued instruction's result
};

class Sm {
 public:
  Sm(const SmTable& table, const WarpProgram& program, const SmSetting& setting)
      : table_(table), program_(program), setting_(setting), warps_(std::size_t(setting.warps)) {
    for (Warp& warp : warps_) warp.ready.resize(program.instructions.size());
    last_.fill(-1);
    for (auto& pipes : pipe_free_) pipes.fill(0);
    arrived_.resize(std::size_t((setting.warps + setting.warps_per_block - 1) / setting.warps_per_block));
  }

  SmRun run(int most_cycles) {
    SmRun run;
    run.warps = setting_.warps, run.program_size = int(program_.instructions.size());
    run.issued.assign(std::size_t(run.warps) * std::size_t(run.program_size), most_cycles);
    std::vector<std::uint8_t> by_cycle;  // [cycle][warp]
    for (; !all_done() && run.cycles < most_cycles; ++run.cycles) cycle(run.cycles, by_cycle, run.issued);
    run.total.fill(0);
    run.states.resize(by_cycle.size());
    for (int c = 0; c < run.cycles; ++c)
      for (int w = 0; w < run.warps; ++w) {
        const std::uint8_t state = by_cycle[std::size_t(c) * std::size_t(run.warps) + std::size_t(w)];
        run.states[std::size_t(w) * std::size_t(run.cycles) + std::size_t(c)] = state;
        ++run.total[state];
      }
    for (int w = 0; w < run.warps; ++w)
      for (const int mark : program_.marks)
        run.marks.push_back(run.issued[std::size_t(w) * std::size_t(run.program_size) + std::size_t(mark)]);
    return run;
  }

 private:
  bool done(const Warp& warp) const { return warp.next == int(program_.instructions.size()); }
  bool all_done() const {
    return std::all_of(warps_.begin(), warps_.end(), [&](const Warp& warp) { return done(warp); });
  }

  // What keeps a warp from issuing in this cycle; not_selected where nothing does.
  WarpState state_of(int w, int now) const {
    const Warp& warp = warps_[std::size_t(w)];
    if (warp.at_barrier) return WarpState::barrier;
    if (done(warp)) return WarpState::done;
    if (now < warp.free) return warp.last == Op::branch ? WarpState::no_instruction : WarpState::wait;
    const SmInstruction& next = program_.instructions[std::size_t(warp.next)];
    for (const int distance : next.needs) {
      if (distance == 0) continue;
      const std::size_t source = std::size_t(warp.next - distance);
      if (now >= warp.ready[source]) continue;
      return program_.instructions[source].op == Op::load ? WarpState::long_scoreboard : WarpState::wait;
    }
    if (next.op == Op::load && lsu_free_ - now > table_.queue * table_.load_interval) return WarpState::lsu_throttle;
    if (now < pipe_free_[std::size_t(w % kSubCores)][std::size_t(next.op)]) return WarpState::math_throttle;
    return WarpState::not_selected;
  }

  // Greedy: the warp that issued last as long as it can, then the youngest or the oldest one. Loose round-robin: the
  // next one after it.
  int pick(int sub_core, const std::vector<int>& eligible) const {
    if (eligible.empty()) return -1;
    const int last = last_[std::size_t(sub_core)];
    if (setting_.policy == Policy::round_robin) {
      const auto after = std::upper_bound(eligible.begin(), eligible.end(), last);
      return after == eligible.end() ? eligible.front() : *after;
    }
    if (std::find(eligible.begin(), eligible.end(), last) != eligible.end()) return last;
    return setting_.policy == Policy::greedy_oldest ? eligible.front() : eligible.back();
  }

  void cycle(int now, std::vector<std::uint8_t>& states, std::vector<std::int32_t>& issued) {
    const std::size_t row = states.size();
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
      issued[std::size_t(chosen) * program_.instructions.size() + std::size_t(warps_[std::size_t(chosen)].next)] = now;
      issue(chosen, now);
      last_[std::size_t(sub_core)] = chosen;
    }
  }

  void issue(int w, int now) {
    Warp& warp = warps_[std::size_t(w)];
    const Op op = program_.instructions[std::size_t(warp.next)].op;
    const OpCost& cost = table_.cost[std::size_t(op)];
    std::int32_t ready = now + cost.latency;
    if (op == Op::load) {
      const int sent = std::max(now, lsu_free_);
      lsu_free_ = sent + table_.load_interval;
      ready = std::max(sent + cost.latency, return_free_);
      return_free_ = ready + table_.return_interval;
    }
    warp.ready[std::size_t(warp.next++)] = ready;
    warp.free = now + cost.gap, warp.last = op;
    pipe_free_[std::size_t(w % kSubCores)][std::size_t(op)] = now + cost.pipe;
    if (op == Op::barrier) arrive(w, now);
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
  const WarpProgram& program_;
  const SmSetting setting_;
  std::vector<Warp> warps_;
  std::vector<int> arrived_, eligible_;  // arrived: warps of each block
  std::array<int, kSubCores> last_;
  std::array<std::array<int, kOps>, kSubCores> pipe_free_;
  int lsu_free_ = 0, return_free_ = 0;
};

}  // namespace

const char* name_of(WarpState state) { return kStateNames[std::size_t(state)]; }
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
  assert(setting.warps > 0 && setting.warps_per_block > 0);
  return Sm(table, program, setting).run(most_cycles);
}

}  // namespace lockstep
