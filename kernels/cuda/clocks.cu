#include "kernels/cuda/clocks.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep::cuda {
namespace {

constexpr int kExchanges = 200;
constexpr std::int64_t kPatience_ns = 2'000'000'000;

struct Exchange {
  volatile unsigned question;
  volatile unsigned long long answers[kExchanges + 1];
};

__global__ void answer(Exchange* with) {
  for (unsigned i = 1; i <= kExchanges; ++i) {
    while (with->question < i) {
    }
    with->answers[i] = gpu_ns();
    __threadfence_system();
  }
}

// Times as they are read one after another: the smallest step between two that differ.
__global__ void watch(unsigned long long* smallest) {
  unsigned long long least = ~0ull, before = gpu_ns();
  for (int i = 0; i < 4096; ++i) {
    const unsigned long long now = gpu_ns();
    if (now != before && now - before < least) least = now - before;
    before = now;
  }
  *smallest = least;
}

__global__ void stamp(unsigned long long* at) {
  at[0] = gpu_ns();
  at[1] = gpu_ns();
}
__global__ void spin_for(unsigned long long ns) {
  const unsigned long long start = gpu_ns();
  while (gpu_ns() - start < ns) {
  }
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

ClockPair::~ClockPair() {
  if (pinned_) cudaFreeHost(pinned_);
}

std::string ClockPair::exchange(Alignment& best) {
  if (!pinned_)
    if (const auto e = cudaHostAlloc(&pinned_, sizeof(Exchange), cudaHostAllocMapped); e != cudaSuccess)
      return std::string("cudaHostAlloc: ") + cudaGetErrorString(e);
  auto* with = static_cast<Exchange*>(pinned_);
  with->question = 0;
  for (auto& a : with->answers) a = 0;
  Exchange* device = nullptr;
  cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), pinned_, 0);
  answer<<<1, 1>>>(device);
  std::int64_t least = kPatience_ns;
  const std::int64_t begin = cpu_ns();
  for (unsigned i = 1; i <= kExchanges; ++i) {
    const std::int64_t asked = cpu_ns();
    with->question = i;
    unsigned long long gpu = 0;
    std::int64_t seen = asked;
    while (!(gpu = with->answers[i])) {
      if ((seen = cpu_ns()) - begin > kPatience_ns) {
        with->question = ~0u;  // lets the kernel go
        cudaDeviceSynchronize();
        return "the GPU did not answer within 2 s";
      }
    }
    seen = cpu_ns();
    if (seen - asked >= least) continue;
    least = seen - asked;
    best = {gpu, asked + (seen - asked) / 2 - std::int64_t(gpu), double(least) / 2e3};
  }
  const auto e = cudaDeviceSynchronize();
  return e == cudaSuccess ? "" : std::string("clock exchange: ") + cudaGetErrorString(e);
}

std::string ClockPair::align() {
  if (step_us_ <= 0) {
    unsigned long long* smallest = nullptr;
    unsigned long long step = 0;
    if (const auto e = cudaMalloc(&smallest, sizeof step); e != cudaSuccess)
      return std::string("cudaMalloc: ") + cudaGetErrorString(e);
    watch<<<1, 1>>>(smallest);
    cudaMemcpy(&step, smallest, sizeof step, cudaMemcpyDeviceToHost);
    cudaFree(smallest);
    step_us_ = double(step) / 1e3;
  }
  Alignment best;
  const std::string problem = exchange(best);
  if (problem.empty()) alignments_.push_back(best);
  return problem;
}

std::int64_t ClockPair::offset_at(const Alignment& a, const Alignment& b, unsigned long long gpu) {
  if (b.gpu <= a.gpu) return a.offset_ns;
  const double part = (double(gpu) - double(a.gpu)) / (double(b.gpu) - double(a.gpu));
  return a.offset_ns + std::llround(part * double(b.offset_ns - a.offset_ns));
}

std::int64_t ClockPair::cpu_ns_of(unsigned long long gpu) const {
  if (alignments_.empty()) return std::int64_t(gpu);
  std::size_t behind = 0;  // the first alignment that is not earlier
  while (behind < alignments_.size() && alignments_[behind].gpu < gpu) ++behind;
  const auto& before = alignments_[behind > 0 ? behind - 1 : 0];
  const auto& after = alignments_[std::min(behind, alignments_.size() - 1)];
  return std::int64_t(gpu) + offset_at(before, after, gpu);
}

double ClockPair::error_us() const {
  double trip = 0, bend = 0;
  for (std::size_t i = 0; i < alignments_.size(); ++i) {
    const Alignment& here = alignments_[i];
    trip = std::max(trip, here.half_trip_us);
    if (i == 0 || i + 1 == alignments_.size()) continue;
    const std::int64_t line = offset_at(alignments_[i - 1], alignments_[i + 1], here.gpu);
    bend = std::max(bend, std::abs(double(line - here.offset_ns)) / 1e3);
  }
  return trip + step_us_ + bend;
}

// --- costs
// -------------------------------------------------------------------------------------------------------

namespace {

constexpr int kRow = 64;  // kernels in a row: far below what a stream queues without making the CPU wait

class CostMeasuring {
 public:
  explicit CostMeasuring(ClockPair& clocks) : clocks_(clocks) {
    check(cudaMalloc(&stamps_, (2 * kRow) * sizeof *stamps_));
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~CostMeasuring() {
    if (event_) cudaEventDestroy(event_);
    if (other_) cudaStreamDestroy(other_);
    if (stream_) cudaStreamDestroy(stream_);
    cudaFree(stamps_);
  }
  CostMeasuring(const CostMeasuring&) = delete;
  CostMeasuring& operator=(const CostMeasuring&) = delete;

  Result<LaunchCosts> all(bool graphs) {
    LaunchCosts costs;
    waited_for(costs);
    in_a_row(costs);
    events(costs);
    if (graphs) nodes(costs);
    if (error_ != cudaSuccess) problem_ = cudaGetErrorString(error_);
    if (!problem_.empty())
      return Error{Exit::worker_died, {"launch costs were not measured: {0}", {problem_}}};
    return costs;
  }

 private:
  bool check(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
    return error_ == cudaSuccess;
  }
  void row(cudaStream_t stream) {
    for (int i = 0; i < kRow; ++i) stamp<<<1, 1, 0, stream>>>(stamps_ + 2 * i);
    check(cudaGetLastError());
  }
  std::vector<double> gaps_us() {
    std::vector<unsigned long long> stamps(2 * kRow);
    check(cudaMemcpy(stamps.data(), stamps_, stamps.size() * sizeof stamps[0], cudaMemcpyDeviceToHost));
    std::vector<double> gaps;
    for (int i = 1; i < kRow; ++i)
      gaps.push_back(double(stamps[std::size_t(2 * i)] - stamps[std::size_t(2 * i - 1)]) / 1e3);
    return gaps;
  }
  void align() {
    if (problem_.empty()) problem_ = clocks_.align();
  }
  // One kernel, then wait. How long both ends take together needs the CPU's clock alone; how much of that is
  // each end's, the alignment says.
  void waited_for(LaunchCosts& costs) {
    struct Seen {
      std::int64_t launched, returned;
      unsigned long long at[2];
    };
    std::vector<Seen> all;
    align();
    for (int i = -5; i < 50 && error_ == cudaSuccess; ++i) {
      Seen seen{};
      stamp<<<1, 1, 0, stream_>>>(stamps_);
      seen.launched = cpu_ns();
      check(cudaStreamSynchronize(stream_));
      seen.returned = cpu_ns();
      check(cudaMemcpy(seen.at, stamps_, sizeof seen.at, cudaMemcpyDeviceToHost));
      if (i >= 0) all.push_back(seen);
    }
    align();
    std::vector<double> latencies, both;
    for (const Seen& seen : all) {
      latencies.push_back(double(clocks_.cpu_ns_of(seen.at[0]) - seen.launched) / 1e3);
      both.push_back((double(seen.returned - seen.launched) - double(seen.at[1] - seen.at[0])) / 1e3);
    }
    costs.latency = std::clamp(median(latencies), 0.0, median(both));
    costs.synchronize = median(both) - costs.latency;
  }
  // Behind a kernel that runs long enough for all of them to be queued.
  void in_a_row(LaunchCosts& costs) {
    std::vector<double> launches, gaps;
    for (int i = -1; i < 9 && error_ == cudaSuccess; ++i) {
      spin_for<<<1, 1, 0, stream_>>>(2'000'000);
      const std::int64_t start = cpu_ns();
      row(stream_);
      const double took = double(cpu_ns() - start) / 1e3 / kRow;
      check(cudaStreamSynchronize(stream_));
      const std::vector<double> seen = gaps_us();
      if (i < 0) continue;
      launches.push_back(took);
      gaps.insert(gaps.end(), seen.begin(), seen.end());
    }
    costs.launch = median(launches), costs.stream_gap = median(gaps);
  }
  void events(LaunchCosts& costs) {
    std::vector<double> pairs;
    for (int i = -1; i < 9 && error_ == cudaSuccess; ++i) {
      const std::int64_t start = cpu_ns();
      for (int k = 0; k < kRow; ++k) {
        check(cudaEventRecord(event_, stream_));
        check(cudaStreamWaitEvent(other_, event_, 0));
      }
      const double took = double(cpu_ns() - start) / 1e3 / kRow;
      check(cudaStreamSynchronize(other_));
      if (i >= 0) pairs.push_back(took);
    }
    costs.event = median(pairs);
  }
  void nodes(LaunchCosts& costs) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    row(stream_);
    check(cudaStreamEndCapture(stream_, &graph));
    if (error_ == cudaSuccess) check(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    std::vector<double> both, gaps;
    for (int i = -2; i < 9 && error_ == cudaSuccess; ++i) {
      check(cudaGraphLaunch(exec, stream_));
      const std::int64_t launched = cpu_ns();
      check(cudaStreamSynchronize(stream_));
      const std::int64_t returned = cpu_ns();
      const std::vector<double> seen = gaps_us();
      unsigned long long first = 0, last = 0;
      check(cudaMemcpy(&first, stamps_, sizeof first, cudaMemcpyDeviceToHost));
      check(cudaMemcpy(&last, stamps_ + 2 * kRow - 1, sizeof last, cudaMemcpyDeviceToHost));
      if (i < 0) continue;
      both.push_back((double(returned - launched) - double(last - first)) / 1e3);
      gaps.insert(gaps.end(), seen.begin(), seen.end());
    }
    costs.graph_latency = std::max(0.0, median(both) - costs.synchronize), costs.node_gap = median(gaps);
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
  }

  ClockPair& clocks_;
  std::string problem_;
  unsigned long long* stamps_ = nullptr;
  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t event_ = nullptr;
  cudaError_t error_ = cudaSuccess;
};

}  // namespace

Result<LaunchCosts> measure_launch_costs(ClockPair& clocks, bool graphs) {
  return CostMeasuring(clocks).all(graphs);
}

}  // namespace lockstep::cuda
