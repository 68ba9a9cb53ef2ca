// The memory that a reader's kernels see: cudaMalloc's and its kin, in one reservation of addresses of their
// own, so that any address tells what it is: an allocation, the red zone behind one, one that was freed, or
// none of ours.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/program/program_run.hpp"

namespace lockstep::reader {

// Memory that nobody has written holds this: a NaN as float and half, as double no number that programs like.
// As float a signalling one, which no arithmetic gives back: what a kernel computes of it has been written.
constexpr std::uint32_t kPoison = 0xffb9ffb9u;

// Who touched a cell of memory last. Stamps count barrier intervals over all blocks and launches and never
// repeat.
struct Cell {
  std::uint32_t write_stamp = 0, read_stamp = 0;
  std::uint16_t writer = 0, write_site = 0, write_sync = 0;  // sync: __syncwarps that the thread had passed
  std::uint16_t reader = 0, read_site = 0, read_sync = 0;
  std::uint16_t other = 0, other_site = 0,
                other_sync = 0;  // a second thread that read in that interval, see kTwoReaders
};
constexpr std::uint16_t kThreadBits = 0x3ff, kByAtomic = 0x8000, kManyBlocks = 0x8000, kTwoReaders = 0x4000;

// Memory with a view: an allocation, a __device__ variable, a shared array.
struct Region {
  std::uintptr_t begin = 0, end = 0;
  std::uint16_t view = 0;
  bool shared = false, quiet = false;  // quiet: constant memory, whose accesses are not traced
  std::uint32_t cell_bytes = 4;
  std::uint32_t cell_shift = 2;
  Cell* cells = nullptr;  // nullptr: not watched for races
  std::uint64_t bytes() const { return end - begin; }
};

struct Allocation {
  Region region;
  ProgramArray array;
  bool live = true;
  std::uint32_t site = 0;  // of the call
  // Of device memory: written by a kernel; read by one; copied or read by the host since.
  bool written = false, read = false, fetched = false;
};

class DeviceMemory {
 public:
  DeviceMemory();
  bool usable() const { return base_ != 0; }
  bool holds(std::uintptr_t address) const { return address - base_ < reserved_; }
  // nullptr: no room. `zeroed`: managed and pinned memory begins so.
  Allocation* allocate(std::uint64_t bytes, bool zeroed);
  // Memory of the program's own.
  Allocation* adopt(void* at, std::uint64_t bytes);
  void free(Allocation& allocation);
  // The one, live or freed, that an address lies in.
  Allocation* find(std::uintptr_t address);
  // The last one that begins at or below the address.
  Allocation* below(std::uintptr_t address);
  // Gives it cells, where there is room for them.
  void watch(Allocation& allocation, std::uint32_t cell_bytes);
  const std::vector<std::unique_ptr<Allocation>>& all() const { return all_; }
  int index_of(const Allocation& allocation) const;
  std::uint64_t live_bytes() const { return live_bytes_; }

 private:
  std::uint16_t free_view() const;
  std::uintptr_t base_ = 0, next_ = 0;
  std::uint64_t reserved_ = 0, live_bytes_ = 0, watched_bytes_ = 0;
  std::vector<std::unique_ptr<Allocation>> all_;
  std::map<std::uintptr_t, Allocation*> by_begin_;
};

}  // namespace lockstep::reader
