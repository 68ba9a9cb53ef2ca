#include "kernels/cuda/cub.hpp"

#include <cub/device/device_reduce.cuh>
#include <memory>

namespace lockstep::cuda {
namespace {

cudaError_t reduce(bool max, void* storage, std::size_t& bytes, const float* in, float* out, int n) {
  return max ? cub::DeviceReduce::Max(storage, bytes, in, out, n)
             : cub::DeviceReduce::Sum(storage, bytes, in, out, n);
}

}  // namespace

Result<std::function<bool()>> cub_reduction(const lab::DeviceBinding& binding) {
  const int n = int(binding.param("n"));
  const bool max = binding.chosen("operation", "max");
  const auto* in = static_cast<const float*>(binding.buffers.at(0).data);
  constexpr std::size_t kResult = 256;  // what cudaMalloc() aligns to
  std::size_t bytes = 0;
  float* none = nullptr;
  cudaError_t error = reduce(max, nullptr, bytes, in, none, n);
  void* memory = nullptr;
  if (error == cudaSuccess) error = cudaMalloc(&memory, kResult + bytes);
  if (error != cudaSuccess)
    return unavailable("CUB does not start on this GPU ({0}): there is no comparison",
                       {cudaGetErrorString(error)});
  const std::shared_ptr<void> owner(memory, cudaFree);
  return std::function<bool()>([=] {
    auto* out = static_cast<float*>(owner.get());
    std::size_t room = bytes;
    return reduce(max, static_cast<char*>(owner.get()) + kResult, room, in, out, n) == cudaSuccess;
  });
}

}  // namespace lockstep::cuda
