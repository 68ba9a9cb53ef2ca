#include "kernels/cuda/cub.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <memory>

namespace lockstep::cuda {
namespace {

// call(storage, bytes, result): with no storage it says how many bytes it needs. The result lies behind them.
template <class Call>
Result<std::function<bool()>> launching(std::size_t result_bytes, Call call) {
  const std::size_t result = (result_bytes + 255) / 256 * 256;  // what cudaMalloc() aligns to
  std::size_t bytes = 0;
  cudaError_t error = call(nullptr, bytes, nullptr);
  void* memory = nullptr;
  if (error == cudaSuccess) error = cudaMalloc(&memory, result + bytes);
  if (error != cudaSuccess)
    return unavailable("CUB does not start on this GPU ({0}): there is no comparison",
                       {cudaGetErrorString(error)});
  const std::shared_ptr<void> owner(memory, cudaFree);
  return std::function<bool()>([=] {
    auto* out = static_cast<char*>(owner.get());
    std::size_t room = bytes;
    return call(out + result, room, out) == cudaSuccess;
  });
}

}  // namespace

Result<std::function<bool()>> cub_reduction(const lab::DeviceBinding& binding) {
  const int n = int(binding.param("n"));
  const bool max = binding.chosen("operation", "max");
  const auto* in = static_cast<const float*>(binding.buffers.at(0).data);
  return launching(sizeof(float), [=](void* storage, std::size_t& bytes, void* result) {
    auto* out = static_cast<float*>(result);
    return max ? cub::DeviceReduce::Max(storage, bytes, in, out, n)
               : cub::DeviceReduce::Sum(storage, bytes, in, out, n);
  });
}

Result<std::function<bool()>> cub_scan(const lab::DeviceBinding& binding) {
  const int n = int(binding.param("n"));
  const auto* in = static_cast<const int*>(binding.buffers.at(0).data);
  return launching(std::size_t(n) * sizeof(int), [=](void* storage, std::size_t& bytes, void* result) {
    return cub::DeviceScan::InclusiveSum(storage, bytes, in, static_cast<int*>(result), n);
  });
}

}  // namespace lockstep::cuda
