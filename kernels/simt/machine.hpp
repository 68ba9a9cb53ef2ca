// The CPU emulator of the CUDA execution model: one fiber per thread of the block, blocks one after another.
// Deterministic: threads run in the order of their index, from barrier to barrier; the lanes of a warp meet
// at its collectives (shuffles, votes, __syncwarp).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/event.hpp"
#include "app/model/run.hpp"
#include "kernels/extents.hpp"
#include "kernels/host_vectors.hpp"

namespace lockstep::simt {

using lab::Extents;
using lab::uint3;

constexpr std::int64_t kMaxThreads = 1024;            // per block, as on every CUDA device
constexpr std::int64_t kMaxSharedBytes = 227 * 1024;  // per block on sm_90 (CUDA C++ Programming Guide)
constexpr int kMaxFindings = 64;
// Events of one block that the machine holds at once (1.3 GB). A thread that finds no room starts over in its
// own.
constexpr std::uint64_t kMaxBlockEvents = std::uint64_t{1} << 26;

struct Options {
  std::uint64_t max_block_events = kMaxBlockEvents;
  bool trace = true;   // record events
  bool checks = true;  // races, bounds, uninitialised shared reads, alignment
  // Runs these blocks alone; empty = all.
  std::vector<std::int64_t> blocks;
};

// One 4-byte (or smaller) cell of shared memory: who touched it last, and when. Epochs count barrier
// intervals and never repeat within a machine, so nothing needs clearing between blocks.
struct Cell {
  std::uint32_t write_epoch = 0, read_epoch = 0;
  std::uint32_t write_stamp = 0, read_stamp = 0, other_stamp = 0;  // Machine::stamp_ at that time
  std::uint16_t writer = 0, writer_line = 0;
  std::uint16_t reader = 0, reader_line = 0;
  std::uint16_t other_reader = 0,
                other_reader_line = 0;        // a second thread that read in read_epoch; see has_other
  bool has_other = false, in_flight = false;  // in_flight: an asynchronous copy was not waited for
  bool by_atomic = false;                     // the last write was an atomic's
};

struct SharedArray {
  std::uint16_t id = 0;  // kFirstSharedView + line of its declaration
  std::uint8_t* data = nullptr;
  std::uint64_t bytes = 0;
  std::int64_t dynamic_byte = -1;  // where it starts in dynamic shared memory; -1 = static
  std::uint32_t cell_bytes = 4;
  std::span<Cell> cells;        // in dynamic memory those of its bytes, whichever array touches them
  std::vector<Cell> own_cells;  // of all other arrays
};

struct PendingCopy {
  Copy event;
  const std::uint8_t* source = nullptr;
  std::uint8_t* target = nullptr;
  SharedArray* array = nullptr;
};

struct Fiber;  // the thread's stack and context (machine.cpp)

// What one lane brings to a warp collective. Values are bit patterns of at most 64 bits.
struct Collective {
  enum class Op : std::uint8_t {
    sync,
    shuffle_index,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    any,
    all,
    ballot,
    match_any,
    match_all,
    add,
    min_signed,
    min_unsigned,
    max_signed,
    max_unsigned,
    bit_and,
    bit_or,
    bit_xor,
    matrix  // `combine` does it
  };
  Op op = Op::sync;
  const char* name = "__syncwarp";
  std::uint32_t mask = ~0u;
  std::uint64_t value = 0;
  int argument = 0, width = 32;  // of a shuffle: lane, delta or lane mask; lanes per segment
  const char* file = "";
  int line = 0;
  // Of a warp matrix operation, which all 32 lanes take part in: what each lane brings, and what is done with
  // all of it once they are there.
  void* data = nullptr;
  void (*combine)(void* const lanes[32]) = nullptr;
};

struct Thread {
  enum class State : std::uint8_t { ready, at_barrier, at_collective, done };
  uint3 index{};
  std::uint16_t linear = 0;
  State state = State::ready;
  bool done() const { return state == State::done; }
  std::uint16_t waiting_line = 0;  // of the barrier or collective that it stands at
  Collective collective;
  std::uint64_t result = 0;                                  // of the collective
  Access *begin = nullptr, *next = nullptr, *end = nullptr;  // event slots
  std::vector<PendingCopy> pending;
  std::vector<Copy> copies;
  std::uint32_t group = 0;  // open commit group
};

// A launch as the kernel's launcher asks for it.
struct Config {
  std::string name;
  Extents grid, block;
  std::int64_t dynamic_shared_bytes = 0;
};

class Machine;
// The running thread and block. Plain thread_local pointers: reading them costs one instruction.
inline constinit thread_local Thread* current = nullptr;
inline constinit thread_local Machine* machine = nullptr;

class Machine {
 public:
  // Called after each block: its linear index, one stream per thread. Returning false stops the grid.
  using OnBlock = std::function<bool(std::int64_t block, std::span<const std::span<const Access>> threads,
                                     std::span<const std::span<const Copy>> copies)>;
  explicit Machine(Options options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Runs the grid. False if on_block stopped it. Emulates a refusal (too many threads, too much shared
  // memory) as a finding of kind "launch".
  bool launch(const Config& config, const std::function<void()>& kernel, const OnBlock& on_block);

  const std::vector<Finding>& findings() const { return findings_; }
  std::int64_t findings_dropped() const { return findings_dropped_; }
  bool overflowed() const { return overflowed_; }  // kMaxBlockEvents was reached
  const std::string& printed() const { return printed_; }
  const std::string& refused() const { return refused_; }
  // Shared arrays that the kernels declared so far, as views.
  const std::vector<ViewInfo>& shared_views() const { return shared_views_; }
  // Static and dynamic, of the block that ran last.
  std::int64_t shared_bytes() const { return std::int64_t(shared_used_); }
  const Options& options() const { return options_; }

  // --- called from kernels, on the running thread ---
  void barrier(const char* file, int line);
  // Waits for the other lanes of the mask; what this lane gets.
  std::uint64_t collective(const Collective& mine);
  std::uint32_t lanes_not_done() const;  // of the running thread's warp
  void print(std::string_view text);     // printf
  // The kernel waits for other blocks, which run one after another here: the launch ends, and refused() names
  // it.
  [[noreturn]] void refuse_waiting(const char* name);
  SharedArray* shared_array(
      const char* name, int line, std::uint32_t element_bytes, const char* type, std::uint64_t rows,
      std::uint64_t cols, bool two_dimensional,
      std::int64_t dynamic_byte);  // where it starts in dynamic shared memory; -1 = static
  void record(const Access& access) {
    Thread& t = *current;
    if (t.next == t.end) grow(t);
    *t.next++ = access;
  }
  // Checks of one access of `bytes` bytes; false where it must not be carried out.
  bool check_global(std::uint16_t view, std::int64_t index, std::int64_t size, std::uint32_t bytes,
                    const void* address, std::uint16_t file, int line, bool store);
  bool check_shared(SharedArray& array, std::int64_t offset, std::uint32_t bytes, std::uint16_t file,
                    int line, Kind kind, const void* value = nullptr);
  void copy_async(PendingCopy copy);
  void copy_commit();
  void copy_wait(std::uint32_t pending_groups);
  std::uint16_t file_id_of(const char* path) {
    if (path != last_path_) last_path_ = path, last_file_ = remember_file(path);
    return last_file_;
  }

  uint3 block_index{}, block_dim{}, grid_dim{};

 private:
  void grow(Thread& thread);
  void run_block(std::int64_t block, const OnBlock& on_block, bool& go_on);
  void run_threads();
  bool run_warp(std::size_t first, std::size_t last);
  bool complete_collectives(std::size_t first, std::size_t last);
  void complete(std::size_t first, std::uint32_t arrived);
  std::uint64_t shuffled(const Thread& lane, std::size_t first, std::uint32_t arrived);
  void synchronise(std::size_t first, std::uint32_t lanes);
  bool ordered(int other, std::uint32_t stamp) const;
  void report_missing(std::size_t first, std::size_t last, std::size_t waiting);
  void leave(std::size_t thread);
  void start_fiber(std::size_t thread);
  void stop_fibers();
  void check_barrier_round();
  bool refuse(const Config& config);
  void prepare(const Config& config);
  void find(std::string kind, std::int64_t thread, int line, std::uint16_t file, Message what,
            std::int64_t other_thread = -1, int other_line = 0);
  void race(Message what, int line, std::uint16_t file, int other, int other_line);
  void read_cell(Cell& cell, std::uint16_t file, int line, bool atomic);
  void write_cell(Cell& cell, std::uint16_t file, int line, bool atomic, bool same_bytes);
  std::uint16_t remember_file(const char* path);
  std::string file_name(std::uint16_t id) const;

  Options options_;
  std::int64_t block_ = 0;
  std::uint32_t epoch_ = 0, block_epoch_ = 0;  // this barrier interval; the block's first
  // Vector clocks: seen_[thread * 32 + lane] is the stamp up to which `thread` knows what that lane of its
  // warp did.
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> seen_;
  std::string printed_, refused_;
  std::vector<Thread> threads_;
  std::unique_ptr<Fiber> fiber_;
  std::vector<std::unique_ptr<Access[]>> slots_;
  std::uint64_t slots_taken_ = 0;
  bool overflowed_ = false;
  const std::function<void()>* kernel_ = nullptr;
  std::unique_ptr<std::uint8_t[]> shared_;
  std::uint64_t shared_used_ = 0;
  std::int64_t dynamic_bytes_ = 0;
  std::vector<Cell> dynamic_cells_;
  std::vector<std::unique_ptr<SharedArray>> arrays_;
  std::vector<ViewInfo> shared_views_;
  std::vector<Finding> findings_;
  std::int64_t findings_dropped_ = 0;
  std::vector<std::pair<std::uint16_t, std::string>> files_;
  const char* last_path_ = nullptr;
  std::uint16_t last_file_ = 0;
};

}  // namespace lockstep::simt
