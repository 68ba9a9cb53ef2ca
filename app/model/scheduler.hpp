// One SM cycle by cycle: four schedulers, each with its own warps, each issuing at most one instruction per cycle. What
// a warp waits for has the profiler's name. Plain data in, plain data out; the same input gives the same cycles.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

constexpr int kSubCores = 4;

// A warp is in exactly one of these in every cycle.
enum class WarpState : std::uint8_t {
  selected,          // issues in this cycle
  not_selected,      // could issue; its scheduler took another one
  long_scoreboard,   // waits for a load from global memory
  short_scoreboard,  // waits for shared memory
  barrier,
  math_throttle,  // its pipe still works on the instruction before
  wait,           // a result that comes after a fixed number of cycles
  lsu_throttle,   // the queue of the load/store unit is full
  no_instruction,  // behind a branch: not fetched yet
  done
};
constexpr int kWarpStates = 10;
const char* name_of(WarpState state);  // "long_scoreboard"

enum class Op : std::uint8_t { fma, integer, convert, load, shared_store, clock, branch, barrier };
constexpr int kOps = 8;
const char* name_of(Op op);  // as SASS calls it: "FFMA"

// One instruction of a warp's program. needs: how many instructions earlier in the program stands what it takes as
// input; 0 = nothing.
struct SmInstruction {
  Op op = Op::fma;
  std::uint16_t needs[2] = {0, 0};
  std::uint16_t line = 0;  // of the kernel's source
};
// The same for every warp. `marks` are the instructions whose issue is noted: where iterations start, and the end.
struct WarpProgram {
  std::vector<SmInstruction> instructions;
  std::vector<int> marks;
};

enum class Policy : std::uint8_t { greedy_youngest, round_robin, greedy_oldest };

// What one instruction of a class costs, in cycles.
struct OpCost {
  int latency;  // from its issue to the issue of an instruction that takes its result
  int gap;      // from its issue to that of the warp's next instruction
  int pipe;     // for which the sub-core's pipe takes no other instruction of this class
};

// The figures of one device.
struct SmTable {
  std::string device, source;
  std::array<OpCost, kOps> cost;  // by Op; the load's latency is that of an L2 hit
  int load_interval = 0;          // cycles of the SM's load/store unit per load of 128 bytes
  int return_interval = 0;        // cycles per 128 bytes on the way from L2 to the SM
  int queue = 0;                  // loads of a sub-core that may wait for the load/store unit
  int barrier_cycles = 0;         // from the last warp's arrival to the first issue behind it
};
const SmTable& h200_table();

struct SmSetting {
  int warps = 1, warps_per_block = 1;  // barriers are the block's; warp w belongs to scheduler w % 4
  Policy policy = Policy::greedy_youngest;
};

// What an SM did. Cycle 0 is the first one in which a warp may issue.
struct SmRun {
  int cycles = 0, warps = 0;
  std::vector<std::uint8_t> states;             // WarpState [warp][cycle]
  std::vector<std::int32_t> issued;             // [warp][instruction] cycle of its issue
  std::vector<std::int32_t> marks;              // [warp][mark] cycle
  std::array<std::int64_t, kWarpStates> total;  // warp-cycles in each state
  int program_size = 0;
  WarpState state(int warp, int cycle) const {
    return WarpState(states[std::size_t(warp) * std::size_t(cycles) + std::size_t(cycle)]);
  }
  // The instruction that a warp issues at this cycle or waits to issue; program_size when it is done.
  int at(int warp, int cycle) const;
  // Of a sub-core; -1: its issue slot stays empty.
  int selected(int sub_core, int cycle) const;
  std::int64_t instructions() const { return total[std::size_t(WarpState::selected)]; }
  double ipc() const { return cycles ? double(instructions()) / cycles : 0; }
};

// Runs every warp to its end, or for `most_cycles`.
SmRun run_sm(const SmTable& table, const WarpProgram& program, const SmSetting& setting, int most_cycles = 1 << 20);

// --- the program of kernels/scheduler ----------------------------------------------------------------------

struct ChainSetting {
  int warps = 1, ilp = 1, fma_per_load = 0, barrier_every = 0;
};
// As the compiler emits it for sm_90: loads, conversions and FMAs of `ilp` chains, the clock and the loop around them.
WarpProgram chain_program(const ChainSetting& setting, int iterations);
SmSetting sm_setting(const ChainSetting& setting, Policy policy);

}  // namespace lockstep
