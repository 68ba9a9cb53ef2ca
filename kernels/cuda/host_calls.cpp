#include "kernels/cuda/host_calls.hpp"

#include <cuda_runtime.h>

namespace lab {
namespace {

int prefetch(const void* data, std::size_t bytes, bool to_device, cudaStream_t stream) {
  int device = 0;
  cudaGetDevice(&device);
#if CUDART_VERSION >= 13000
  cudaMemLocation place{};
  place.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
  place.id = to_device ? device : 0;
  return cudaMemPrefetchAsync(data, bytes, place, 0, stream);
#else
  return cudaMemPrefetchAsync(data, bytes, to_device ? device : cudaCpuDeviceId, stream);
#endif
}

}  // namespace

unsigned read_pages(const void* data, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const auto* first = static_cast<const volatile unsigned char*>(data);
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes; i += kPage) sum += first[i];
  return sum;
}

const char* name_of(const HostCall& call) {
  using enum lockstep::OperationKind;
  if (call.kind == kernel) return "cudaLaunchKernel";
  if (call.kind == prefetch_in || call.kind == prefetch_out) return "cudaMemPrefetchAsync";
  if (call.kind == host_read) return "cudaDeviceSynchronize";
  return call.waits ? "cudaMemcpy" : "cudaMemcpyAsync";
}

int make_host_call(const HostCall& call, void* on) {
  using enum lockstep::OperationKind;
  const auto stream = static_cast<cudaStream_t>(on);
  switch (call.kind) {
    case copy_in:
    case copy_out: {
      const auto way = call.kind == copy_in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
      return call.waits ? cudaMemcpy(call.to, call.from, call.bytes, way)
                        : cudaMemcpyAsync(call.to, call.from, call.bytes, way, stream);
    }
    case prefetch_in:
    case prefetch_out:
      return prefetch(call.from, call.bytes, call.kind == prefetch_in, stream);
    case host_read: {
      const cudaError_t error = cudaDeviceSynchronize();
      if (error == cudaSuccess) read_pages(call.from, call.bytes);
      return error;
    }
    case kernel:
      break;
  }
  const KernelNode& k = call.kernel;
  std::vector<void*> arguments;
  for (const auto& argument : k.arguments) arguments.push_back(const_cast<std::uint8_t*>(argument.data()));
  const auto dims = [](Extents e) { return dim3(unsigned(e.x), unsigned(e.y), unsigned(e.z)); };
  return cudaLaunchKernel(k.kernel, dims(k.grid), dims(k.block), arguments.data(),
                          std::size_t(k.dynamic_shared_bytes), stream);
}

}  // namespace lab
