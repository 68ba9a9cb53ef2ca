// The GPU as the cuda engine sees it: plain C++ types, CUDA's own errors as text.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run.hpp"
#include "app/model/step_times.hpp"
#include "kernels/cuda/launch_facts.hpp"
#include "kernels/cuda/launcher.cuh"
#include "kernels/ladder.hpp"

namespace lockstep::cuda {

class TraceSession;

// The first device. The message says why there is none.
Result<Device> find_device();
std::uint64_t free_bytes();

// The buffers of a problem on the device.
class DeviceBuffers {
 public:
  // `specs`: of the same buffers, where some lie in the host's memory. Managed inputs are brought back to the
  // host by an upload, managed outputs to the GPU by a poison.
  explicit DeviceBuffers(std::span<const std::span<std::uint8_t>> host,
                         std::span<const BufferSpec> specs = {});
  ~DeviceBuffers();
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;
  const std::string& error() const { return error_; }
  bool upload(std::span<const std::span<std::uint8_t>> host);
  bool download(std::span<const std::span<std::uint8_t>> host);
  // One of them: to where it is; to the host; filled with NaN where it is.
  bool upload(std::size_t buffer, std::span<const std::uint8_t> host);
  bool download(std::size_t buffer, std::span<std::uint8_t> host);
  bool poison(std::size_t buffer);
  lab::DeviceBinding binding(const Params& params) const;

 private:
  bool check(int error, const char* what);
  bool allocate(std::size_t bytes, MemoryKind memory);
  void release(std::size_t buffer);
  std::vector<lab::DeviceBuffer> buffers_;
  std::vector<std::pair<MemoryKind, void*>>
      kinds_;  // of each buffer, with the host's address of a mapped one
  std::vector<bool> inputs_;
  std::string error_;
};

bool has_rung(const RungInfo& rung);
// One launch of the clean kernels; waits for them. The log keeps their facts and the first error.
void run_clean(const RungInfo& rung, const lab::DeviceBinding& binding, lab::LaunchLog& log);
// The same without the wait.
void start_clean(const RungInfo& rung, const lab::DeviceBinding& binding, lab::LaunchLog& log);
void run_traced(const RungInfo& rung, const lab::DeviceBinding& binding, TraceSession& session);

// A clean kernel as the driver knows it.
struct Kernel {
  const void* function = nullptr;
  int registers = 0;                     // per thread
  std::int64_t static_shared_bytes = 0;  // per block
  int max_threads = 0;                   // per block, by its registers and launch bounds
};
// The kernels that a rung's launcher would launch with these settings; nothing is launched.
std::vector<Kernel> kernels_of(const RungInfo& rung, const Params& params);
// cudaOccupancyMaxActiveBlocksPerMultiprocessor.
Result<int> driver_blocks(const Kernel& kernel, int threads, std::int64_t dynamic_shared_bytes);

struct TimingPlan {
  int min_runs = 10, max_runs = 50;
  double budget_ms = 400;  // stop repeating after this much measured time
};
// CUDA events around one clean run each, after a warm-up; L2 overwritten before each. Median, minimum, 95 %.
Result<Timing> time_clean(const RungInfo& rung, const lab::DeviceBinding& binding, const TimingPlan& plan);
// The host's clock around one cudaMemcpy between its memory (page-locked, or as malloc gives it, touched
// before) and the GPU's, until all has arrived. What came is compared once.
Result<Timing> time_host_copy(std::uint64_t bytes, bool pinned, bool to_device, const TimingPlan& plan);
// Notes of time of block 0: what each warp wrote down in that of several launches of the stamped kernel in
// which the block took the median time. Cycles count from the launch.
struct StepNotes {
  std::vector<WarpNotes> warps;  // that noted anything
  double slowdown =
      0;  // the block's time over that of a block which notes the launch and its last step alone
};
bool has_notes(const RungInfo& rung);
Result<StepNotes> note_steps(const RungInfo& rung, const lab::DeviceBinding& binding);
// What a vendor's code takes for the same problem on these buffers, the same way: "cuBLAS" (cublas.hpp),
// "cuBLASLt" (cublas_lt.hpp), "CUB" (cub.hpp), or "cudaMemcpy", device to device between the first two.
// Median in ms.
Result<double> time_reference(std::string_view name, const lab::DeviceBinding& binding,
                              const TimingPlan& plan);

}  // namespace lockstep::cuda
