// Runs one rung of a ladder on the emulator and folds its grid.
#pragma once
#include <functional>
#include <optional>

#include "app/model/grid_fold.hpp"
#include "kernels/ladder.hpp"
#include "machine.hpp"

namespace lockstep::simt {

struct Emulation {
  std::vector<Launch> launches;
  Counts counts;
  std::vector<Touch> touches;
  std::vector<Finding> findings;
  std::int64_t findings_dropped = 0;
  std::uint64_t accesses = 0;                             // events of the blocks that ran
  std::uint64_t most_events = 0, most_copies = 0;         // of one thread of one block
  std::uint64_t l2_load_bytes = 0, l2_store_bytes = 0;    // the cache models': L1 to L2
  std::uint64_t hbm_load_bytes = 0, hbm_store_bytes = 0;  // and L2 to HBM
  bool overflowed = false;  // a block made more than kMaxBlockEvents: the counts are not complete
  std::string printed;      // by the kernels' printf
  std::string refused;      // what waits for other blocks; "" = nothing
  std::string no_kernel;    // why the rung has no kernel for these settings; "" = it has one
  std::vector<SharedViews::Place> renamed_views;
  std::vector<SourceFile> files;
  // The first block, if any, that read what another one of its launch had written: it needs the blocks'
  // order.
  std::optional<SeenWrite> seen_write;
  int ran_in_order = 0;  // launches that several threads could not share (Grid)
};

struct EmulationOptions {
  Options machine;
  std::int64_t followed_block = 0, followed_warp = 0;
  Gpu gpu;           // whose caches are modelled
  bool fold = true;  // counts, touches, cache models
  // Of the host; 0 = threads_to_use(). What comes out does not depend on it.
  int threads = 0;
  // Called after each block with (blocks done, blocks of this launch); false stops.
  std::function<bool(std::int64_t, std::int64_t)> progress;
};

bool has_rung(const RungInfo& rung);

// `buffers` in the order of ladder.buffers(params, rung); outputs are written in place. `file` names the
// rung.
Emulation emulate(const Ladder& ladder, std::string_view file, const Params& params,
                  std::span<const std::span<std::uint8_t>> buffers, const EmulationOptions& options);

// What the rung's launcher asks for at these settings, without running anything.
std::vector<Config> launches_of(const Ladder& ladder, std::string_view file, const Params& params);
// The same with what the host does besides, in the order of the calls: one of the two each.
struct HostStep {
  std::optional<Config> launch;
  HostOperation operation;
};
std::vector<HostStep> host_steps_of(const Ladder& ladder, std::string_view file, const Params& params);
// In the terms of the models: where the arrays lie, what the kernels themselves move over the link. Managed
// inputs lie with the host at first, managed outputs with the GPU.
std::vector<Operation> operations_of(const Ladder& ladder, std::string_view file, const Params& params);

// Storage for the buffers of a problem, 256-byte aligned: inputs filled, outputs poisoned with NaN.
class ProblemBuffers {
 public:
  ProblemBuffers(const Ladder& ladder, const Params& params, std::string_view rung);
  std::span<const std::span<std::uint8_t>> spans() const { return spans_; }
  const std::vector<BufferSpec>& specs() const { return specs_; }
  // As at the start: outputs poisoned, inputs that a run may have changed as filled.
  void reset();
  std::uint64_t input_bytes() const;
  std::vector<ConstBytes> contents() const { return {spans_.begin(), spans_.end()}; }

 private:
  std::vector<BufferSpec> specs_;
  std::vector<std::unique_ptr<std::uint8_t[]>> storage_;
  std::vector<std::span<std::uint8_t>> spans_;
  std::map<std::size_t, std::vector<std::uint8_t>> filled_;  // of those inputs
};

// The global buffers as views 0, 1, ...
std::vector<ViewInfo> global_views(const std::vector<BufferSpec>& specs);

}  // namespace lockstep::simt
