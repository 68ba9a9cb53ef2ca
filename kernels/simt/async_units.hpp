// What works beside the threads of a block on compute capability 9.0: the copy engine that moves boxes of a
// matrix (TMA, cp.async.bulk.tensor) and the tensor cores that multiply by themselves (wgmma), with the
// barriers in shared memory by which they and the threads wait for each other (mbarrier). By the PTX ISA's
// "mbarrier", "cp.async.bulk.tensor", "Tensor Memory Access: Swizzling Modes" and "wgmma".
//
// Bytes and sums arrive as late as the waits allow: a kernel that does not wait finds what was there before.
// Who knows what of whom is kept in one clock per thread, with an entry for every thread, barrier and
// warpgroup of the block: what a barrier's box wrote is known to those who waited for that barrier, and to
// nobody else. The clocks of a cluster's blocks have entries for all of them: what a block brings into
// another one's shared memory, and where it arrives at the other one's barriers, hangs on what it knows of
// that one.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/model/result.hpp"
#include "app/model/tensor_box.hpp"
#include "machine.hpp"

namespace lockstep::simt {

// A line of the kernel, as the machine names it.
struct Where {
  std::uint16_t file = 0;
  int line = 0;
};

// One element of a shared array of mbarriers.
struct BarrierName {
  const SharedArray* array = nullptr;
  std::int64_t index = 0;
  auto operator<=>(const BarrierName&) const = default;
};

// 16 bytes of a box. The part of them that lies outside of the tensor becomes zeros.
struct BoxPiece {
  std::int64_t target = 0;  // byte of the array, swizzled
  const std::uint8_t* source = nullptr;
  std::uint32_t bytes_inside = 16;
};
struct Box {
  SharedArray* target = nullptr;
  std::uint16_t source_view = 0;
  std::vector<BoxPiece> pieces;
  std::int64_t bytes() const { return std::int64_t(pieces.size()) * 16; }
};

// A box on its way to a tensor, in pieces of 16 bytes of which what lies inside is written.
struct StorePiece {
  std::int64_t source = 0;  // byte of the array, swizzled
  std::uint8_t* target = nullptr;
  std::uint32_t bytes_inside = 0;
};
struct StoredBox {
  // Changes what stands at the target by the bytes of a piece, element by element; `aside` as
  // Machine::aside().
  using Reduce = void (*)(SetAside* aside, std::uint16_t view, std::uint8_t* target,
                          const std::uint8_t* bytes, std::uint32_t count);
  SharedArray* source = nullptr;
  std::uint16_t target_view = 0;
  std::vector<StorePiece> pieces;
  Reduce reduce = nullptr;  // nullptr: it is stored
};

// What the bits of an element stand for.
struct ElementFormat {
  const char* name;
  int bytes;
  float (*widen)(std::uint32_t bits);
  // The elements of 16 bytes, `step` apart.
  void (*widen_unit)(const std::uint8_t* unit, double* to, std::size_t step);
};

// An operand of wgmma in shared memory: a matrix descriptor, 128-byte swizzle.
struct SharedOperand {
  SharedArray* array = nullptr;
  std::int64_t offset = 0;               // of the first byte
  std::int64_t leading = 0, stride = 0;  // bytes; PTX ISA, "Matrix Descriptor Format"
  bool by_columns = false;               // the wanted rows stand as columns (MN-major)
  const ElementFormat* format = nullptr;
  Where at;
  int element_bytes() const { return format->bytes; }
  int depth() const { return 32 / element_bytes(); }  // k of one product
};

// What one warp of a warpgroup asks for: its 16 rows of D (64 x n) += A (64 x depth) B (depth x n).
struct Product {
  SharedOperand a, b;
  bool a_in_registers = false;
  bool keep = true;  // false: D = A B
  int n = 0;
  std::size_t first_thread = 0;  // of the warp
  struct Lane {
    float* d = nullptr;           // n / 2 of them
    const unsigned* a = nullptr;  // 4 registers, where A is in registers
  };
};

class AsyncUnits {
 public:
  explicit AsyncUnits(Machine& machine) : m_(machine) {}
  void begin_block();
  void end_block();  // complains of what nobody waited for

  // --- mbarriers ---
  // `arrivals` end a phase; 0 bytes are awaited until an arrival announces some.
  void init(BarrierName name, std::int64_t arrivals, const char* what, Where at);
  void publish();  // fence.mbarrier_init: the copy engine sees them from here on
  void arrive_expecting(BarrierName name, std::int64_t bytes, Where at);
  // At the barrier that stands at the same place in block `rank` of the cluster.
  void arrive_at(std::size_t rank, BarrierName name, Where at);
  // Until the phase of this parity has ended.
  void wait(BarrierName name, unsigned parity, Where at);

  // --- named barriers (named_barriers.cpp) ---
  void sync_named(int id, int threads, Where at);
  void arrive_named(int id, int threads, Where at);
  void check_zero();  // when a barrier interval ends

  // --- boxes ---
  // Whether such a box may go from or to the array of `bytes` bytes at `data`, and from or to that byte of
  // shared memory, a multiple of 128. Elsewhere an H200 says "an illegal instruction was encountered".
  bool possible(const TensorBox& t, const BoxPlace& place, bool stored, const void* data, std::int64_t bytes,
                const SharedArray* array, std::int64_t byte, Where at);
  // The same for bytes that are no tensor: 128 divides both places and the bytes, which are 32 KB at most.
  // The hardware takes multiples of 16, and then asks for five sectors where four have the bytes.
  bool aligned_bulk(const SharedArray* target, std::int64_t target_byte, std::int64_t source_byte,
                    std::int64_t bytes, Where at);
  void copy(Box box, BarrierName name, Where at);
  // To the same place in each of these blocks of the cluster, a bit each, and counted at its own barrier
  // there.
  void copy_to(unsigned blocks, const Box& box, BarrierName name, Where at);
  // The other way round. Bytes are read where the thread that asked waits for that, and written where it
  // waits for that or where the block ends.
  void store(StoredBox box, Where at);
  void commit_stores();
  void wait_stores(std::uint32_t pending_groups, bool written);
  void fence();  // fence.proxy.async: what this thread wrote is there for the units, too

  // Where byte `byte` of the array's rows stands: their 16-byte units change places by its address.
  std::int64_t swizzled(const SharedArray& array, std::int64_t byte, BoxSwizzle swizzle) const;

  // --- products ---
  void sums_fence();  // wgmma.fence
  // All lanes of a warp; lanes[i] is the Product::Lane of lane i.
  void multiply(const Product& product, void* const lanes[32]);
  void commit();
  void wait_products(std::uint32_t pending_groups, Where at);

  // Of Machine: every thread waits or has ended. Lets arrive what is under way; false: nobody can go on by
  // that.
  bool wake();
  // Whether anybody waits for what cannot come; then it is said who for what.
  bool complain_if_stuck();
  // Whether another block of the cluster can still let a thread go on that waits here.
  bool waits_for_cluster() const;
  std::uint64_t phases_ended() const { return phases_ended_; }  // of all barriers, of all blocks so far
  // The stamp up to which thread `me` knows what `other`, a thread or a unit, did.
  std::uint32_t known(std::size_t me, std::size_t other) const {
    return clocks_.empty() ? 0 : clocks_[me * width_ + base_ + other];
  }
  // The stamp at which the reading of a shared cell ended, or kUnfinished.
  std::uint32_t end_of_reading(std::size_t reader, std::uint32_t stamp) const {
    const bool of_group = reader >= threads_ + kMaxBarriers && stamp & kWithGroup;
    if (!of_group || stamp == kUnfinished) return stamp;
    const auto& ended = groups_ended_[reader - threads_ - kMaxBarriers];
    const std::size_t group = stamp & ~kWithGroup;
    return group < ended.size() ? ended[group] : kUnfinished;
  }
  void merge_lanes(std::size_t first, std::uint32_t lanes);  // __syncwarp

 private:
  static constexpr std::size_t kMaxBarriers = 64;
  // Instead of the stamp at which a reading ended: it is under way; it ends with this group of products.
  static constexpr std::uint32_t kUnfinished = ~0u, kWithGroup = 1u << 31;
  using Clock = std::vector<std::uint32_t>;
  struct Barrier {
    std::string name;
    std::int64_t arrivals = 0, missing = 0, bytes = 0;  // per phase; what this one lacks
    std::uint32_t ended = 0;                            // phases
    bool published = false;
    std::size_t agent = 0;
    std::uint32_t init_epoch = 0, init_stamp = 0;
    std::uint16_t init_thread = 0;
    Where init_at;
    Clock gathering, last;  // what those who arrive know; what those knew who ended the last phase
  };
  static constexpr int kNamed = 16;
  struct Named {
    int threads = 0, come = 0;  // that it waits for, and that are here
    std::uint16_t thread = 0;   // the one that came last
    Where at;
    std::vector<bool> came;
    Clock gathering, last;
  };
  struct UnderWay {
    Box box;
    BarrierName barrier;
    Where at;
  };
  struct Leaving {
    StoredBox box;
    std::size_t thread = 0;
    std::uint32_t group = 0;
    bool read = false;
    std::vector<std::uint8_t> bytes;  // 16 of each piece, once they are read
    Where at;
  };
  // The sums of one warp that products still add to.
  struct Sums {
    std::vector<float> d[32];
    float* to[32] = {};
    std::uint32_t group = 0;      // of the last product
    std::uint32_t delivered = 0;  // lanes
    Where at;
  };
  // First operands of one warp that stand in its registers, as they were when the product was asked for.
  struct Held {
    Product::Lane lanes[32];
    std::array<unsigned, 4> was[32] = {};
    std::uint32_t group = 0, returned = 0;  // returned: lanes that have waited
    Where at;
  };
  struct Warp {
    std::vector<Sums> sums;
    std::vector<Held> held;
    std::uint32_t lanes_fenced = 0;
  };
  struct Waiting {
    enum class For : std::uint8_t { nothing, phase, products, named } what = For::nothing;
    BarrierName barrier;
    unsigned parity = 0;
    std::uint32_t groups = 0;  // that have to have ended
    Where at;
    int named = -1;
  };

  void begin();
  std::uint32_t& entry(std::size_t thread, std::size_t other) {
    return clocks_[thread * width_ + base_ + other];
  }
  std::uint32_t* clock_of(std::size_t thread) { return &clocks_[thread * width_]; }
  // The units of another block of the cluster; nullptr where it has not begun or may have ended, and that is
  // said.
  AsyncUnits* units_of(std::size_t rank, BarrierName& name, Where at);
  // Whether the running thread, of this block or of another one, knows what an agent of this block did.
  bool told(std::size_t agent, std::uint32_t stamp) const;
  Named* named(int id, int threads, Where at);
  bool come_to(Named& b, int id);
  void complain_of_named();
  int split_warp(const Named& b) const;
  void say_stuck_at_named(const Thread& thread);
  void take_box(Box box, BarrierName name, Where at);
  void take_arrival(BarrierName name, Barrier& barrier, std::int64_t bytes, Where at);
  std::size_t group_agent(std::size_t thread) const;
  Barrier* usable(BarrierName name, Where at);
  void end_phase_if_complete(BarrierName name, Barrier& barrier);
  void deliver(const UnderWay& u);
  void release(Clock& to);
  void acquire(std::size_t thread, const Clock& from);
  void leave(Waiting waiting);
  void go_on(std::size_t thread);
  bool all_committed(std::size_t thread, std::uint32_t groups) const;
  void finish(std::size_t thread, std::uint32_t groups);
  void check_target(Cell& cell, Where at);
  void check_source(const Cell& cell, Where at);
  void note_leaving(SharedArray& array, std::int64_t byte, Where at);
  void read_leaving(Leaving& leaving);
  void write_leaving(const Leaving& leaving);
  void say_released_early(bool first, const Cell& cell, Where at);
  void check_operand(const SharedOperand& operand, const Cell& cell);
  bool note_reading(const SharedOperand& operand, std::int64_t offset, std::size_t agent, std::uint32_t group,
                    const Cell*& checked);
  std::int64_t place(const SharedOperand& operand, int row, int k) const;
  Sums& sums_of(Warp& warp, const Product& product, void* const lanes[32], std::size_t first);
  void hold(Warp& warp, const Product& product, void* const lanes[32], std::uint32_t group);
  void return_held(std::size_t thread, std::uint32_t groups);
  void read_operand(const Product& product, const SharedOperand& operand, int row0, int rows,
                    std::uint32_t group, double* to);
  void read_first_operand(const Product& product, void* const lanes[32], std::uint32_t group, double* to);

  Machine& m_;
  // Entries of a block's agents; where this block's begin in a clock; entries of a clock.
  std::size_t threads_ = 0, span_ = 0, base_ = 0, width_ = 0;
  std::uint64_t phases_ended_ = 0;
  Clock clocks_;  // empty until this block uses a barrier or a unit
  std::vector<std::uint32_t> fenced_,
      committed_;  // of each thread: stamp of its last fence; groups of products
  std::vector<std::uint32_t> stored_groups_;
  std::vector<std::vector<std::uint32_t>> groups_ended_;  // of each warpgroup, of each of its groups: stamp
  std::vector<Leaving> leaving_;
  std::map<BarrierName, Barrier> barriers_;
  std::array<Named, kNamed> named_;
  std::vector<std::pair<std::uint16_t, Where>> at_zero_;  // came to barrier 0 by its number in this interval
  std::vector<UnderWay> under_way_;
  std::vector<Warp> warps_;
  std::vector<Waiting> waiting_;
  std::vector<double> a_, b_, row_;  // of one product
};

}  // namespace lockstep::simt
