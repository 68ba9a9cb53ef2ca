// The same kernels as tensors.cu runs, as they are traced: prints hashes of their events, which the emulator's are held
// against: nvcc -std=c++20 -O3 --expt-relaxed-constexpr -I. -gencode=arch=compute_90a,code=sm_90a
// tests/gpu/traced_tensors.cu -o traced_tensors -lcuda && ./traced_tensors
#define LAB_TRACED
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/tensor_kernels.cuh"

using namespace bulk_test;
using Probe = lab::Traced;
using lab::TracedView;

namespace {

void ok(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::fflush(stdout);
  std::_Exit(1);
}

template <class To, class T>
TracedView<To> on_device(const std::vector<T>& data, std::uint16_t view) {
  void* p = nullptr;
  ok(cudaMalloc(&p, data.size() * sizeof(T)), "cudaMalloc");
  ok(cudaMemcpy(p, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return {static_cast<To*>(p), view};
}

// The events of blocks of 128 threads.
template <class... Parameters, class... Arguments>
EventHash traced(int blocks, int shared_bytes, void (*kernel)(Parameters...), Arguments... arguments) {
  constexpr std::uint32_t kCapacity = 4096;
  const std::size_t threads = std::size_t(blocks) * 128;
  lockstep::cuda::TraceState state;
  ok(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "attribute");
  ok(cudaMalloc(&state.slots, threads * kCapacity * sizeof(lockstep::Access)), "cudaMalloc");
  ok(cudaMalloc(&state.counts, threads * 4), "cudaMalloc");
  ok(cudaMemset(state.counts, 0, threads * 4), "cudaMemset");
  state.capacity = kCapacity, state.grid_x = unsigned(blocks);
  ok(cudaMemcpyToSymbol(lab::trace_state, &state, sizeof state), "trace_state");
  kernel<<<blocks, 128, shared_bytes>>>(arguments...);
  ok(cudaGetLastError(), "launch");
  ok(cudaDeviceSynchronize(), "kernel");
  std::vector<std::uint32_t> counts(threads);
  std::vector<lockstep::Access> events(threads * kCapacity);
  ok(cudaMemcpy(counts.data(), state.counts, threads * 4, cudaMemcpyDeviceToHost), "counts");
  ok(cudaMemcpy(events.data(), state.slots, events.size() * sizeof events[0], cudaMemcpyDeviceToHost), "events");
  EventHash all;
  for (std::size_t t = 0; t < threads; ++t) all.add(&events[t * kCapacity], &events[t * kCapacity] + counts[t]);
  cudaFree(state.slots), cudaFree(state.counts);
  return all;
}

#include "tests/traced_cases.inl"

}  // namespace

int main() {
  for (const TracedCase& c : traced_cases())
    std::printf("traced %s %016llx, %llu events\n", c.name.c_str(), (unsigned long long)c.events.hash(),
                (unsigned long long)c.events.events());
}
