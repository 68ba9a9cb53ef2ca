// Numbers at settings of their own, on this machine's GPU.
#pragma once
#include <memory>

#include "kernels/experiments.hpp"
#include "rung_lookup.hpp"

namespace lockstep {

// Keeps the buffers of the launch that it timed last: a slider asks for them again.
class GpuMeasurements {
 public:
  virtual ~GpuMeasurements() = default;
  virtual Status measure(const MeasurementPlan& plan, const RungRef& found, Run& run) = 0;
};
// In builds with CUDA alone:
std::unique_ptr<GpuMeasurements> make_gpu_measurements();
Error gpu_error(const std::string& what);

}  // namespace lockstep
