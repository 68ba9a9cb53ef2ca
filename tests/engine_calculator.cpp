// The occupancy rules against NVIDIA's own calculator, in builds that find the CUDA toolkit.
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#include <doctest/doctest.h>

#include "app/devices/gpus.hpp"
#include "app/model/occupancy.hpp"

using namespace lockstep;

namespace {

cudaOccDeviceProp properties_of(const Gpu& gpu) {
  cudaOccDeviceProp p{};
  p.computeMajor = gpu.compute_capability / 10, p.computeMinor = gpu.compute_capability % 10;
  p.maxThreadsPerBlock = gpu.max_threads_per_block, p.maxThreadsPerMultiprocessor = gpu.max_threads_per_sm;
  p.regsPerBlock = p.regsPerMultiprocessor = gpu.registers_per_sm;
  p.warpSize = 32, p.numSms = gpu.multiprocessors;
  p.sharedMemPerBlock = 48 << 10, p.sharedMemPerMultiprocessor = std::size_t(gpu.shared_bytes_per_sm);
  p.sharedMemPerBlockOptin = std::size_t(gpu.shared_bytes_per_block);
  p.reservedSharedMemPerBlock = std::size_t(gpu.reserved_shared_bytes);
  return p;
}

int calculated(const cudaOccDeviceProp& properties, const Gpu& gpu, const BlockNeeds& needs) {
  cudaOccFuncAttributes a{};
  a.maxThreadsPerBlock = gpu.max_threads_per_block, a.numRegs = needs.registers;
  a.maxDynamicSharedSizeBytes = std::size_t(gpu.shared_bytes_per_block);
  a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN, a.numBlockBarriers = 1;
  const cudaOccDeviceState state{};
  cudaOccResult result{};
  const auto error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &a, &state, needs.threads,
                                                             std::size_t(needs.shared_bytes));
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

}  // namespace

TEST_CASE("on every device the blocks per SM are those of NVIDIA's calculator") {
  for (const Gpu& gpu : known_gpus()) {
    const cudaOccDeviceProp properties = properties_of(gpu);
    int different = 0, compared = 0;
    for (int threads = 1; threads <= 1024; threads += threads < 96 ? 1 : 31)
      for (int registers = 1; registers <= 255; registers += 3)
        for (std::int64_t shared = 0; shared <= gpu.shared_bytes_per_block; shared += 5 * 1024 + 36) {
          const BlockNeeds needs{threads, registers, shared};
          different += resident_blocks(gpu, needs).blocks != calculated(properties, gpu, needs);
          ++compared;
        }
    CAPTURE(gpu.name);
    CAPTURE(compared);
    CHECK(different == 0);
  }
}
#endif
