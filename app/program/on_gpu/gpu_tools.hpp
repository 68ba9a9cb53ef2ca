// What a GPU run needs of this machine: nvcc, a device, and the profiler where there is one.
#pragma once
#include <string>

#include "app/model/run.hpp"

namespace lockstep::reader {

struct GpuTools {
  std::string nvcc, folder;  // the compiler, and the toolkit that it belongs to
  std::string version;       // "nvcc 13.0"
  std::string ncu;           // "": not installed
  Device device;
};

// Where nvcc is: the file that LOCKSTEP_NVCC names and no other; else on PATH, of CUDA_HOME or CUDA_PATH, or
// where the toolkit's installer puts it. "" for nowhere.
std::string find_nvcc();
// The error (exit 3) says what is missing. Starts nvcc and nvidia-smi: tens of milliseconds.
Result<GpuTools> find_gpu_tools();

}  // namespace lockstep::reader
