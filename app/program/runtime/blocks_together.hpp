// All blocks of a cooperative launch at once, on one thread of the host: each on a machine and a fiber of its
// own, from one barrier of the whole grid to the next. What shared memory and the tracer hold of a block is
// put away while others run.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/simt/fibers.hpp"
#include "kernels/simt/machine.hpp"
#include "runtime.hpp"

namespace lockstep::reader {

class BlocksTogether {
 public:
  // Whether there are stacks for all its threads.
  static bool fits(const LaunchCall& call);
  static constexpr std::int64_t kMostThreads = 16384;

  // The first `traced_blocks` run the traced kernel, the others its twin.
  BlocksTogether(const LaunchCall& call, const void* traced, std::int64_t traced_blocks);
  ~BlocksTogether();
  void run();
  simt::Machine& machine(std::int64_t block) { return *blocks_[std::size_t(block)].machine; }

  // The grid that runs on this thread; nullptr: none whose blocks are together.
  static BlocksTogether* running();
  static void forget_running();  // it was left by force
  // By a thread that stands at the grid's barrier; its block's other threads have come to it too.
  void wait(std::uint32_t site);
  // Shared memory that a block uses: the same place for all of them.
  void note_shared(void* at, std::uint64_t bytes);

 private:
  struct Block {
    std::unique_ptr<simt::Machine> machine;
    int fiber = -1;
    bool ended = false, traced = false;
    simt::Thread* thread = nullptr;                 // that goes on when the block does
    std::vector<std::uint32_t> passed;              // barriers of the grid, by thread
    std::uint32_t rounds = 0;                       // by the block
    std::uint32_t site = 0;                         // of the barrier where it waits
    std::vector<std::vector<std::uint8_t>> shared;  // of the ranges, where it has been there
    Tracer::PutAway put_away;
  };
  struct Range {
    void* at;
    std::uint64_t bytes;
  };
  static void carry(void* self);
  void go_on(std::size_t block);
  void bring_back(Block& block);
  void put_away(Block& block);
  void report_missing();

  const LaunchCall& call_;
  std::function<void()> traced_kernel_, twin_kernel_;
  std::vector<Block> blocks_;
  std::vector<Range> ranges_;
  std::size_t current_ = 0;
  simt::Fibers fibers_;
};

}  // namespace lockstep::reader
