// The cuda engine's extra entry for profilers and sanitizers.
#pragma once
#include "engine.hpp"

namespace lockstep {

// Runs the clean kernels of a request once, in this process, and checks the result: nothing else is launched,
// so that a profiler sees just them. Exit 3 where there is no GPU.
Result<Run> launch_clean(const Request& request);
// The same launches for a profiler, at sizes whose check takes minutes: nothing is read back.
Status launch_unchecked(const Request& request);

// Traces a request on the GPU and compares the followed block with the emulator, access by access.
struct StreamComparison {
  std::string difference;              // "" = equal
  std::uint64_t events = 0;            // of the followed block
  std::uint64_t launches = 0;          // of the rung: kernels one after another
  std::uint64_t mask_differences = 0;  // warp instructions whose lanes are not the recorded active mask
  Counts emulated, traced;
  bool emulated_pass = false;  // the emulator's result, by the same check
  // The cache models' bytes of the emulated grid, to stand beside the counters.
  std::uint64_t l2_load_bytes = 0, l2_store_bytes = 0, hbm_load_bytes = 0, hbm_store_bytes = 0;
};
Result<StreamComparison> compare_streams(const Request& request);

// Blocks per SM by the model and by the driver (cudaOccupancyMaxActiveBlocksPerMultiprocessor), for every
// clean kernel that the ladders launch at their validation settings, each with `per_kernel` random block
// sizes and dynamic shared bytes. Nothing is launched.
struct OccupancySweep {
  struct Kernel {
    std::string file;
    int registers = 0;
    std::int64_t static_shared_bytes = 0;
    int max_threads = 0;
    std::string answers;  // of the driver: "threads dynamic_bytes blocks" and a comma, for each configuration
  };
  struct Difference {
    std::string file;
    int registers = 0, threads = 0;
    std::int64_t shared_bytes = 0;
    int driver = 0, model = 0;  // blocks per SM
  };
  Device device;
  std::int64_t compared = 0;
  std::vector<Kernel> kernels;
  std::vector<Difference> differences;
};
Result<OccupancySweep> sweep_occupancy(int per_kernel);

}  // namespace lockstep
