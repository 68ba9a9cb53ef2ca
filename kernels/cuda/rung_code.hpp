// The tables of rungs compiled for the GPU (generated from kernels/<ladder>/NN_name.cuh).
#pragma once

namespace lab {
class LaunchLog;
struct DeviceBinding;
}  // namespace lab

namespace lockstep::cuda {
struct RungCode {
  const char* file;
  void (*run)(void* launcher_state,
              const lab::DeviceBinding& binding);  // LaunchLog (clean, stamped), TracedLaunches
};
extern const RungCode* const clean_rungs[];
extern const RungCode* const traced_rungs[];
extern const RungCode* const stamped_rungs[];  // some of them
}  // namespace lockstep::cuda
