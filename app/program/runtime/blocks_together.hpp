// All blocks of a cooperative launch at once, on one thread of the host: each on a machine and a fiber of its
// own, from one barrier of the whole grid to the next. What shared memory and the tracer hold of a block is
// put away while others run.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/simt/turns.hpp"
#include "runtime.hpp"

namespace lockstep::reader {

class BlocksTogether final : private simt::Turns {
 public:
  // Whether there are stacks for all its threads.
  static bool fits(const LaunchCall& call);
  static constexpr std::int64_t kMostThreads = 16384;

  // The first `traced_blocks` run the traced kernel, the others its twin.
  BlocksTogether(const LaunchCall& call, const void* traced, std::int64_t traced_blocks);
  ~BlocksTogether() override;
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
    bool traced = false;
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
  void body(std::size_t block) override;
  void begin_turn(std::size_t block) override;
  void end_turn(std::size_t block) override;
  void begin_round(std::vector<std::size_t>& order) override;
  bool end_round(std::size_t left) override;
  void report_missing();

  const LaunchCall& call_;
  std::function<void()> traced_kernel_, twin_kernel_;
  std::vector<Block> blocks_;
  std::vector<Range> ranges_;
};

}  // namespace lockstep::reader
