// Takes each access of a traced block: finds what memory it is on and where in the program it happens, checks
// it, and hands it to the emulator's machine as an event. One block is traced at a time, on one thread of the
// host.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "kernels/simt/machine.hpp"
#include "raw_finding.hpp"
#include "sites.hpp"

namespace lockstep::reader {

// A shared array of the running block.
struct SharedRegion {
  Region region;
  std::string name, type;
  std::vector<Cell> cells;
  simt::SharedDeclaration declared;
  simt::SharedArray* array = nullptr;  // the machine's
  std::int64_t seen_in = -1;           // the block that declared it last
};

class Tracer {
 public:
  DeviceMemory memory;
  Sites sites;
  RawFindings findings;
  simt::Machine* machine = nullptr;  // not null: a traced block is running
  std::int64_t dynamic_bytes = 0;    // of shared memory, of the launch
  int launch = -1;

  void begin_launch(std::uintptr_t state, std::uint64_t state_bytes);
  void begin_block(std::int64_t block, std::size_t threads);
  // Of blocks that run in turns, from one barrier of the grid to the next: what is kept of one meanwhile.
  struct PutAway {
    std::uint32_t first_stamp = 0;         // 0: it has not begun
    std::vector<std::vector<Cell>> cells;  // of its shared arrays
    std::vector<bool> seen;                // which it has declared
  };
  void begin_round() { launch_base_ = next_stamp_; }
  void bring_back(std::int64_t block, std::size_t threads, PutAway& from, simt::Machine& machine);
  void put_away(PutAway& to);
  void end_thread() { settle(); }
  void end_block();

  void access(void* at, std::uint32_t width, bool store, bool is_volatile, void* pc,
              std::uint32_t piece = 0) {
    if (!machine) return;
    if (pending_.active) settle();
    Entry& e = cache_[slot_of(pc, piece)];
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    if (e.pc != pc || e.piece != piece || address - e.begin > e.last || width > e.room)
      if (!classify(e, address, width, store, pc, piece)) return;
    if (address - e.begin + width > e.last + 1 || address % width) {
      refuse(e, address, width, store);
      if (address - e.begin + width > e.last + 1) return;
    }
    if (e.region->quiet) return;
    check(e, address, width, store, is_volatile);
    machine->record({std::uint32_t(address - e.begin), 0, 0, 0, e.site, e.region->view, std::uint8_t(width),
                     store                                              ? Kind::store
                     : is_volatile && e.region->view < kFirstSharedView ? Kind::load_l2
                                                                        : Kind::load});
  }
  // Gives the event's place in the thread's stream.
  std::ptrdiff_t atomic(void* at, std::uint32_t width, void* pc);
  // cp.async; `from` nullptr: fills with zeros. False where it has to be made at once.
  bool copy_async(void* to, const void* from, int bytes, void* pc);
  // The passing of a barrier or a __syncwarp by the running thread.
  void passed_barrier(std::uint32_t linear) { ++threads_[linear].stamp; }
  void passed_sync(std::uint32_t linear) { ++threads_[linear].sync; }
  void fence() { published_ = true; }
  void settle();

  // The shared array that the running thread declares; its range is poisoned where the block declares it
  // first.
  void declare_shared(void* at, std::uint64_t bytes, const char* name, const char* type, int line,
                      std::uint32_t element_bytes, std::uint64_t rows, std::uint64_t cols, bool dynamic);
  void find(RawFinding finding);
  std::uint32_t site(void* pc, std::uint32_t piece = 0) { return sites.of_address(pc, piece); }
  // Says of an address at which the untraced twin crashed what it is.
  void crashed_at(RawFinding& finding, std::uintptr_t address);
  // What a machine's finding calls a line is a site's number.
  void take(const std::vector<simt::RepeatedFinding>& found);

 private:
  struct Entry {
    void* pc = nullptr;
    std::uintptr_t begin = 1, last = 0;  // of the region; last: its bytes - 1
    Region* region = nullptr;
    SharedRegion* shared = nullptr;
    Allocation* allocation = nullptr;
    std::uint32_t piece = 0, room = 0;
    std::uint16_t site = 0;
  };
  static constexpr std::size_t kSlots = 4096;
  static std::size_t slot_of(void* pc, std::uint32_t piece) {
    const auto x = reinterpret_cast<std::uintptr_t>(pc);
    return (x ^ x >> 12 ^ piece * 977) % kSlots;
  }
  bool classify(Entry& e, std::uintptr_t address, std::uint32_t width, bool store, void* pc,
                std::uint32_t piece);
  bool outside(std::uintptr_t address, std::uint32_t width, bool store, void* pc, std::uint32_t piece);
  bool outside_shared(std::uintptr_t address, std::uint32_t width, bool store, void* pc, std::uint32_t piece);
  void refuse(const Entry& e, std::uintptr_t address, std::uint32_t width, bool store);
  void check(Entry& e, std::uintptr_t address, std::uint32_t width, bool store, bool is_volatile);
  void check_load(Entry& e, Cell& cell, std::uintptr_t address, bool is_volatile);
  void check_store(Entry& e, Cell& cell, std::uintptr_t address, std::uint32_t width, bool is_volatile);
  void note_reader(Cell& cell, std::uint16_t site);
  bool ordered(std::uint32_t other, std::uint32_t sync) const;
  void race(const Entry& e, const Cell& cell, std::uintptr_t address, std::uint32_t width, bool store,
            bool other_store);
  RawFinding at_entry(const char* kind, const Entry& e, std::uintptr_t address, std::uint32_t width,
                      bool store) const;
  std::int64_t block_of(std::uint32_t stamp) const;
  void describe(RawFinding& finding, const Entry& e, std::uintptr_t address) const;

  std::array<Entry, kSlots> cache_;
  struct PerThread {
    std::uint32_t stamp = 0;
    std::uint16_t sync = 0;
  };
  std::vector<PerThread> threads_;
  std::uint32_t launch_base_ = 1, block_base_ = 1, next_stamp_ = 1;
  std::uint32_t shared_base_ = 1;  // the block's first stamp
  std::int64_t block_ = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> blocks_;  // of this launch: first stamp, number
  std::vector<std::unique_ptr<SharedRegion>> shared_;           // of this launch
  std::uintptr_t state_ = 0, state_bytes_ = 0;
  bool published_ = false;  // this launch orders blocks among each other by fences
  // A store that may be a race: whether it changed anything is known when it has happened.
  struct Pending {
    bool active = false;
    std::uint8_t bytes = 0;
    std::uintptr_t at = 0;
    std::array<std::uint8_t, 16> old;
    RawFinding finding;
  };
  Pending pending_;
};

extern Tracer* the_tracer;  // made by the worker before anything of the program runs
inline Tracer& tracer() { return *the_tracer; }

}  // namespace lockstep::reader
