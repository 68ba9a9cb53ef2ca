#include "kernels/cuda/launcher.cuh"

#include <cuda_runtime.h>

#include "kernels/cuda/host_calls.hpp"
#include "kernels/cuda/launch_facts.hpp"

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

LaunchLog::~LaunchLog() {
  for (void* stream : streams_)
    if (stream) cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}

void* LaunchLog::stream(Stream which) {
  if (which.index < 1) return nullptr;
  if (streams_.size() < std::size_t(which.index)) streams_.resize(std::size_t(which.index), nullptr);
  void*& made = streams_[std::size_t(which.index) - 1];
  if (!made) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    made = stream;
  }
  return made;
}

void LaunchLog::host(Host what, void* to, const void* from, std::size_t bytes, Stream on, bool waits) {
  using enum lockstep::OperationKind;
  if (!error.empty() || !launches || nodes) return;
  HostCall call{what == Host::copy_in        ? copy_in
                : what == Host::copy_out     ? copy_out
                : what == Host::prefetch_in  ? prefetch_in
                : what == Host::prefetch_out ? prefetch_out
                                             : host_read,
                on.index,
                waits,
                to,
                from,
                bytes,
                {}};
  if (calls) return calls->push_back(std::move(call));
  check(make_host_call(call, stream(on)), name_of(call));
}

bool LaunchLog::check(int cuda_error, const char* what) {
  if (cuda_error == cudaSuccess) return true;
  if (error.empty())
    error = std::string(what) + ": " + cudaGetErrorString(static_cast<cudaError_t>(cuda_error));
  return false;
}

// A launch that the device would refuse is refused here, with the limit's name.
bool LaunchLog::fits(const char* name, const void* kernel, Extents block, long bytes) {
  cudaFuncAttributes a{};
  if (!check(cudaFuncGetAttributes(&a, kernel), name)) return false;
  int device = 0, most_shared = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  const int threads = block.x * block.y * block.z;
  const long shared = long(a.sharedSizeBytes) + bytes;
  if (threads > a.maxThreadsPerBlock)
    error = std::string(name) + ": blocks of " + std::to_string(threads) + " threads, and with " +
            std::to_string(a.numRegs) + " registers per thread it takes at most " +
            std::to_string(a.maxThreadsPerBlock) + " on this GPU";
  else if (shared > most_shared)
    error = std::string(name) + ": " + std::to_string(shared) +
            " bytes of shared memory per block, and this GPU allows " + std::to_string(most_shared);
  return !(refused = !error.empty());
}

bool LaunchLog::before(const char* name, const void* kernel, Extents grid, Extents block, long bytes) {
  if (!error.empty()) return false;
  if (keep_facts && !fits(name, kernel, block, bytes)) return false;
  // The limit is on what a block takes in all; arrays of the kernel's own are part of it.
  cudaFuncAttributes own{};
  if (bytes > 0 && !check(cudaFuncGetAttributes(&own, kernel), name)) return false;
  if (long(own.sharedSizeBytes) + bytes > kStaticSharedLimit &&
      !check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), name))
    return false;
  if (keep_facts) facts.push_back({name, grid, block, bytes, occupancy_of(kernel, block, bytes), kernel});
  return launches;
}

void LaunchLog::after() { check(cudaGetLastError(), facts.empty() ? "launch" : facts.back().name.c_str()); }

void LaunchLog::place(int stream, const std::vector<int>& after) { stream_ = stream, after_ = after; }

void LaunchLog::add(const char* name, const void* kernel, Extents grid, Extents block, long bytes,
                    std::vector<std::vector<std::uint8_t>> arguments, int stream) {
  KernelNode node{name, kernel, grid, block, bytes, std::move(arguments), stream_, after_};
  if (nodes) return nodes->push_back(std::move(node));
  HostCall call;
  call.kind = lockstep::OperationKind::kernel, call.stream = stream, call.kernel = std::move(node);
  calls->push_back(std::move(call));
}

}  // namespace lab
