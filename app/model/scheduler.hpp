// One SM cycle by cycle: four schedulers, each with its own warps, each issuing at most one instruction per
// cycle. What a warp waits for has the profiler's name. Plain data in, plain data out; the same input gives
// the same cycles.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

constexpr int kSubCores = 4;

// A warp is in exactly one of these in every cycle. For the waits of units Nsight Compute has no names of
// their own. On an H200 (kernels/micro under ncu) it counted a wait at a barrier in shared memory, for boxes
// or for warps, as long_scoreboard; one for products (WARPGROUP.DEPBAR) as barrier; one for room to ask for
// products as mio_throttle; gmma is the wait for the other warps of a warpgroup (WARPGROUP.ARRIVE).
enum class WarpState : std::uint8_t {
  selected,          // issues in this cycle
  not_selected,      // could issue; its scheduler took another one
  long_scoreboard,   // waits for a load from global memory
  short_scoreboard,  // waits for shared memory
  barrier,
  math_throttle,   // its pipe still works on the instruction before
  wait,            // a result that comes after a fixed number of cycles
  lsu_throttle,    // the load/store unit still works on the one before, or its queue is full
  no_instruction,  // behind a branch: not fetched yet
  mbarrier,        // waits at a barrier in shared memory for the bytes of boxes
  mbarrier_warps,  // waits at one for warps to arrive: a buffer to be given back, its turn
  mbarrier_over,   // has asked one whose phase is over, and does not know yet
  products,        // waits for products that it has asked for
  mio_throttle,    // as many products as can be asked for are not yet done
  gmma,            // waits for the other warps of its warpgroup, before products
  done
};
constexpr int kWarpStates = 16;
const char* name_of(WarpState state);  // "long_scoreboard"

enum class Op : std::uint8_t {
  fma,
  integer,
  wide,
  convert,
  load,
  shared_store,
  clock,
  branch,
  barrier,
  // Of programs that were derived from a trace.
  store,
  shared_load,
  async_copy,   // from global to shared memory, past the registers; its results come in order
  wait_copies,  // for the copy that it needs
  special,      // 2^x and its like
  minmax,
  uniform,  // addresses to where the units' instructions take them from
  pack,     // two numbers into one register
  // Of units that work by themselves (compute capability 9.0): the tensor cores as warpgroups use them, the
  // copy engine, barriers in shared memory.
  products_fence,
  product,
  products_wait,
  box,
  arrive,
  wait_phase,
};
constexpr int kOps = 23;
constexpr bool of_units(Op op) { return op >= Op::products_fence; }
const char* name_of(Op op);  // as SASS calls it: "FFMA"

// One instruction of a warp's program. needs: how many instructions earlier in the program stands what it
// takes as input; 0 = nothing.
struct SmInstruction {
  Op op = Op::fma;
  std::uint16_t needs[2] = {0, 0};
  std::uint16_t line = 0;       // of the kernel's source
  std::uint8_t sectors = 4;     // 32 bytes each, that a global load or copy brings from L2; 0: all are in L1
  std::uint8_t wavefronts = 1;  // of an access to shared memory
  bool needs_loads = false;     // takes as input what all loads before it bring
  // Of units:
  std::uint16_t barrier = 0;    // of the block's in shared memory
  std::uint16_t count = 0;      // arrive: lanes that do; wait_phase: phases that must have ended; product:
                                // columns; products_wait: groups that may be under way; box: lanes that wait
                                // for the one that asks
  std::uint32_t bytes = 0;      // of a box; that an arrival announces
  bool from_registers = false;  // a product's first operand
  bool ends_group = false;      // of products: the last one of a group
  bool operator==(const SmInstruction&) const = default;
};
// The same for every warp. `marks` are the instructions whose issue is noted: where iterations start, and the
// end.
struct WarpProgram {
  std::vector<SmInstruction> instructions;
  std::vector<int> marks;
  bool operator==(const WarpProgram&) const = default;
};

// What the warps of a block run, where they do different things.
struct BlockProgram {
  std::vector<WarpProgram> programs;
  std::vector<std::uint8_t> role;       // of each warp of the block: its program; none: all run the first
  std::vector<std::uint16_t> arrivals;  // that end a phase, of each barrier in shared memory
  std::vector<std::string> barriers;    // their names: "full[0]"; as many as `arrivals`, or none
  bool empty() const { return programs.empty(); }
  const WarpProgram& of(int warp_of_block) const {
    return programs[role.empty() ? 0 : role[std::size_t(warp_of_block) % role.size()]];
  }
  bool operator==(const BlockProgram&) const = default;
};

// Greedy: the warp that issued last as long as it can, then the youngest of the block that came first, or the
// oldest. An H200 is greedy and takes the youngest: of the eight warps of a scheduler that could always
// issue, 28 ended first, then 24, 20, ... 0 (kernels/micro/08_policy.cuh, scheduler_micro.json).
enum class Policy : std::uint8_t { greedy_youngest, round_robin, greedy_oldest };
constexpr int kPolicies = 3;
const char* name_of(Policy policy);  // "greedy_youngest"

// What one instruction of a class costs, in cycles.
struct OpCost {
  int latency = 4;    // from its issue to the issue of an instruction that takes its result
  int gap = 1;        // from its issue to that of the warp's next instruction
  double pipe = 1;    // for which the sub-core's pipe takes no other instruction of this class
  double beside = 0;  // by which all its pipes are later where its tensor core works: both need the registers
};

// What the units that work by themselves take, in cycles.
struct UnitCosts {
  double column = 0;    // for which a sub-core's tensor core works on a column of a product
  int products = 0;     // that a sub-core may have asked for and not yet got
  int fence = 0;        // from a warpgroup's last warp at the fence to the first issue behind it
  int start = 0;        // from a product's issue to its tensor core's work
  int from_shared = 0;  // by which that is later where the first operand is in shared memory
  int end = 0;          // from the end of that work to the first issue behind the wait
  int box = 0;          // from a box's issue until its first bytes are there
  int chosen = 0;       // by which the warp issues later behind it, where one of its lanes was chosen to ask
  double line = 0;      // per 128 bytes of a box
  int arrival = 0;      // from an arrival to the end of the phase, where it is the last
  int wake = 0;         // from the end of a phase to the first issue behind a wait for it
  int over = 0;         // from a wait to the first issue behind it, where the phase is over
  double arrive = 0;    // for which the SM takes no other arrival or wait,
  double await = 0;     // and of a wait
};

// The figures of one device.
struct SmTable {
  std::string device;
  std::array<OpCost, kOps> cost;  // by Op; the load's latency is that of the nearest slice of L2
  int load_spread = 0;            // by which the farthest slice of L2 is later: the address decides
  double return_interval = 0;     // cycles per 128 bytes on the way from L2 to the SM
  int queue = 0;                  // loads of the SM that may wait for that way
  int l1_latency = 0;             // of a load whose bytes are all in L1
  int wavefront_cycles = 0;       // by which each wavefront above the first delays a load from shared memory
  int barrier_cycles = 0;         // from the last warp's arrival to the first issue behind it
  UnitCosts units;
};
const SmTable& h200_table();

struct SmSetting {
  int warps = 1, warps_per_block = 1;  // barriers are the block's; warp w belongs to scheduler w % 4
  Policy policy = Policy::greedy_youngest;
};

// When a unit worked for a warp.
struct UnitSpan {
  int warp = 0, instruction = 0;
  int begin = 0, end = 0;  // of a product: its tensor core's work; of a box: asked for, all of it there
};

// What an SM did. Cycle 0 is the first one in which a warp may issue.
struct SmRun {
  int cycles = 0, warps = 0;
  std::vector<std::uint8_t> states;             // WarpState [warp][cycle]
  std::vector<std::int32_t> issued;             // [warp][instruction] cycle of its issue
  std::vector<std::int32_t> marks;              // [warp][mark] cycle
  std::array<std::int64_t, kWarpStates> total;  // warp-cycles in each state
  std::vector<UnitSpan> products, boxes;        // in the order in which they were asked for
  int program_size = 0;                         // of the longest program
  WarpState state(int warp, int cycle) const {
    return WarpState(states[std::size_t(warp) * std::size_t(cycles) + std::size_t(cycle)]);
  }
  // The instruction that a warp issues at this cycle or waits to issue; the size of its program when it is
  // done.
  int at(int warp, int cycle) const;
  // Of a sub-core; -1: its issue slot stays empty.
  int selected(int sub_core, int cycle) const;
  std::int64_t instructions() const { return total[std::size_t(WarpState::selected)]; }
  double ipc() const { return cycles ? double(instructions()) / cycles : 0; }
  double share(WarpState state) const {
    return double(total[std::size_t(state)]) / std::max(1.0, double(cycles) * warps);
  }
  double eligible() const {  // warps per cycle that could issue, the selected ones included
    return (share(WarpState::selected) + share(WarpState::not_selected)) * warps;
  }
};

// Runs every warp to its end, or for `most_cycles`, or until those that are left wait for each other: for
// what none of their programs does.
SmRun run_sm(const SmTable& table, const WarpProgram& program, const SmSetting& setting,
             int most_cycles = 1 << 20);
// The same where warps have programs of their own: warp w runs programs[w % their number]. A row of `issued`
// is as long as the longest one's; what a warp does not have of it is never issued.
SmRun run_sm(const SmTable& table, std::span<const WarpProgram> programs, const SmSetting& setting,
             int most_cycles = 1 << 20);
// And where they are what the warps of a block do.
SmRun run_sm(const SmTable& table, const BlockProgram& block, const SmSetting& setting,
             int most_cycles = 1 << 20);

// --- the program of kernels/scheduler ----------------------------------------------------------------------

struct ChainSetting {
  int warps = 1, ilp = 1, fma_per_load = 0, barrier_every = 0;
};
// As the compiler emits it for sm_90: loads, conversions and FMAs of `ilp` chains, the clock and the loop
// around them.
WarpProgram chain_program(const ChainSetting& setting, int iterations);
SmSetting sm_setting(const ChainSetting& setting, Policy policy);
constexpr int kChainIterations = 8;  // of the kernel
// From the first warp's first iteration to the last warp's end, as the kernel's own clocks are read.
int chain_cycles(const WarpProgram& program, const SmRun& run);
// The table with another mean latency of a load.
SmTable with_latency(SmTable table, int cycles);
int mean_latency(const SmTable& table);

// What an H200 measured: medians of 11 launches. A setting is of the grid that the table was fitted to, or
// was drawn at random for validation alone.
struct RecordedChain {
  int warps, ilp, fma_per_load, barrier_every, cycles;
  bool fitted;
  const char* starts;  // cycle at which each warp starts each iteration, and ends: "0,302,611;4,310,620;"
};
extern const char* const kRecordedChains;  // whose figures: "recorded: NVIDIA H200, 2026-11-22"
const std::vector<RecordedChain>& recorded_chains();
const RecordedChain* recorded_chain(const ChainSetting& setting);  // nullptr: not recorded
// [warp][iteration, and the end]; empty where the text is damaged.
std::vector<std::vector<int>> read_starts(const std::string& text);
// Of the model against every recorded setting, as provenance: "modelled, error 4 %". A test holds the figure.
extern const char* const kModelError;

}  // namespace lockstep
