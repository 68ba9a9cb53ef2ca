#include "kernels/cuda/trace_session.hpp"

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/launch_facts.hpp"

namespace lockstep::cuda {

struct TraceSession::Window {
  std::int64_t first_block;
  unsigned blocks;
  unsigned threads_per_block;
  std::int64_t only_block;  // -1: all of them
  std::uint64_t threads() const { return std::uint64_t(blocks) * threads_per_block; }
};

static std::int64_t cluster_of(const void* kernel) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return 1;
  return std::max(1, attributes.requiredClusterWidth);
}

TraceSession::TraceSession(TracePlan plan, OnLaunch on_launch, OnBlock on_block)
    : plan_(std::move(plan)), on_launch_(std::move(on_launch)), on_block_(std::move(on_block)) {
  state_.capacity = std::max(1u, plan_.capacity);
  state_.copy_capacity = plan_.copy_capacity;
  state_.renamed_count = unsigned(std::min<std::size_t>(plan_.renamed.size(), kMostRenamedViews));
  std::copy_n(plan_.renamed.begin(), state_.renamed_count, state_.renamed);
}

TraceSession::~TraceSession() {
  cudaFree(state_.slots), cudaFree(state_.counts), cudaFree(state_.copies), cudaFree(state_.copy_counts);
  cudaFree(state_.copy_groups);
}

bool TraceSession::reserve(std::uint64_t threads) {
  if (threads <= reserved_threads_) return true;
  const auto take = [&]<class T>(T*& pointer, std::uint64_t n) {
    cudaFree(pointer);
    pointer = nullptr;
    return log_.check(cudaMalloc(&pointer, std::max<std::uint64_t>(1, n) * sizeof(T)), "slots for the trace");
  };
  if (!take(state_.slots, threads * state_.capacity) || !take(state_.counts, threads) ||
      !take(state_.copies, threads * state_.copy_capacity) || !take(state_.copy_counts, threads) ||
      !take(state_.copy_groups, threads))
    return false;
  reserved_threads_ = threads;
  return true;
}

void TraceSession::run(const char* name, const void* kernel, lab::Extents grid, lab::Extents block,
                       long bytes, const StartWindow& start_window) {
  if (stopped_ || !log_.before(name, kernel, grid, block, bytes)) return;
  on_launch_(log_.facts.back());
  const auto threads = unsigned(block.x * block.y * block.z);
  const std::int64_t blocks = std::int64_t(grid.x) * grid.y * grid.z;
  const std::uint64_t per_block =
      std::uint64_t(threads) * (state_.capacity * sizeof(Access) + state_.copy_capacity * sizeof(Copy) + 12);
  const std::int64_t cluster = cluster_of(kernel);  // its blocks are started together
  const auto window_blocks =
      (std::int64_t(std::clamp<std::uint64_t>(plan_.window_bytes / per_block, 1, 1u << 30)) + cluster - 1) /
      cluster * cluster;
  state_.grid_x = unsigned(grid.x), state_.grid_y = unsigned(grid.y), state_.grid_z = unsigned(grid.z);
  const std::int64_t only = std::min(plan_.only_block, blocks - 1);
  std::int64_t first = 0, last = blocks;
  if (only >= 0) first = only / cluster * cluster, last = first + cluster;
  for (; first < last && !stopped_; first += window_blocks) {
    Window window{first, unsigned(std::min(window_blocks, last - first)), threads, only};
    if (!reserve(window.threads()) || !run_window(window, start_window) || !fetch_and_fold(window)) return;
  }
}

void TraceSession::host(lab::LaunchLog::Host what, void* to, const void* from, std::size_t bytes) {
  if (stopped_) return;
  log_.host(what, to, from, bytes, {}, true);
}

bool TraceSession::run_window(Window& window, const StartWindow& start_window) {
  state_.first_block = std::uint64_t(window.first_block);
  cudaMemset(state_.counts, 0, window.threads() * sizeof *state_.counts);
  cudaMemset(state_.copy_counts, 0, window.threads() * sizeof *state_.copy_counts);
  cudaMemset(state_.copy_groups, 0, window.threads() * sizeof *state_.copy_groups);
  if (state_.copy_capacity)
    cudaMemset(state_.copies, 0, window.threads() * state_.copy_capacity * sizeof *state_.copies);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaEventRecord(begin);
  const bool started = log_.check(start_window(state_, window.blocks), "traced launch");
  cudaEventRecord(end);
  const bool finished = started && log_.check(cudaEventSynchronize(end), "traced kernel");
  float ms = 0;
  if (finished) cudaEventElapsedTime(&ms, begin, end);
  traced_ms_ += ms;
  cudaEventDestroy(begin), cudaEventDestroy(end);
  return finished;
}

bool TraceSession::fetch_and_fold(const Window& window) {
  const std::uint64_t threads = window.threads();
  events_.resize(threads * state_.capacity), counts_.resize(threads), copy_counts_.resize(threads);
  copies_.resize(threads * state_.copy_capacity);
  if (!log_.check(
          cudaMemcpy(events_.data(), state_.slots, events_.size() * sizeof(Access), cudaMemcpyDeviceToHost),
          "trace") ||
      !log_.check(
          cudaMemcpy(counts_.data(), state_.counts, threads * sizeof(std::uint32_t), cudaMemcpyDeviceToHost),
          "trace") ||
      !log_.check(cudaMemcpy(copy_counts_.data(), state_.copy_counts, threads * sizeof(std::uint32_t),
                             cudaMemcpyDeviceToHost),
                  "trace") ||
      !log_.check(
          cudaMemcpy(copies_.data(), state_.copies, copies_.size() * sizeof(Copy), cudaMemcpyDeviceToHost),
          "trace"))
    return false;
  std::vector<std::span<const Access>> streams(window.threads_per_block);
  std::vector<std::span<const Copy>> copies(window.threads_per_block);
  for (unsigned b = 0; b < window.blocks && !stopped_; ++b) {
    for (unsigned i = 0; i < window.threads_per_block; ++i) {
      const std::uint64_t t = std::uint64_t(b) * window.threads_per_block + i;
      const std::uint32_t kept = std::min(counts_[t], state_.capacity);
      const std::uint32_t copies_kept = std::min(copy_counts_[t], state_.copy_capacity);
      dropped_ += counts_[t] - kept + copy_counts_[t] - copies_kept;
      streams[i] = {events_.data() + t * state_.capacity, kept};
      copies[i] = {copies_.data() + t * state_.copy_capacity, copies_kept};
    }
    const std::int64_t block = window.first_block + b;
    if (window.only_block < 0 || block == window.only_block) stopped_ = !on_block_(block, streams, copies);
  }
  return true;
}

}  // namespace lockstep::cuda
