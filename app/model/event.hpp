// What a traced kernel emits. One layout for the GPU probe, the emulator, run files and the fold.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace lockstep {

enum class Space : std::uint8_t { global = 0, shared = 1 };

enum class Kind : std::uint8_t {
  load = 0,
  store = 1,
  atomic = 2,       // whose result is used
  barrier = 3,      // __syncthreads(): a new barrier interval begins for this thread
  warp_sync = 4,    // a warp collective: a new interval within the warp
  iteration = 5,    // the loop iteration that follows has the number `offset`
  copy_issue = 6,   // an asynchronous copy was issued: where it reads (global); details in Copy
  copy_target = 7,  // where the copy just issued will write (shared)
  mark = 8,   // begin_step(name, index): what follows is that part of the kernel; name in `view`, index in
              // `offset`
  value = 9,  // show(name, index, x): a number that the kernel holds; the bits of x stand in `mask`
  reduction = 10,     // an atomic on global memory whose result nobody asks for (RED)
  load_l2 = 11,       // a load of global memory that goes around the L1 (ld.cg, ld.volatile)
  arithmetic = 12,    // arithmetic(n): the lanes that come here issue `offset` instructions, none on memory
  load_cluster = 13,  // a load of the shared memory of another block of the cluster (ld.shared::cluster)
  // What units beside the threads do (app/model/units.hpp has what the fields of these say):
  box_source = 14,  // the copy engine was told to fetch a box (cp.async.bulk.tensor): where it reads (global)
  box_target = 15,  // and where it writes (shared)
  product_a = 16,   // a product of a warpgroup was begun (wgmma): its first operand (shared)
  product_b = 17,   // and its second one
  arrive = 18,      // at the mbarrier at `offset` of the shared array
  await_phase = 19,         // until a phase of it has ended; its parity is added to `offset`
  await_products = 20,      // until at most `offset` groups of products are on their way
  store_target = 21,        // the copy engine was told to store a box: where it writes (global)
  store_source = 22,        // and where it reads (shared)
  await_stores = 23,        // until at most offset / 2 groups of stores still read; odd: have not yet written
  arrive_named = 24,        // at a named barrier (bar.arrive); named_barrier() in `offset`
  sync_named = 25,          // and until it is complete (bar.sync)
  launch_dependents = 26,   // the next launch may begin (griddepcontrol.launch_dependents)
  await_prerequisites = 27  // until the launches before have ended (griddepcontrol.wait)
};
constexpr Kind kLastKind = Kind::await_prerequisites;

// Which one, and of how many threads.
constexpr std::uint32_t named_barrier(int id, int threads) {
  return (std::uint32_t(id) & 0xff) | std::uint32_t(threads) << 8;
}

constexpr bool is_load(Kind kind) {
  return kind == Kind::load || kind == Kind::load_l2 || kind == Kind::load_cluster;
}
constexpr bool is_box(Kind kind) { return kind == Kind::box_source || kind == Kind::box_target; }
constexpr bool is_box_store(Kind kind) { return kind == Kind::store_target || kind == Kind::store_source; }
constexpr bool is_product(Kind kind) { return kind == Kind::product_a || kind == Kind::product_b; }
// Of the copy engine or the tensor cores: as an event one per box or operand, folded 16 bytes per lane.
constexpr bool is_unit_access(Kind kind) { return is_box(kind) || is_box_store(kind) || is_product(kind); }
constexpr bool is_atomic(Kind kind) { return kind == Kind::atomic || kind == Kind::reduction; }
constexpr bool moves_data(Kind kind) {
  return is_load(kind) || kind == Kind::store || is_atomic(kind) || kind == Kind::copy_issue ||
         kind == Kind::copy_target || is_unit_access(kind);
}
// Says something about the kernel, costs nothing and touches nothing.
constexpr bool is_remark(Kind kind) {
  return kind == Kind::iteration || kind == Kind::mark || kind == Kind::value;
}
constexpr bool reads(Kind kind) {
  return is_load(kind) || is_atomic(kind) || kind == Kind::copy_issue || kind == Kind::box_source ||
         kind == Kind::store_source || is_product(kind);
}
constexpr bool writes(Kind kind) {
  return kind == Kind::store || is_atomic(kind) || kind == Kind::copy_target || kind == Kind::box_target ||
         kind == Kind::store_target;
}

// One event of one thread. 20 bytes, no padding. The eight bytes from `file` on are the site key.
struct Access {
  std::uint32_t offset = 0;  // bytes from the start of the view
  std::uint32_t mask = 0;    // lanes active with this one, as the GPU saw it; 0 from the emulator; of what
                             // units are told a part of what is said there (units.hpp)
  std::uint32_t clock = 0;   // low 32 bits of the SM's clock; 0 from the emulator
  std::uint16_t file = 0;    // file_id() of the source
  std::uint16_t line = 0;
  std::uint16_t view =
      0;  // below kFirstSharedView: a kernel argument; else a shared array's, kFirstSharedView + line of its
          // SHARED unless another file has one on that line too
  std::uint8_t width = 0;  // bytes of this access: 1, 2, 4, 8 or 16
  Kind kind = Kind::load;

  std::uint64_t site() const {
    std::uint64_t key;
    std::memcpy(&key, &file, sizeof key);
    return key;
  }
  bool operator==(const Access&) const = default;
};
static_assert(sizeof(Access) == 20);

// An asynchronous copy (cp.async and later the bulk copies): issued by one thread, complete after a wait.
struct Copy {
  std::uint32_t source_offset = 0, target_offset = 0;  // bytes from the start of each view
  std::uint32_t bytes = 0;
  std::uint32_t group = 0;                        // commit group of this thread, from 0
  std::uint32_t issue = 0, commit = 0, wait = 0;  // positions in the thread's Access stream; 0 = never
  std::uint16_t source_view = 0, target_view = 0;
  std::uint16_t file = 0, line = 0;
  bool operator==(const Copy&) const = default;
};
static_assert(sizeof(Copy) == 36);

constexpr std::uint16_t kFirstSharedView = 256;
constexpr std::uint16_t kZeros =
    0xffff;  // Copy::source_view where the copy fills with zeros and reads nothing

// What a view is: its name in the source, its shape (rows, cols; 1-D has one number), its element.
struct ViewInfo {
  std::uint16_t id = 0;
  std::string name;
  Space space = Space::global;
  std::string type = "float";
  std::uint32_t element_bytes = 4;
  std::vector<std::uint64_t> shape;
  std::uint32_t pitch = 0;  // elements from row to row (shared tiles); 0 = the last extent
  std::uint64_t elements() const {
    std::uint64_t n = 1;
    for (std::uint64_t extent : shape) n *= extent;
    return n;
  }
};

// 16-bit name of a step or of a shown value: FNV-1a, folded. 0 is no name.
constexpr std::uint16_t name_id(const char* name) {
  std::uint32_t hash = 2166136261u;
  for (; *name; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619u;
  return static_cast<std::uint16_t>(hash ^ (hash >> 16));
}
// The index of a show_if() whose condition was false.
constexpr std::uint32_t kNotShown = 0xffffffffu;

// 16-bit name of a source file: FNV-1a of its folder and name ("transpose/02_naive.cuh"), folded. Of the
// files of this build no two share one; files that come at run time may (SourceFile).
constexpr std::uint16_t file_id(const char* path) {
  const char *previous = path, *last = path;
  for (const char* q = path; *q; ++q)
    if (*q == '/') previous = last, last = q + 1;
  std::uint32_t hash = 2166136261u;
  for (const char* q = previous; *q; ++q) hash = (hash ^ static_cast<unsigned char>(*q)) * 16777619u;
  return static_cast<std::uint16_t>(hash ^ (hash >> 16));
}

}  // namespace lockstep
