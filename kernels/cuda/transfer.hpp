// A row of copies, prefetches and kernels on this machine's GPU, with when each was asked for and when it was
// done. Plain C++ types.
#pragma once
#include <functional>
#include <vector>

#include "app/model/transfer.hpp"
#include "kernels/cuda/host_calls.hpp"
#include "kernels/cuda/pipeline.hpp"
#include "kernels/ladder.hpp"

namespace lockstep::cuda {

struct TransferRuns {
  int runs = 11;
  // Brings the buffers to their first state, before each run. False on failure.
  std::function<bool()> reset;
  // After the first run: whether the result is right.
  std::function<Result<bool>()> check;
};

// Times in us.
struct TransferMeasurement {
  PipelineRecord record;      // of the run with the median total: a span per call
  Spread total, plain;        // with an event before and behind each operation, and without
  double clock_error_us = 0;  // of the GPU's times against the CPU's, +-
};
Result<TransferMeasurement> measure_transfer(const std::vector<lab::HostCall>& calls,
                                             const TransferRuns& plan);

// How long the kernels among the calls run, one after the other, by events: median.
Result<double> kernels_us(const std::vector<lab::HostCall>& calls);

// What a rung's launcher would ask for with these settings; nothing is done.
Result<std::vector<lab::HostCall>> host_calls(const RungInfo& rung, const lab::DeviceBinding& binding);

}  // namespace lockstep::cuda
