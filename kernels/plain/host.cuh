// What the main() of a program that is exported calls.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  require(cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDefault));
}

// The same bytes in the host's memory: where malloc puts them, page-locked (and mapped: the GPU goes there by the
// same address), or managed.
template <class T>
T* in_pageable(const HostBuffer& bytes) {
  return static_cast<T*>(std::memcpy(std::malloc(bytes.size()), bytes.data(), bytes.size()));
}
template <class T>
T* in_pinned(const HostBuffer& bytes) {
  void* host = nullptr;
  require(cudaHostAlloc(&host, bytes.size(), cudaHostAllocMapped));
  return static_cast<T*>(std::memcpy(host, bytes.data(), bytes.size()));
}
template <class T>
T* in_managed(const HostBuffer& bytes) {
  void* both = nullptr;
  require(cudaMallocManaged(&both, bytes.size()));
  return static_cast<T*>(std::memcpy(both, bytes.data(), bytes.size()));
}

// The pages of managed memory, on their way before anybody touches them.
void prefetch(const void* data, std::size_t bytes, int device) {
#if CUDART_VERSION >= 13000
  cudaMemLocation place{};
  place.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device < 0 ? 0 : device;
  require(cudaMemPrefetchAsync(data, bytes, place, 0, 0));
#else
  require(cudaMemPrefetchAsync(data, bytes, device, 0));
#endif
}
void prefetch_to_device(const void* data, std::size_t bytes) { prefetch(data, bytes, 0); }
void prefetch_to_host(const void* data, std::size_t bytes) { prefetch(data, bytes, -1); }

// The CPU waits for the GPU and reads a number of every page.
void read_on_host(const void* data, std::size_t bytes) {
  require(cudaDeviceSynchronize());
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes; i += 4096) sum += static_cast<const volatile unsigned char*>(data)[i];
  (void)sum;
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

// The tensor map of a matrix of elements of one, two or four bytes, which goes in boxes of box_rows x 128 bytes, with
// 128-byte swizzle.
template <class T>
CUtensorMap boxes(const T* data, int rows, int cols, int box_rows) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found));
  CUtensorMap map{};
  const cuuint64_t extents[] = {cuuint64_t(cols), cuuint64_t(rows)}, pitch[] = {cuuint64_t(cols) * sizeof(T)};
  const cuuint32_t box[] = {128 / sizeof(T), cuuint32_t(box_rows)}, steps[] = {1, 1};
  constexpr auto type = sizeof(T) == 4   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                        : sizeof(T) == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                         : CU_TENSOR_MAP_DATA_TYPE_UINT8;
  reinterpret_cast<Encode>(encode)(&map, type, 2, const_cast<T*>(data), extents, pitch, box, steps,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
