// A pipeline's kernels launched by streams and as graphs on this machine's GPU, with what each call and each
// step of the GPU took. Plain C++ types.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/model/activity.hpp"
#include "app/model/pipeline.hpp"
#include "kernels/cuda/launcher.cuh"

namespace lockstep::cuda {

// The ways to run the same kernels.
enum class Way : std::uint8_t { stream, graph, built, updated };
constexpr int kWays = 4;
const char* name_of(Way way);

// A fault to be met on purpose, to see what becomes of the rest: the capture is invalidated by a wait inside,
// the instantiation is asked for with flags that exclude each other, the driver says that it is one of
// CUDA 12.2.
enum class Fault : std::uint8_t { none, capture, instantiate, driver };

struct PipelinePlan {
  bool each = false;  // the CPU waits after every kernel
  int replays = 20;
  // Called before each run: brings the buffers to their first state, the stamps as well. False on failure.
  std::function<bool()> reset;
  // Called after the first run of each way: whether the results are right.
  std::function<Result<bool>(Way way)> check;
  // Told what of the measurement begins now, between what is timed.
  std::function<void(const char* part)> told = [](const char*) {};
  // The stamps on the device: [kernels][2] in ns of %globaltimer, as the kernels' first begin and last end.
  const void* stamps = nullptr;
  // Nodes whose arguments are others than those of the same kernels before: what an update brings.
  std::vector<lab::KernelNode> other;
  Fault fault = Fault::none;
};

// The runtime's answer to an attempt of something, and to the way out. 0 = done.
struct CaptureCase {
  std::string slug;
  int error = 0, way_out = 0;
  std::string error_name, way_out_name;  // the runtime's names: "cudaErrorStreamCaptureUnsupported"
};

struct Spread {
  double median = 0, min = 0, max = 0;
};

// Times in us.
struct PipelineMeasurement {
  PipelineRecord stream, graph, capture;  // of the run with the median total; of one capture
  Spread stream_total, graph_total;
  // The same calls in a plain loop without a clock between them: from the first call to the end of the wait.
  Spread stream_loop, graph_loop;
  LaunchCosts costs;
  double clock_error_us = 0;  // of the GPU's clock against the CPU's, +-
  double timer_step_us = 0;   // of %globaltimer
  Spread instantiate, upload, launch_call, build, update, set_parameters;
  double memory_bytes = 0;  // that an instantiated graph takes; 0 where the driver shows no difference
  std::string
      graph_problem;  // why there is no graph: its record and times are empty then, the stream's are not
  std::vector<CaptureCase> cases;
  ActivityTrace activity;  // of runs of its own, after everything that is timed
};

// All ways. The error says which call failed. `nodes` and `kernels` have the same order.
Result<PipelineMeasurement> measure_pipeline(const std::vector<PipelineNode>& nodes,
                                             const std::vector<lab::KernelNode>& kernels,
                                             const PipelinePlan& plan);

// How long one kernel runs by its own stamps: us from its first block's begin to its last block's end,
// median.
Result<double> stamped_us(const lab::KernelNode& kernel, const PipelinePlan& plan);

// The kernels that a rung's launcher would launch with these settings; nothing is launched.
Result<std::vector<lab::KernelNode>> pipeline_kernels(const RungInfo& rung,
                                                      const lab::DeviceBinding& binding);

}  // namespace lockstep::cuda
