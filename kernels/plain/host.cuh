// What the main() of a program that is exported calls.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// An error of CUDA ends the program.
void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(2);
}

using HostBuffer = std::vector<std::uint8_t>;

// The same bytes on the GPU.
template <class T>
T* to_device(const HostBuffer& host) {
  void* device = nullptr;
  require(cudaMalloc(&device, host.size()));
  require(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice));
  return static_cast<T*>(device);
}

void to_host(HostBuffer& host, const void* device) {
  require(cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDeviceToHost));
}

// Of 20 runs, by CUDA events, behind 3 that warm up.
template <class F>
float median_ms(F run) {
  constexpr int kWarmUp = 3, kRuns = 20;
  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin)), require(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < kWarmUp + kRuns; ++i) {
    require(cudaEventRecord(begin));
    run();
    require(cudaEventRecord(end));
    require(cudaEventSynchronize(end));
    float ms = 0;
    require(cudaEventElapsedTime(&ms, begin, end));
    if (i >= kWarmUp) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
