// The CPU emulator of the CUDA execution model: one fiber per thread of the block, one block at a time (Grid
// runs several machines beside each other). Deterministic: threads run in the order of their index, from
// barrier to barrier; the lanes of a warp meet at its collectives (shuffles, votes, __syncwarp).
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/model/event.hpp"
#include "app/model/run.hpp"
#include "app/model/transfer.hpp"
#include "fibers.hpp"
#include "findings.hpp"
#include "kernels/extents.hpp"
#include "kernels/host_vectors.hpp"
#include "set_aside.hpp"
#include "shared_views.hpp"
#include "source_files.hpp"

namespace lockstep::simt {

using lab::Extents;
using lab::uint3;

constexpr std::int64_t kMaxThreads = 1024;            // per block, as on every CUDA device
constexpr std::int64_t kMaxSharedBytes = 227 * 1024;  // per block on sm_90 (CUDA C++ Programming Guide)
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
  std::uint16_t id = 0;  // SharedViews
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

  bool is_shuffle() const { return op >= Op::shuffle_index && op <= Op::shuffle_xor; }
  unsigned source_lane(unsigned lane) const;  // that a shuffle reads for this one
};

// A shuffle that names all lanes of its warp and that not all of them have behind them.
struct OpenShuffle {
  std::uint32_t arrived = 0, taken = 0;  // lanes: that have brought a value, that have theirs
  std::array<std::uint64_t, 32> values{};
  Collective first;  // of the lane that came first
  std::size_t thread = 0;
};
// Those of a warp: number `closed` stands at [closed % kMost], and so on.
struct OpenShuffles {
  static constexpr std::uint32_t kMost = 16;
  std::uint32_t closed = 0;
  std::array<OpenShuffle, kMost> open;
  OpenShuffle& at(std::uint32_t number) { return open[number % kMost]; }
  void forget() {
    closed = 0;
    for (OpenShuffle& shuffle : open) shuffle.arrived = shuffle.taken = 0;
  }
};

struct Thread {
  enum class State : std::uint8_t { ready, at_barrier, at_collective, at_shuffle, at_units, done };
  uint3 index{};
  std::uint16_t linear = 0;
  State state = State::ready;
  bool done() const { return state == State::done; }
  int fiber = -1;                  // that carries it; -1 before its begin and after its end
  std::uint16_t waiting_line = 0;  // of the barrier or collective that it stands at
  Collective collective;
  std::uint64_t result = 0;    // of the collective
  std::uint32_t shuffles = 0;  // of the whole warp, that this thread has behind it
  bool brought = false;        // its value to the next one
  bool ahead = false;          // of the last one that all lanes have behind them
  bool catching_up = false;    // at_shuffle not for a value, but until it is ahead no more
  void forget_shuffles() { shuffles = 0, brought = ahead = catching_up = false; }
  Access *begin = nullptr, *next = nullptr, *end = nullptr;  // event slots
  std::vector<PendingCopy> pending;
  std::vector<Copy> copies;
  std::uint32_t group = 0;      // open commit group
  const void* asked = nullptr;  // of the last asks_again(), and its place in the stream
  std::ptrdiff_t asked_at = 0;
};

// An argument of a launch: a buffer, or a number as C++ writes it.
struct LaunchArgument {
  int buffer = -1;
  std::string value;
  std::string around = "";  // what the host makes of the buffer: "boxes({0}, 128, 384, 64)"; "" = nothing
};
std::string number_text(bool x);
std::string number_text(double x);  // of float too
std::string number_text(std::int64_t x);
std::string number_text(std::uint64_t x);
template <class T>
requires std::is_arithmetic_v<T> std::string number_text(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return number_text(double(x));
  else if constexpr (std::is_signed_v<T>)
    return number_text(std::int64_t(x));
  else
    return number_text(std::uint64_t(x));
}

// A launch as the kernel's launcher asks for it.
struct Config {
  std::string name;
  Extents grid, block;
  std::int64_t dynamic_shared_bytes = 0;
  const void* function = nullptr;  // the kernel as compiled for the emulator
  std::vector<LaunchArgument> arguments = {};
  int stream = 0;      // 0: the default one
  int line = 0;        // of the launcher
  bool waits = false;  // its blocks wait for one another, so that several are under way at once
  int cluster = 1;     // neighbouring blocks that start together and reach each other's shared memory
};

// What a launcher asks for besides: a copy, a prefetch, a look of the CPU's. Buffers are the rung's, -1 for
// none.
struct HostOperation {
  OperationKind kind = OperationKind::copy_in;
  int stream = 0;
  bool waits = false;
  int line = 0;
  int to = -1, from = -1;  // of a prefetch and a look: from
  std::int64_t to_byte = 0, from_byte = 0, bytes = 0;
};

class Machine;
class AsyncUnits;
class Turns;
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

  // Runs the grid in order. False if on_block stopped it. Emulates a refusal (too many threads, too much
  // shared memory) as a finding of kind "launch".
  bool launch(const Config& config, const std::function<void()>& kernel, const OnBlock& on_block);

  const std::vector<Finding>& findings() const { return told_.findings(); }
  std::int64_t findings_dropped() const { return told_.findings_dropped(); }
  bool overflowed() const { return told_.overflowed(); }
  const std::string& printed() const { return told_.printed(); }
  const std::string& refused() const { return refused_; }
  // Static and dynamic, of the block that ran last.
  std::int64_t shared_bytes() const { return std::int64_t(shared_used_); }
  const Options& options() const { return options_; }

  // --- block by block (launch() and Grid) ---
  // Makes ready for the blocks of a launch; both must outlive them. False: refused, see take_notes().
  bool begin_launch(const Config& config, const std::function<void()>& kernel);
  // Runs a block; false where it was given up. `apart`: beside others, so that what it writes to global
  // memory is kept in written(), and nothing of it is seen but by itself; such a block is given up where it
  // makes more than `most_events` or waits for others.
  bool run(std::int64_t block, bool apart = false, std::uint64_t most_events = kMaxBlockEvents);
  // Of the block that ran last, until the next one begins.
  std::span<const std::span<const Access>> streams() const { return streams_; }
  std::span<const std::span<const Copy>> copies() const { return copies_; }
  BlockNotes take_notes() { return std::exchange(notes_, {}); }
  std::vector<Write>& written() { return aside_.writes; }
  // The shared arrays of this launch in the order in which its blocks came to declare them, which is the
  // order in which they lie in memory.
  const std::vector<SharedDeclaration>& declared() const { return declared_; }
  // Takes over what earlier blocks declared on another machine.
  void adopt(const std::vector<SharedDeclaration>& declared, const SharedViews& views,
             const SourceFiles& files);
  // Blocks that wait for one another run in turns: this one's is over at each barrier, and where a thread
  // asks again for what others are going to write. nullptr: it runs to its end.
  void run_in(Turns* turns) { turns_ = turns; }
  std::uint64_t progress() const;  // barriers passed and phases of barriers ended so far, of all its blocks
  // The blocks of a cluster, in their order, are under way together; it is the one of this rank. {}: alone.
  void join(std::vector<Machine*> cluster, std::size_t rank);
  const SharedViews& shared_views() const { return views_; }
  const SourceFiles& source_files() const { return files_; }

  // --- called from kernels, on the running thread ---
  void barrier(const char* file, int line);
  // Waits for the other lanes of the mask; what this lane gets.
  std::uint64_t collective(const Collective& mine);
  std::uint32_t lanes_not_done();  // of the running thread's warp
  // A lane may be ahead of its warp as long as nobody can tell: before what others see, or see of others, it
  // waits for them.
  void meet_others() {
    if (current->ahead) catch_up();
  }
  void print(std::string_view text);  // printf
  // The kernel waits for other blocks, which run one after another here: the launch ends, and refused() names
  // it.
  [[noreturn]] void refuse_waiting(const char* name);
  // Nobody of all the blocks that are under way together can go on.
  [[noreturn]] void refuse_waiting();
  // Of a load that others are waited for with (ld.volatile): whether the running thread has just made it, so
  // that this one is no event of its own. The other blocks go on first.
  bool asks_again(const void* address);
  SharedArray* shared_array(const SharedDeclaration& declaration);
  void record(const Access& access) {
    Thread& t = *current;
    if (t.next == t.end) grow(t);
    *t.next++ = access;
  }
  // Where the thread's last event stands in its stream, for atomic_result_used(); -1 = nowhere.
  std::ptrdiff_t last_event() const { return options_.trace ? current->next - current->begin - 1 : -1; }
  // The atomic of that event is no reduction: its result is asked for.
  void atomic_result_used(std::ptrdiff_t event) {
    Thread& t = *current;
    if (event >= 0 && event < t.next - t.begin) t.begin[event].kind = Kind::atomic;
  }
  // Checks of one access of `bytes` bytes; false where it must not be carried out.
  bool check_global(std::int64_t index, std::int64_t size, std::uint32_t bytes, const void* address,
                    const char* file, int line, bool store) {
    if (index >= 0 && index < size && reinterpret_cast<std::uintptr_t>(address) % bytes == 0) return true;
    refuse_global(index, size, bytes, file_id_of(file), line, store);
    return false;
  }
  bool check_shared(SharedArray& array, std::int64_t offset, std::uint32_t bytes, std::uint16_t file,
                    int line, Kind kind, const void* value = nullptr);

  // --- clusters (cluster.cpp) ---
  std::size_t cluster_rank() const { return rank_; }
  std::size_t cluster_size() const { return std::max<std::size_t>(1, cluster_.size()); }
  // As __syncthreads(), for all threads of the cluster.
  void cluster_barrier(const char* file, int line);
  // Where byte `offset` of the array stands in the shared memory of block `rank` of the cluster; nullptr: it
  // cannot be read, and that is said.
  const std::uint8_t* in_block(std::size_t rank, SharedArray& array, std::int64_t offset, std::uint32_t bytes,
                               std::uint16_t file, int line);
  void copy_async(PendingCopy copy);
  void copy_commit();
  void copy_wait(std::uint32_t pending_groups);
  std::uint16_t file_id_of(const char* path) {
    if (path != last_path_) last_path_ = path, last_file_ = known_file(path);
    return last_file_;
  }

  AsyncUnits& async();  // async_units.hpp

  uint3 block_index{}, block_dim{}, grid_dim{};

  // Writes to global memory that wait for the block's turn; null where it is the block's turn.
  SetAside* aside() { return apart_ ? &aside_ : nullptr; }
  // Whether the running block has set a write to this view aside: then it reads through aside().
  bool reads_aside(std::uint16_t view) const { return aside_.holds(view); }

 private:
  friend class AsyncUnits;
  void grow(Thread& thread);
  void begin_block(std::int64_t block);
  void forget_given_up();
  void run_threads();
  static void carry(void* self);
  void carry_threads();
  bool carry_in_a_row();
  void take_turns();
  Thread* next_thread();
  bool next_interval();
  void leave();
  [[noreturn]] void give_up();
  void meet_cluster();
  void check_far_reads();
  SharedArray* array_of(std::uint16_t view);
  int fiber_of(Thread& thread);
  bool complete_collectives(std::size_t first, std::size_t last);
  void complete(std::size_t first, std::uint32_t arrived);
  std::uint64_t shuffled(const Thread& lane, std::size_t first, std::uint32_t arrived);
  std::uint64_t undefined_value(const Thread& lane, unsigned source);
  std::uint64_t shuffle();
  void catch_up();
  bool bring(Thread& lane);
  bool take(Thread& lane);
  void close_shuffles(std::size_t first);
  bool complete_shuffles(std::size_t first, std::size_t last);
  void close_oldest(std::size_t first);
  void close_without_missing(std::size_t first, std::size_t last);
  std::uint32_t lanes_alive(std::size_t first) const;
  void synchronise(std::size_t first, std::uint32_t lanes);
  bool ordered(int other, std::uint32_t stamp) const;
  template <class F>
  void report_missing(std::size_t first, std::size_t last, std::size_t waiting, const Collective& at, F here);
  void check_barrier_round();
  bool refuse(const Config& config);
  void prepare(const Config& config);
  void forget_arrays();
  std::unique_ptr<SharedArray> lay_out(const SharedDeclaration& d);
  void complain(const SharedDeclaration& d, Message what);
  void refuse_global(std::int64_t index, std::int64_t size, std::uint32_t bytes, std::uint16_t file, int line,
                     bool store);
  void find(std::string kind, std::int64_t thread, int line, std::uint16_t file, Message what,
            std::int64_t other_thread = -1, int other_line = 0);
  void race(Message what, int line, std::uint16_t file, int other, int other_line);
  void read_cell(Cell& cell, std::uint16_t file, int line, bool atomic);
  std::uint16_t known_file(const char* path);
  template <class F>
  void write_cell(Cell& cell, std::uint16_t file, int line, bool atomic, F same_bytes);

  Options options_;
  std::int64_t block_ = 0;
  std::uint32_t epoch_ = 0, block_epoch_ = 0;  // this barrier interval; the block's first
  // Vector clocks: seen_[thread * 32 + lane] is the stamp up to which `thread` knows what that lane of its
  // warp did.
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> seen_;
  std::vector<Thread> threads_;
  std::vector<OpenShuffles> shuffles_;  // of each warp
  std::size_t warp_ = 0,
              lane_ = 0;  // the warp whose turn it is, by its first thread; the next thread to look at
  std::unique_ptr<AsyncUnits> async_;  // from the first time on that a kernel uses them
  Fibers fibers_;
  bool given_up_ = false;
  // Untraced threads run one after another, and what their states are is not written down until one of them
  // waits.
  bool in_a_row_ = false;
  int row_fiber_ = -1;
  Turns* turns_ = nullptr;
  std::vector<Machine*> cluster_;
  std::size_t rank_ = 0;
  bool meets_cluster_ = false;       // at the barrier that its threads stand at
  bool ended_ = false;               // this block
  std::uint32_t met_ = 0;            // barriers of the cluster that this block has passed
  std::uint32_t cluster_epoch_ = 0;  // the first interval behind the last of them
  struct FarRead {                   // of this block's memory, by another block
    const Cell* cell;
    std::int64_t block;
    std::uint16_t thread, file;
    int line;
  };
  std::vector<FarRead> far_reads_;  // since that barrier
  int asked_in_vain_ = 0;           // by this block, alone
  bool any_copies_ = false;         // cp.async since the threads were made new
  std::string refused_;
  Told told_;         // by the blocks of launch() so far
  BlockNotes notes_;  // of this block
  std::vector<std::span<const Access>> streams_;
  std::vector<std::span<const Copy>> copies_;
  SetAside aside_;
  bool apart_ = false;
  struct Slots {
    std::unique_ptr<Access[]> events;
    std::size_t size = 0;
  };
  std::vector<Slots> slots_;                                       // of each thread, kept from block to block
  std::uint64_t slots_taken_ = 0, most_events_ = kMaxBlockEvents;  // by this block
  const std::function<void()>* kernel_ = nullptr;
  std::unique_ptr<std::uint8_t[]> shared_;
  std::uint64_t shared_used_ = 0;
  std::int64_t dynamic_bytes_ = 0;
  std::vector<Cell> dynamic_cells_;
  std::vector<SharedDeclaration> declared_;
  std::vector<std::unique_ptr<SharedArray>> arrays_;  // of each declaration
  SharedViews views_;
  SourceFiles files_;
  std::vector<std::pair<const char*, std::uint16_t>> paths_;  // of files_, by the address of their text
  const char* last_path_ = nullptr;
  std::uint16_t last_file_ = 0;
};

}  // namespace lockstep::simt
