#include "kernels/cuda/transfer.hpp"

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/launch_facts.hpp"
#include "kernels/cuda/pipeline_calls.cuh"

namespace lockstep::cuda {
namespace {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

class Events {
 public:
  Events(std::size_t count, Errors& errors) : events_(count, nullptr) {
    for (auto& event : events_) errors(cudaEventCreate(&event), "cudaEventCreate");
  }
  ~Events() {
    for (auto& event : events_)
      if (event) cudaEventDestroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  cudaEvent_t operator[](std::size_t i) const { return events_[i]; }
  std::size_t size() const { return events_.size(); }

 private:
  std::vector<cudaEvent_t> events_;
};

ApiKind kind_of(const lab::HostCall& call) {
  switch (call.kind) {
    case OperationKind::kernel:
      return ApiKind::launch;
    case OperationKind::prefetch_in:
    case OperationKind::prefetch_out:
      return ApiKind::prefetch;
    case OperationKind::host_read:
      return ApiKind::synchronize_device;
    case OperationKind::copy_in:
    case OperationKind::copy_out:
      break;
  }
  return call.waits ? ApiKind::copy : ApiKind::copy_async;
}

constexpr std::size_t kExchanges = 20;
constexpr int kWarmUps = 2;

class Measuring {
 public:
  Measuring(const std::vector<lab::HostCall>& calls, const TransferRuns& plan)
      : calls_(calls),
        plan_(plan),
        before_(calls.size(), errors_),
        behind_(calls.size(), errors_),
        origins_(kExchanges, errors_) {
    for (const lab::HostCall& call : calls) log_.stream({call.stream});  // made before anything is timed
  }
  Result<TransferMeasurement> all();

 private:
  bool fine() {
    if (!log_.error.empty()) errors_.say(log_.error);
    return !errors_.any();
  }
  cudaStream_t stream(const lab::HostCall& call) {
    return static_cast<cudaStream_t>(log_.stream({call.stream}));
  }
  bool reset() {
    if (!plan_.reset()) errors_.say("the buffers could not be brought to their first state");
    return fine() && errors_(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  cudaError_t make(const lab::HostCall& call) {
    return static_cast<cudaError_t>(lab::make_host_call(call, stream(call)));
  }
  void align();
  void run_noted(PipelineRecord& record);
  void place(PipelineRecord& record, std::int64_t origin);
  double plain_us();

  const std::vector<lab::HostCall>& calls_;
  const TransferRuns& plan_;
  Errors errors_;
  lab::LaunchLog log_;
  Events before_, behind_, origins_;
  std::size_t origin_ = 0;      // the event whose time the CPU knows best
  std::int64_t origin_ns_ = 0;  // when it was, by the CPU's clock
  std::int64_t half_trip_ns_ = 0;
};

// An event on an idle GPU lies between the CPU's two looks at its clock; the fastest of many says it best.
void Measuring::align() {
  std::int64_t best = -1;
  for (std::size_t i = 0; i < origins_.size() && fine(); ++i) {
    const std::int64_t begin = cpu_ns();
    errors_(cudaEventRecord(origins_[i], nullptr), "cudaEventRecord");
    errors_(cudaEventSynchronize(origins_[i]), "cudaEventSynchronize");
    const std::int64_t trip = cpu_ns() - begin;
    if (best >= 0 && trip >= best) continue;
    best = trip, origin_ = i, origin_ns_ = begin + trip / 2, half_trip_ns_ = trip / 2;
  }
}

void Measuring::run_noted(PipelineRecord& record) {
  record.calls.reserve(calls_.size() + 1), record.kernels.resize(calls_.size());
  Noting noting(record);
  std::vector<KernelSpan> on_host(calls_.size());
  for (std::size_t i = 0; i < calls_.size() && fine(); ++i) {
    const lab::HostCall& call = calls_[i];
    if (call.kind == OperationKind::host_read) {
      errors_(noting(ApiKind::synchronize_device, int(i), [&] { return cudaDeviceSynchronize(); }),
              "cudaDeviceSynchronize");
      on_host[i].start_ns = cpu_ns();
      lab::read_pages(call.from, call.bytes);
      on_host[i].end_ns = cpu_ns();
      continue;
    }
    errors_(cudaEventRecord(before_[i], stream(call)), "cudaEventRecord");
    errors_(noting(kind_of(call), int(i), [&] { return make(call); }), lab::name_of(call));
    errors_(cudaEventRecord(behind_[i], stream(call)), "cudaEventRecord");
  }
  errors_(noting(ApiKind::synchronize_device, -1, [&] { return cudaDeviceSynchronize(); }),
          "cudaDeviceSynchronize");
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].kind == OperationKind::host_read)
      record.kernels[i] = {on_host[i].start_ns - noting.origin(), on_host[i].end_ns - noting.origin()};
  if (fine()) place(record, noting.origin());
}

// An event on a stream with nothing to do is over at once, before the operation behind it is asked for: that
// one begins with its call at the earliest.
void Measuring::place(PipelineRecord& record, std::int64_t origin) {
  const auto ns_of = [&](cudaEvent_t event) {
    float ms = 0;
    errors_(cudaEventElapsedTime(&ms, origins_[origin_], event), "cudaEventElapsedTime");
    return origin_ns_ - origin + std::int64_t(double(ms) * 1e6);
  };
  for (const ApiCall& call : record.calls) {
    if (call.node < 0 || call.kind == ApiKind::synchronize_device) continue;
    const auto i = std::size_t(call.node);
    const std::int64_t start = std::max(ns_of(before_[i]), call.start_ns);
    record.kernels[i] = {start, std::max(ns_of(behind_[i]), start)};
  }
}

double Measuring::plain_us() {
  if (!reset()) return 0;
  const std::int64_t begin = cpu_ns();
  for (const lab::HostCall& call : calls_)
    if (!errors_(make(call), lab::name_of(call))) return 0;
  errors_(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return double(cpu_ns() - begin) / 1e3;
}

Result<TransferMeasurement> Measuring::all() {
  std::vector<PipelineRecord> records;
  std::vector<double> totals, plain;
  for (int i = -kWarmUps; i < plan_.runs && fine(); ++i) {
    PipelineRecord record;
    if (!reset()) break;
    align();
    run_noted(record);
    if (i == -kWarmUps && fine()) {
      const auto right = plan_.check();
      if (!right) return right.error();
      if (!*right) errors_.say("the copies and kernels give a wrong result");
    }
    const double without = plain_us();
    if (i < 0 || !fine()) continue;
    totals.push_back(double(record.calls.back().end_ns) / 1e3), plain.push_back(without);
    records.push_back(std::move(record));
  }
  if (!fine() || records.empty())
    return Error{Exit::worker_died, {"the GPU reported an error: {0}", {errors_.text()}}};
  TransferMeasurement m;
  m.total = spread_of(totals), m.plain = spread_of(plain);
  const auto at = std::find(totals.begin(), totals.end(), m.total.median) - totals.begin();
  m.record = std::move(records[std::size_t(at)]);
  m.clock_error_us = double(half_trip_ns_) / 1e3;
  return m;
}

}  // namespace

Result<TransferMeasurement> measure_transfer(const std::vector<lab::HostCall>& calls,
                                             const TransferRuns& plan) {
  return Measuring(calls, plan).all();
}

Result<double> kernels_us(const std::vector<lab::HostCall>& calls) {
  constexpr int kRuns = 5;
  Errors errors;
  const Events events(2, errors);
  std::vector<double> times;
  for (int run = -1; run < kRuns && !errors.any(); ++run) {
    errors(cudaEventRecord(events[0], nullptr), "cudaEventRecord");
    for (const lab::HostCall& call : calls)
      if (call.kind == OperationKind::kernel)
        errors(static_cast<cudaError_t>(lab::make_host_call(call, nullptr)), lab::name_of(call));
    errors(cudaEventRecord(events[1], nullptr), "cudaEventRecord");
    errors(cudaEventSynchronize(events[1]), "cudaEventSynchronize");
    float ms = 0;
    errors(cudaEventElapsedTime(&ms, events[0], events[1]), "cudaEventElapsedTime");
    if (run >= 0) times.push_back(double(ms) * 1e3);
  }
  if (errors.any()) return Error{Exit::worker_died, {"the GPU reported an error: {0}", {errors.text()}}};
  return spread_of(times).median;
}

}  // namespace lockstep::cuda
