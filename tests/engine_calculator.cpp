// The occupancy rules against NVIDIA's own calculator, in builds that find the CUDA toolkit.
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#include <doctest/doctest.h>

#include <random>

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

namespace {

// Differences among all registers and shared bytes in steps of 1 KB, for blocks of so many threads.
struct Sweep {
  std::int64_t compared = 0, different = 0;
  void add(const cudaOccDeviceProp& properties, const Gpu& gpu, const BlockNeeds& needs) {
    different += resident_blocks(gpu, needs).blocks != calculated(properties, gpu, needs);
    ++compared;
  }
  void add_block_size(const cudaOccDeviceProp& properties, const Gpu& gpu, int threads) {
    for (int registers = 1; registers <= gpu.max_registers_per_thread; ++registers)
      for (std::int64_t shared = 0; shared <= gpu.shared_bytes_per_block; shared += 1024)
        add(properties, gpu, {threads, registers, shared});
  }
};

}  // namespace

TEST_CASE(
    "on every device the blocks per SM are those of NVIDIA's calculator: every warp count, register and KB") {
  for (const Gpu& gpu : known_gpus()) {
    const cudaOccDeviceProp properties = properties_of(gpu);
    Sweep sweep;
    for (int warps = 1; warps <= 32; ++warps) sweep.add_block_size(properties, gpu, 32 * warps);
    CAPTURE(gpu.name);
    CHECK(sweep.compared >= 32 * 255 * 64);
    CHECK(sweep.different == 0);
  }
}

TEST_CASE(
    "odd block sizes and odd shared bytes, at random and past the limits, give the calculator's blocks") {
  std::mt19937 random(20261122);
  const auto below = [&](std::int64_t end) { return std::int64_t(random() % std::uint64_t(end)); };
  for (const Gpu& gpu : known_gpus()) {
    const cudaOccDeviceProp properties = properties_of(gpu);
    Sweep sweep;
    for (int i = 0; i < 100000; ++i)
      sweep.add(properties, gpu,
                {1 + int(below(gpu.max_threads_per_block)), 1 + int(below(gpu.max_registers_per_thread)),
                 below(gpu.shared_bytes_per_block + 2048)});
    CAPTURE(gpu.name);
    CHECK(sweep.different == 0);
  }
}

TEST_CASE("an SM of 227 KB a block holds 6 blocks of 32 KB, by the calculator as well: 228 / 33") {
  const Gpu h200;
  CHECK(calculated(properties_of(h200), h200, {256, 32, 32 * 1024}) == 6);
  CHECK(resident_blocks(h200, {256, 32, 32 * 1024}).blocks == 6);
}
#endif
