#include "transfer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "record_reader.hpp"

namespace lockstep {

const char* name_of(MemoryKind kind) {
  static constexpr const char* kNames[kMemoryKinds] = {"device", "pageable", "pinned", "mapped", "managed"};
  return kNames[int(kind)];
}

std::uint64_t link_bytes(const Operation& operation) {
  if (operation.kind == OperationKind::kernel || operation.kind == OperationKind::host_read)
    return operation.link_in + operation.link_out;
  return operation.bytes;
}

OperationLane lane_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::copy_in:
    case OperationKind::prefetch_in:
      return OperationLane::in;
    case OperationKind::copy_out:
    case OperationKind::prefetch_out:
      return OperationLane::out;
    case OperationKind::host_read:
      return OperationLane::host;
    case OperationKind::kernel:
      break;
  }
  return OperationLane::compute;
}

// --- text: "kind stream waits line memory first bytes threads in out length:name,"

std::string to_text(std::span<const Operation> operations) {
  std::string text;
  for (const Operation& o : operations) {
    for (const std::uint64_t x :
         {std::uint64_t(o.kind), std::uint64_t(o.stream), std::uint64_t(o.waits), std::uint64_t(o.line),
          std::uint64_t(o.memory), o.first_byte, o.bytes, o.threads, o.link_in, o.link_out})
      text += std::to_string(x) + ' ';
    text += std::to_string(o.name.size()) + ':' + o.name + ',';
  }
  return text;
}

Result<std::vector<Operation>> parse_operations(std::string_view text) {
  constexpr std::int64_t kMostStreams = 1024, kMostLine = 65535, kMost = std::int64_t{1} << 50;
  constexpr std::int64_t kLongestName = 200;
  std::vector<Operation> all;
  RecordReader reader(text);
  while (reader.ok() && !reader.done()) {
    Operation o;
    o.kind = OperationKind(reader.number(0, kOperationKinds - 1, ' '));
    o.stream = int(reader.number(0, kMostStreams, ' '));
    o.waits = reader.number(0, 1, ' ') == 1;
    o.line = int(reader.number(0, kMostLine, ' '));
    o.memory = MemoryKind(reader.number(0, kMemoryKinds - 1, ' '));
    for (std::uint64_t* x : {&o.first_byte, &o.bytes, &o.threads, &o.link_in, &o.link_out})
      *x = std::uint64_t(reader.number(0, kMost, ' '));
    o.name = reader.bytes(std::size_t(reader.number(0, kLongestName, ':')), ',');
    if (!reader.ok() || all.size() == kMostNodes)
      return bad_input("the record of the copies is damaged; run or record it again", {});
    all.push_back(std::move(o));
  }
  return all;
}

// --- what was seen

PipelineRecord in_turn(PipelineRecord record, std::span<const Operation> operations) {
  if (record.kernels.size() != operations.size()) return record;
  for (const OperationLane lane : {OperationLane::in, OperationLane::compute, OperationLane::out}) {
    std::vector<KernelSpan*> spans;
    for (std::size_t i = 0; i < operations.size(); ++i)
      if (lane_of(operations[i]) == lane) spans.push_back(&record.kernels[i]);
    std::stable_sort(spans.begin(), spans.end(),
                     [](const KernelSpan* a, const KernelSpan* b) { return a->end_ns < b->end_ns; });
    for (std::size_t i = 1; i < spans.size(); ++i)
      spans[i]->start_ns = std::max(spans[i]->start_ns, spans[i - 1]->end_ns);
  }
  return record;
}

double busy_us(const PipelineRecord& record) {
  double sum = 0;
  for (const KernelSpan& span : record.kernels) sum += double(span.end_ns - span.start_ns);
  return sum / 1e3;
}

double span_us(const PipelineRecord& record) {
  if (record.kernels.empty()) return 0;
  std::int64_t first = record.kernels.front().start_ns, last = record.kernels.front().end_ns;
  for (const KernelSpan& span : record.kernels)
    first = std::min(first, span.start_ns), last = std::max(last, span.end_ns);
  return double(last - first) / 1e3;
}

double saved_by_overlap(const PipelineRecord& record) {
  std::vector<KernelSpan> spans = record.kernels;
  std::sort(spans.begin(), spans.end(),
            [](const KernelSpan& a, const KernelSpan& b) { return a.start_ns < b.start_ns; });
  std::int64_t covered = 0, until = spans.empty() ? 0 : spans.front().start_ns;
  for (const KernelSpan& span : spans) {
    covered += std::max<std::int64_t>(0, span.end_ns - std::max(until, span.start_ns));
    until = std::max(until, span.end_ns);
  }
  const double busy = busy_us(record);
  return busy > 0 ? 1 - double(covered) / 1e3 / busy : 0;
}

int running_with(const PipelineRecord& record, std::size_t operation) {
  if (operation >= record.kernels.size()) return 0;
  const KernelSpan& own = record.kernels[operation];
  const std::int64_t middle = own.start_ns + (own.end_ns - own.start_ns) / 2;
  return int(std::count_if(record.kernels.begin(), record.kernels.end(), [&](const KernelSpan& other) {
    return &other == &own || (other.start_ns <= middle && middle < other.end_ns);
  }));
}

// --- α + n/β

namespace {

// The error of alpha + n / beta relative to each of three times is e, -e, e: alpha a_i + n_i b a_i -+ e = 1
// with a_i = 1 / t_i. Solved by Cramer's rule.
struct Levelled {
  double alpha = 0, per_byte = 0, error = 0;
  bool solved = false;
};
Levelled levelled(const CopyTime& p, const CopyTime& q, const CopyTime& r) {
  using Row = std::array<double, 3>;
  const auto row = [](const CopyTime& c, double sign) { return Row{1 / c.us, c.bytes / c.us, sign}; };
  const std::array<Row, 3> m{row(p, 1), row(q, -1), row(r, 1)};
  const auto determinant = [](const std::array<Row, 3>& x) {
    return x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
           x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
           x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
  };
  const double whole = determinant(m);
  if (!(std::abs(whole) > 0)) return {};
  std::array<double, 3> solution{};
  for (std::size_t col = 0; col < 3; ++col) {
    auto with = m;
    for (Row& line : with) line[col] = 1;
    solution[col] = determinant(with) / whole;
  }
  return {solution[0], solution[1], std::abs(solution[2]), true};
}

}  // namespace

std::optional<CopyFit> fit_copies(std::vector<CopyTime> copies) {
  std::erase_if(copies, [](const CopyTime& c) {
    return !(c.us > 0) || !(c.bytes >= 0) || !std::isfinite(c.us) || !std::isfinite(c.bytes);
  });
  std::sort(copies.begin(), copies.end(),
            [](const CopyTime& a, const CopyTime& b) { return a.bytes < b.bytes; });
  Levelled best;
  for (std::size_t i = 0; i < copies.size(); ++i)
    for (std::size_t j = i + 1; j < copies.size(); ++j)
      for (std::size_t k = j + 1; k < copies.size(); ++k) {
        const Levelled line = levelled(copies[i], copies[j], copies[k]);
        if (line.solved && (!best.solved || line.error > best.error)) best = line;
      }
  if (!best.solved || !(best.alpha >= 0) || !(best.per_byte > 0)) return {};
  CopyFit fit;
  fit.cost = {best.alpha, 1 / best.per_byte / 1e3};
  for (const CopyTime& c : copies) {
    const double error = std::abs(fit.cost.us(c.bytes) / c.us - 1);
    fit.mean_error += error / double(copies.size());
    if (error > fit.worst_error) fit.worst_error = error, fit.worst_bytes = c.bytes;
  }
  return fit;
}

// Medians of copies of 256 MB on an H100 80GB HBM3 (the recordings of the lab memory, host).
TransferCosts known_transfer_costs() {
  TransferCosts costs;
  costs.calls = known_launch_costs();
  costs.pinned_in = 55.06, costs.pinned_out = 55.17;
  costs.pageable_in = 10.29, costs.pageable_out = 17.16;
  costs.mapped = 50.98;
  return costs;
}

// --- a row of operations

namespace {

std::int64_t in_ns(double us) { return std::int64_t(std::llround(us * 1e3)); }
double link_us(std::uint64_t bytes, double gb_per_s) { return double(bytes) / gb_per_s / 1e3; }

class Modelling {
 public:
  Modelling(std::span<const Operation> operations, double kernels_us, const TransferCosts& costs)
      : operations_(operations), kernels_us_(kernels_us), costs_(costs) {
    for (const Operation& o : operations) threads_ += double(o.threads);
  }
  PipelineRecord run() {
    for (std::size_t i = 0; i < operations_.size(); ++i) add(int(i));
    if (!operations_.empty()) synchronize(-1);
    return std::move(record_);
  }

 private:
  double length_us(const Operation& o) const {
    const bool pageable = o.memory == MemoryKind::pageable, mapped = o.memory == MemoryKind::mapped;
    const double in = pageable ? costs_.pageable_in : mapped ? costs_.mapped : costs_.pinned_in;
    const double out = pageable ? costs_.pageable_out : mapped ? costs_.mapped : costs_.pinned_out;
    switch (o.kind) {
      case OperationKind::copy_in:
      case OperationKind::prefetch_in:
        return link_us(o.bytes, in);
      case OperationKind::copy_out:
      case OperationKind::prefetch_out:
        return link_us(o.bytes, out);
      case OperationKind::host_read:
        return link_us(o.link_out, out);
      case OperationKind::kernel:
        break;
    }
    const double own = threads_ > 0 ? kernels_us_ * double(o.threads) / threads_ : 0;
    return std::max({own, link_us(o.link_in, in), link_us(o.link_out, out)});
  }
  void call(ApiKind kind, int node, std::int64_t end) {
    record_.calls.push_back({kind, node, now_, std::max(now_, end)});
    now_ = std::max(now_, end);
  }
  void synchronize(int node) {
    std::int64_t last = now_;
    for (const KernelSpan& span : record_.kernels) last = std::max(last, span.end_ns);
    call(ApiKind::synchronize_device, node, last + in_ns(costs_.calls.synchronize));
  }
  static ApiKind call_of(const Operation& o) {
    if (o.kind == OperationKind::kernel) return ApiKind::launch;
    if (o.kind == OperationKind::prefetch_in || o.kind == OperationKind::prefetch_out)
      return ApiKind::prefetch;
    return o.waits ? ApiKind::copy : ApiKind::copy_async;
  }
  void add(int index) {
    const Operation& o = operations_[std::size_t(index)];
    const std::int64_t length = in_ns(length_us(o));
    if (o.kind == OperationKind::host_read) {  // by the CPU, once the GPU is done
      synchronize(index);
      record_.kernels.push_back({now_, now_ + length});
      now_ += length;
      return;
    }
    const std::int64_t called = now_ + in_ns(costs_.calls.launch);
    std::int64_t& engine = free_[std::size_t(lane_of(o))];
    if (streams_.size() <= std::size_t(o.stream)) streams_.resize(std::size_t(o.stream) + 1, -1);
    const std::int64_t before = std::max(streams_[std::size_t(o.stream)], engine);
    std::int64_t start = called + in_ns(costs_.calls.latency);
    if (before >= 0) start = std::max(start, before + in_ns(costs_.calls.stream_gap));
    record_.kernels.push_back({start, start + length});
    engine = streams_[std::size_t(o.stream)] = start + length;
    call(call_of(o), index, o.waits ? start + length + in_ns(costs_.calls.synchronize) : called);
  }

  std::span<const Operation> operations_;
  double kernels_us_ = 0, threads_ = 0;
  const TransferCosts& costs_;
  PipelineRecord record_;
  std::int64_t now_ = 0;
  std::array<std::int64_t, kOperationLanes> free_{-1, -1, -1, -1};
  std::vector<std::int64_t> streams_;  // the end of what each did last; -1: nothing yet
};

}  // namespace

PipelineRecord modelled_operations(std::span<const Operation> operations, double kernels_us,
                                   const TransferCosts& costs) {
  return Modelling(operations, kernels_us, costs).run();
}

bool leaves_out_faults(std::span<const Operation> operations) {
  return std::any_of(operations.begin(), operations.end(), [](const Operation& o) {
    const bool touches = o.kind == OperationKind::kernel || o.kind == OperationKind::host_read;
    return touches && o.memory == MemoryKind::managed && link_bytes(o) > 0;
  });
}

}  // namespace lockstep
