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
              const lab::DeviceBinding& binding);  // LaunchLog (clean), TracedLaunches (traced)
};
extern const RungCode* const clean_rungs[];
extern const RungCode* const traced_rungs[];
}  // namespace lockstep::cuda
