#include "kernels/cuda/stopwatches.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>

#include "kernels/cuda/clocks.cuh"

namespace lockstep::cuda {
namespace {

// Behind it the events and what lies between them are queued before any of them is reached. It leaves the L2
// alone.
__global__ void keep_busy() {
  const unsigned long long start = gpu_ns();
  while (gpu_ns() - start < 20'000) {
  }
}

class Measuring {
 public:
  Measuring(const std::function<bool(int)>& launch, int runs) : launch_(launch), runs_(runs) {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
    int device = 0, l2_bytes = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    flush_bytes_ = std::size_t(2) * std::size_t(std::max(1, l2_bytes));
    check(cudaMalloc(&flush_, flush_bytes_));
  }
  ~Measuring() {
    cudaEventDestroy(begin_), cudaEventDestroy(end_);
    cudaFree(flush_);
  }
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  StopwatchRuns by(Stopwatch stopwatch, int copy, bool first_ever, const StopwatchTold& told) {
    StopwatchRuns all;
    told(stopwatch, StopwatchMoment::begins);
    const double first = once(stopwatch, copy);
    told(stopwatch, StopwatchMoment::first_done);
    all.first_us = first_ever ? first : 0;
    for (int i = -3; i < runs_ && fine(); ++i) {
      const double us = once(stopwatch, copy);
      if (i >= 0) all.runs.push_back(us);
    }
    told(stopwatch, StopwatchMoment::ends);
    return all;
  }
  bool fine() const { return error_ == cudaSuccess && launched_; }
  std::string error() const { return launched_ ? cudaGetErrorString(error_) : "the launch failed"; }

 private:
  void check(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
  }
  double once(Stopwatch stopwatch, int copy) {
    const bool by_events = stopwatch == Stopwatch::events || stopwatch == Stopwatch::events_cold;
    if (stopwatch == Stopwatch::events_cold) check(cudaMemsetAsync(flush_, 0, flush_bytes_));
    if (stopwatch == Stopwatch::events) keep_busy<<<1, 1>>>();
    if (by_events) check(cudaEventRecord(begin_));
    const std::int64_t start = cpu_ns();
    launched_ = launched_ && launch_(copy);
    if (by_events) check(cudaEventRecord(end_));
    if (stopwatch == Stopwatch::cpu_synced) check(cudaDeviceSynchronize());
    const std::int64_t end = cpu_ns();
    check(cudaDeviceSynchronize());
    if (!by_events) return double(end - start) / 1e3;
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_));
    return double(ms) * 1e3;
  }

  const std::function<bool(int)>& launch_;
  int runs_ = 0;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
  cudaError_t error_ = cudaSuccess;
  bool launched_ = true;
};

}  // namespace

Result<Stopwatches> measure_stopwatches(const std::function<bool(int copy)>& launch, int copies, int runs,
                                        const StopwatchTold& told) {
  static std::atomic<int> used = 1;  // copy 0 is the one that every other run launches
  Stopwatches all;
  Measuring measuring(launch, runs);
  for (int s = 0; s < kStopwatches && measuring.fine(); ++s) {
    const int copy = used.fetch_add(1);
    all[std::size_t(s)] = measuring.by(Stopwatch(s), copy < copies ? copy : 0, copy < copies, told);
  }
  if (!measuring.fine())
    return Error{Exit::worker_died, {"the stopwatches could not be read: {0}", {measuring.error()}}};
  return all;
}

}  // namespace lockstep::cuda
