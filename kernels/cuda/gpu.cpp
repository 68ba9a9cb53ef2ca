#include "kernels/cuda/gpu.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "kernels/cuda/cub.hpp"
#include "kernels/cuda/cublas.hpp"
#include "kernels/cuda/cublas_lt.hpp"
#include "kernels/cuda/host_calls.hpp"
#include "kernels/cuda/pipeline.hpp"
#include "kernels/cuda/rung_code.hpp"
#include "kernels/cuda/trace_session.hpp"
#include "kernels/cuda/transfer.hpp"
#include "kernels/rung_code.hpp"

namespace lockstep::cuda {
namespace {

std::string version_text(int version) {  // 13000 -> "13.0"
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The kernel module's version ("580.159.04"), where Linux tells it; else the CUDA version the driver
// supports.
std::string driver_text() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  if (file >> version) return version;
  int cuda = 0;
  cudaDriverGetVersion(&cuda);
  return "CUDA " + version_text(cuda);
}

const RungCode* find(const RungCode* const* table, std::string_view file) {
  for (; *table; ++table)
    if (file == (*table)->file) return *table;
  return nullptr;
}

// What a rung's launcher is called with: the code that the rung brings with it, else the build's.
using Launch = std::function<void(void* state, const lab::DeviceBinding& binding)>;
Launch launch_of(const RungCode* const* table, const RungInfo& rung) {
  if (rung.code) return table == clean_rungs ? rung.code->clean : rung.code->traced;
  const RungCode* code = find(table, rung.file);
  return code ? Launch(code->run) : Launch();
}

int attribute(cudaDeviceAttr what) {
  int value = 0;
  cudaDeviceGetAttribute(&value, what, 0);
  return value;
}

}  // namespace

Result<Device> find_device() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver)
    return unavailable(
        "no NVIDIA driver was found, or it is older than CUDA {0}: the emulator and the recordings work "
        "without",
        {version_text(CUDART_VERSION)});
  if (error != cudaSuccess || count < 1)
    return unavailable("no NVIDIA GPU can be used: {0}",
                       {error ? cudaGetErrorString(error) : "none was found"});
  cudaDeviceProp properties{};
  if (const cudaError_t e = cudaGetDeviceProperties(&properties, 0); e != cudaSuccess)
    return unavailable("the NVIDIA GPU does not answer: {0}", {cudaGetErrorString(e)});
  Device device;
  device.name = properties.name;
  device.compute_capability = properties.major * 10 + properties.minor;
  device.multiprocessors = properties.multiProcessorCount;
  device.clock_mhz = attribute(cudaDevAttrClockRate) / 1000;
  device.driver = driver_text();
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  device.runtime = version_text(runtime);
  return device;
}

std::uint64_t free_bytes() {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  return free;
}

DeviceBuffers::DeviceBuffers(std::span<const std::span<std::uint8_t>> host,
                             std::span<const BufferSpec> specs) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    inputs_.push_back(i >= specs.size() || specs[i].input);
    if (!allocate(host[i].size(), i < specs.size() ? specs[i].memory : MemoryKind::device)) return;
  }
  upload(host);
}

DeviceBuffers::~DeviceBuffers() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) release(i);
}

void DeviceBuffers::release(std::size_t buffer) {
  const auto [kind, host] = kinds_[buffer];
  if (kind == MemoryKind::pageable)
    std::free(buffers_[buffer].data);
  else if (kind == MemoryKind::pinned || kind == MemoryKind::mapped)
    cudaFreeHost(host);
  else
    cudaFree(buffers_[buffer].data);
}

bool DeviceBuffers::allocate(std::size_t bytes, MemoryKind memory) {
  lab::DeviceBuffer buffer{nullptr, bytes};
  const std::size_t size = std::max<std::size_t>(1, bytes);
  void* host = nullptr;
  bool made = false;
  switch (memory) {
    case MemoryKind::device:
      made = check(cudaMalloc(&buffer.data, size), "buffers on the GPU");
      break;
    case MemoryKind::pageable:
      made = (buffer.data = std::malloc(size)) != nullptr;
      if (!made) error_ = "malloc: no memory for " + std::to_string(size) + " bytes";
      break;
    case MemoryKind::pinned:
      made = check(cudaHostAlloc(&host, size, cudaHostAllocDefault), "page-locked buffers");
      buffer.data = host;
      break;
    case MemoryKind::mapped:
      made = check(cudaHostAlloc(&host, size, cudaHostAllocMapped), "page-locked buffers") &&
             check(cudaHostGetDevicePointer(&buffer.data, host, 0), "mapped buffers");
      if (!made && host) cudaFreeHost(host);
      break;
    case MemoryKind::managed:  // more than the card has free would be paged in and out
      if (size > free_bytes()) {
        error_ = "managed buffers: " + std::to_string(size) + " bytes, and the GPU has " +
                 std::to_string(free_bytes()) + " free";
        return false;
      }
      made = check(cudaMallocManaged(&buffer.data, size), "managed buffers");
      break;
  }
  if (made) buffers_.push_back(buffer), kinds_.emplace_back(memory, host);
  return made;
}

bool DeviceBuffers::check(int error, const char* what) {
  if (error != cudaSuccess && error_.empty())
    error_ = std::string(what) + ": " + cudaGetErrorString(static_cast<cudaError_t>(error));
  return error == cudaSuccess;
}

bool DeviceBuffers::upload(std::span<const std::span<std::uint8_t>> host) {
  if (!error_.empty()) return false;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (!upload(i, host[i])) return false;
  return true;
}

bool DeviceBuffers::upload(std::size_t buffer, std::span<const std::uint8_t> host) {
  const MemoryKind kind = kinds_[buffer].first;
  void* const there = buffers_[buffer].data;
  if (kind == MemoryKind::managed && !inputs_[buffer])
    return poison(buffer);  // by the GPU: its pages are there
  if (kind != MemoryKind::pageable && kind != MemoryKind::managed)
    return check(cudaMemcpy(there, host.data(), host.size(), cudaMemcpyDefault), "copy to the GPU");
  if (!check(cudaDeviceSynchronize(), "copy to the GPU")) return false;
  std::memcpy(there, host.data(), host.size());
  return true;
}

bool DeviceBuffers::download(std::span<const std::span<std::uint8_t>> host) {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (!download(i, host[i])) return false;
  return true;
}

bool DeviceBuffers::download(std::size_t buffer, std::span<std::uint8_t> host) {
  if (kinds_[buffer].first == MemoryKind::pageable) {
    if (!check(cudaDeviceSynchronize(), "copy from the GPU")) return false;
    std::memcpy(host.data(), buffers_[buffer].data, host.size());
    return true;
  }
  return check(cudaMemcpy(host.data(), buffers_[buffer].data, host.size(), cudaMemcpyDefault),
               "copy from the GPU");
}

bool DeviceBuffers::poison(std::size_t buffer) {
  const auto [kind, host] = kinds_[buffer];
  const bool of_host = kind != MemoryKind::device && kind != MemoryKind::managed;
  if (!of_host)
    return check(cudaMemset(buffers_[buffer].data, 0xff, buffers_[buffer].bytes), "poison on the GPU");
  if (!check(cudaDeviceSynchronize(), "poison on the host")) return false;
  std::memset(host ? host : buffers_[buffer].data, 0xff, buffers_[buffer].bytes);
  return true;
}

lab::DeviceBinding DeviceBuffers::binding(const Params& params) const { return {&params, buffers_}; }

bool has_rung(const RungInfo& rung) { return launch_of(clean_rungs, rung) && launch_of(traced_rungs, rung); }

void start_clean(const RungInfo& rung, const lab::DeviceBinding& binding, lab::LaunchLog& log) {
  launch_of(clean_rungs, rung)(&log, binding);
}

void run_clean(const RungInfo& rung, const lab::DeviceBinding& binding, lab::LaunchLog& log) {
  start_clean(rung, binding, log);
  if (log.error.empty()) log.check(cudaDeviceSynchronize(), rung.file.c_str());
}

std::vector<Kernel> kernels_of(const RungInfo& rung, const Params& params) {
  std::vector<Kernel> kernels;
  const Launch launch = launch_of(clean_rungs, rung);
  if (!launch) return kernels;
  lab::LaunchLog log;
  log.launches = false;
  lab::DeviceBinding binding;
  binding.params = &params;
  binding.buffers.resize(16);  // more than a rung has; never touched
  launch(&log, binding);
  for (const lab::LaunchFacts& facts : log.facts) {
    cudaFuncAttributes a{};
    if (cudaFuncGetAttributes(&a, facts.kernel) != cudaSuccess) continue;
    kernels.push_back({facts.kernel, a.numRegs, std::int64_t(a.sharedSizeBytes), a.maxThreadsPerBlock});
  }
  return kernels;
}

Result<std::vector<lab::KernelNode>> pipeline_kernels(const RungInfo& rung,
                                                      const lab::DeviceBinding& binding) {
  std::vector<lab::KernelNode> kernels;
  lab::LaunchLog log;
  log.keep_facts = false, log.nodes = &kernels;
  launch_of(clean_rungs, rung)(&log, binding);
  if (!log.error.empty()) return Error{Exit::worker_died, {"a launch failed: {0}", {log.error}}};
  return kernels;
}

Result<std::vector<lab::HostCall>> host_calls(const RungInfo& rung, const lab::DeviceBinding& binding) {
  std::vector<lab::HostCall> calls;
  lab::LaunchLog log;
  log.keep_facts = false, log.calls = &calls;
  launch_of(clean_rungs, rung)(&log, binding);
  if (!log.error.empty()) return Error{Exit::worker_died, {"a launch failed: {0}", {log.error}}};
  return calls;
}

Result<int> driver_blocks(const Kernel& kernel, int threads, std::int64_t dynamic_shared_bytes) {
  const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - int(kernel.static_shared_bytes);
  int blocks = 0;
  auto error = cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, threads,
                                                          std::size_t(dynamic_shared_bytes));
  if (error != cudaSuccess)
    return Error{Exit::worker_died, {"the driver gave no occupancy: {0}", {cudaGetErrorString(error)}}};
  return blocks;
}

void run_traced(const RungInfo& rung, const lab::DeviceBinding& binding, TraceSession& session) {
  launch_of(traced_rungs, rung)(static_cast<TracedLaunches*>(&session), binding);
}

namespace {

// Overwrites more than the L2 holds, so that no timed run finds its inputs there.
class Flush {
 public:
  Flush() : bytes_(std::size_t(2) * std::max(1, attribute(cudaDevAttrL2CacheSize))) {
    cudaMalloc(&data_, bytes_);
  }
  ~Flush() { cudaFree(data_); }
  Flush(const Flush&) = delete;
  Flush& operator=(const Flush&) = delete;
  void operator()() const {
    if (data_) cudaMemsetAsync(data_, 0, bytes_);
  }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

// Times of single runs in ms, ascending.
template <class F>
std::vector<double> repeat(const TimingPlan& plan, F&& run) {
  Flush flush;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  std::vector<double> times;
  double total = 0;
  for (int i = -2; i < plan.max_runs; ++i) {  // two warm-up runs
    flush();
    cudaEventRecord(begin);
    run();
    cudaEventRecord(end);
    if (cudaEventSynchronize(end) != cudaSuccess) break;
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (i < 0) continue;
    times.push_back(ms);
    total += ms;
    if (int(times.size()) >= plan.min_runs && total > plan.budget_ms) break;
  }
  cudaEventDestroy(begin), cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

namespace {

Timing timing_of(const std::vector<double>& ascending) {
  Timing t;
  t.runs = int(ascending.size());
  t.median_ms = ascending[ascending.size() / 2], t.min_ms = ascending.front();
  t.p95_ms = ascending[std::min(ascending.size() - 1, ascending.size() * 95 / 100)];
  return t;
}

// Memory of the host and of the GPU, as large as each other.
class CopyEnds {
 public:
  CopyEnds(std::uint64_t bytes, bool pinned) : pinned_(pinned) {
    ok_ = cudaMalloc(&device_, bytes) == cudaSuccess &&
          (pinned ? cudaHostAlloc(&host_, bytes, cudaHostAllocDefault) == cudaSuccess
                  : (host_ = std::malloc(bytes)) != nullptr);
  }
  ~CopyEnds() {
    cudaFree(device_);
    pinned_ ? void(cudaFreeHost(host_)) : std::free(host_);
  }
  CopyEnds(const CopyEnds&) = delete;
  CopyEnds& operator=(const CopyEnds&) = delete;
  bool ok() const { return ok_; }
  std::uint32_t* host() const { return static_cast<std::uint32_t*>(host_); }
  void* device() const { return device_; }

 private:
  bool pinned_, ok_ = false;
  void *host_ = nullptr, *device_ = nullptr;
};

}  // namespace

Result<Timing> time_host_copy(std::uint64_t bytes, bool pinned, bool to_device, const TimingPlan& plan) {
  const Error failed{Exit::worker_died, {"the timed {0} failed", {"cudaMemcpy"}}};
  CopyEnds ends(bytes, pinned);
  if (!ends.ok()) return failed;
  const std::uint64_t words = bytes / 4;
  const auto fill = [&](std::uint32_t salt) {
    for (std::uint64_t i = 0; i < words; ++i) ends.host()[i] = std::uint32_t(i) * 2654435761u ^ salt;
  };
  const auto is = [&](std::uint32_t salt) {
    for (std::uint64_t i = 0; i < words; ++i)
      if (ends.host()[i] != (std::uint32_t(i) * 2654435761u ^ salt)) return false;
    return true;
  };
  const auto copy = [&] {
    return cudaMemcpy(to_device ? ends.device() : ends.host(), to_device ? ends.host() : ends.device(), bytes,
                      cudaMemcpyDefault) == cudaSuccess &&
           cudaDeviceSynchronize() == cudaSuccess;
  };
  fill(1);
  if (cudaMemcpy(ends.device(), ends.host(), bytes, cudaMemcpyDefault) != cudaSuccess) return failed;
  fill(to_device ? 7 : 2);  // what is to come, or is to be overwritten
  std::vector<double> times;
  double total = 0;
  for (int i = -2; i < plan.max_runs; ++i) {  // two warm-up runs
    const auto begin = std::chrono::steady_clock::now();
    if (!copy()) return failed;
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (i < 0) continue;
    times.push_back(ms), total += ms;
    if (int(times.size()) >= plan.min_runs && total > plan.budget_ms) break;
  }
  if (to_device) {
    fill(0);
    if (cudaMemcpy(ends.host(), ends.device(), bytes, cudaMemcpyDefault) != cudaSuccess || !is(7))
      return failed;
  } else if (!is(1)) {
    return failed;
  }
  std::sort(times.begin(), times.end());
  return timing_of(times);
}

Result<Timing> time_clean(const RungInfo& rung, const lab::DeviceBinding& binding, const TimingPlan& plan) {
  lab::LaunchLog log;
  log.keep_facts = false;
  const Launch launch = launch_of(clean_rungs, rung);
  const auto times = repeat(plan, [&] { launch(&log, binding); });
  if (times.empty() || !log.error.empty())
    return Error{Exit::worker_died, {"the timed kernel failed: {0}", {log.error}}};
  return timing_of(times);
}

namespace {

// Launches what is timed; false where it could not be.
using Reference = std::function<bool()>;

Reference copy_of(const lab::DeviceBinding& binding) {
  const auto from = binding.buffers.at(0), to = binding.buffers.at(1);
  return [=, bytes = std::min(from.bytes, to.bytes)] {
    return cudaMemcpyAsync(to.data, from.data, bytes, cudaMemcpyDeviceToDevice) == cudaSuccess;
  };
}

}  // namespace

Result<double> time_reference(std::string_view name, const lab::DeviceBinding& binding,
                              const TimingPlan& plan) {
  const Result<Reference> reference = name == "cuBLAS"     ? cublas_product(binding)
                                      : name == "cuBLASLt" ? cublas_lt_product(binding)
                                      : name == "CUB"      ? cub_reduction(binding)
                                      : name == "CUB scan" ? cub_scan(binding)
                                                           : Result<Reference>(copy_of(binding));
  if (!reference) return reference.error();
  bool done = true;
  const auto times = repeat(plan, [&] { done &= (*reference)(); });
  if (times.empty() || !done) return Error{Exit::worker_died, {"the timed {0} failed", {std::string(name)}}};
  return times[times.size() / 2];
}

}  // namespace lockstep::cuda
