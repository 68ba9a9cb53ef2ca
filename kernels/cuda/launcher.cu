#include "kernels/cuda/launcher.cuh"

#include <cuda_runtime.h>

namespace lab {
namespace {

constexpr long kStaticSharedLimit = 48 * 1024;  // more has to be asked for (CUDA C++ Programming Guide)

lockstep::Occupancy occupancy_of(const void* kernel, Extents block, long dynamic_shared_bytes) {
  lockstep::Occupancy o;
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return o;
  o.threads_per_block = block.x * block.y * block.z;
  o.registers = attributes.numRegs;
  o.shared_bytes = std::int64_t(attributes.sharedSizeBytes) + dynamic_shared_bytes;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&o.blocks_per_sm, kernel, o.threads_per_block,
                                                std::size_t(dynamic_shared_bytes));
  int device = 0, threads = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  o.warps_per_sm = o.blocks_per_sm * ((o.threads_per_block + 31) / 32);
  if (threads) o.fraction = double(o.warps_per_sm) * 32 / threads;
  return o;
}

}  // namespace

bool LaunchLog::check(int cuda_error, const char* what) {
  if (cuda_error == cudaSuccess) return true;
  if (error.empty())
    error = std::string(what) + ": " + cudaGetErrorString(static_cast<cudaError_t>(cuda_error));
  return false;
}

bool LaunchLog::before(const char* name, const void* kernel, Extents grid, Extents block, long bytes) {
  if (!error.empty()) return false;
  if (bytes > kStaticSharedLimit &&
      !check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), name))
    return false;
  if (keep_facts) facts.push_back({name, grid, block, bytes, occupancy_of(kernel, block, bytes)});
  return true;
}

void LaunchLog::after() { check(cudaGetLastError(), facts.empty() ? "launch" : facts.back().name.c_str()); }

}  // namespace lab
