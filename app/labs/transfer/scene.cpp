#include "scene.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/curves_evidence.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/transfer_evidence.hpp"
#include "kernels/experiments.hpp"

namespace lockstep {
namespace {

std::string plain_name(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::copy_in:
      return tr("copy in");
    case OperationKind::copy_out:
      return tr("copy out");
    case OperationKind::prefetch_in:
      return tr("prefetch in");
    case OperationKind::prefetch_out:
      return tr("prefetch out");
    case OperationKind::host_read:
      return tr("CPU read");
    case OperationKind::kernel:
      break;
  }
  return operation.name;
}

void name_operations(Transferred& t) {
  std::map<std::string, int> alike, seen;
  for (const Operation& o : t.operations) ++alike[plain_name(o)];
  for (const Operation& o : t.operations) {
    const std::string name = plain_name(o);
    t.chunk.push_back(seen[name]++);
    t.names.push_back(alike[name] > 1 ? name + " " + number_text(std::int64_t(seen[name])) : name);
  }
}

TransferSpan span_kind(const Operation& operation) {
  switch (lane_of(operation)) {
    case OperationLane::in:
      return TransferSpan::in;
    case OperationLane::out:
      return TransferSpan::out;
    case OperationLane::host:
      return TransferSpan::read;
    case OperationLane::compute:
      break;
  }
  return TransferSpan::compute;
}

// The CPU with its calls and what it reads, then one lane per engine.
class Lanes {
 public:
  explicit Lanes(Transferred& t) : t_(t) {}
  void add() {
    t_.ids.assign(t_.operations.size(), 0);
    calls_.assign(t_.operations.size(), 0);
    add_cpu();
    add_engine(tr("copy in"), OperationLane::in);
    add_engine(tr("compute"), OperationLane::compute);
    add_engine(tr("copy out"), OperationLane::out);
    constexpr std::size_t kFew = 6;  // so many calls can be followed with the eye
    for (std::size_t i = 0; i < t_.operations.size(); ++i) {
      const bool of_same_chunk = i > 0 && t_.chunk[i - 1] == t_.chunk[i];
      if (of_same_chunk) t_.timeline.edges.push_back({t_.ids[i - 1], t_.ids[i], 0});
      if (calls_[i] && t_.operations.size() <= kFew) t_.timeline.edges.push_back({calls_[i], t_.ids[i], 1});
    }
    t_.timeline.nest();
  }

 private:
  std::uint32_t add_span(TimelineLane& lane, std::size_t i, TransferSpan kind) {
    const KernelSpan& span = t_.record.kernels[i];
    return t_.timeline.add(lane, t_.names[i], span.start_ns, span.end_ns, std::uint16_t(kind));
  }
  void add_cpu() {
    TimelineLane& cpu = t_.timeline.add_lane(tr("CPU"));
    for (const ApiCall& call : t_.record.calls) {
      const bool waits = call.kind == ApiKind::synchronize_device;
      const std::uint32_t id =
          t_.timeline.add(cpu, name_of(call.kind), call.start_ns, call.end_ns,
                          std::uint16_t(waits ? TransferSpan::wait : TransferSpan::call));
      if (!waits && call.node >= 0) calls_[std::size_t(call.node)] = id;
    }
    for (std::size_t i = 0; i < t_.operations.size(); ++i)
      if (lane_of(t_.operations[i]) == OperationLane::host) t_.ids[i] = add_span(cpu, i, TransferSpan::read);
  }
  void add_engine(const std::string& name, OperationLane which) {
    TimelineLane& lane = t_.timeline.add_lane(name);
    for (std::size_t i = 0; i < t_.operations.size(); ++i) {
      const Operation& o = t_.operations[i];
      if (lane_of(o) == which) t_.ids[i] = add_span(lane, i, span_kind(o));
      const bool itself = o.kind == OperationKind::kernel || o.kind == OperationKind::host_read;
      const std::uint64_t bytes = which == OperationLane::in ? o.link_in : o.link_out;
      if (itself && which != OperationLane::compute && bytes > 0) add_span(lane, i, TransferSpan::touches);
    }
  }
  Transferred& t_;
  std::vector<std::uint32_t> calls_;
};

std::vector<int> order_of_starts(const PipelineRecord& record) {
  std::vector<int> order(record.kernels.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return record.kernels[std::size_t(a)].start_ns < record.kernels[std::size_t(b)].start_ns;
  });
  return order;
}

// Of the run's own memory, where it is copied; else of page-locked memory.
CopyCurve curve_of(const Run& run, const char* way, bool to_device) {
  CopyCurve curve;
  const std::string rung = run.request.rung == "pageable" ? "pageable" : "pinned";
  const auto* measured = run.evidence.find<MeasuredEvidence>();
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  if (measured && run.request.rung == rung)
    for (const auto& [name, figure] : measured->figures) {
      const std::string prefix = std::string(way) + "_", suffix = "_ms";
      if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
      const std::string size = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
      if (size.empty() || size.size() > 12 || size.find_first_not_of("0123456789") != size.npos) continue;
      if (const auto ms = measured->real(name)) curve.timed.push_back({std::stod(size), *ms * 1e3});
    }
  const auto* points = recorded ? recorded->find({rung, way, "ms"}) : nullptr;
  if (curve.timed.empty() && points)
    for (const auto& [bytes, ms] : *points) curve.timed.push_back({double(bytes), ms * 1e3});
  std::sort(curve.timed.begin(), curve.timed.end(),
            [](const CopyTime& a, const CopyTime& b) { return a.bytes < b.bytes; });
  curve.fit = fit_copies(curve.timed);
  const TransferCosts costs = known_transfer_costs();
  const LaunchCosts& calls = costs.calls;
  curve.modelled.alpha_us = calls.launch + calls.latency + calls.synchronize;
  const bool pageable = rung == "pageable";
  curve.modelled.gb_per_s = to_device ? (pageable ? costs.pageable_in : costs.pinned_in)
                                      : (pageable ? costs.pageable_out : costs.pinned_out);
  return curve;
}

ListAxis steps_of(const Run& run, const Transferred& t) {
  const Ladder* ladder = find_ladder(run.request.lab);
  const int rung = ladder ? std::max(0, ladder->info.rung_index(run.request.rung)) : 0;
  const std::uint16_t file = ladder ? source_id(run, ladder->info.rungs[std::size_t(rung)].file) : 0;
  // A kernel's lines are those of its accesses; what is no kernel stands in the launcher.
  std::vector<std::uint16_t> accesses;
  for (const Launch& launch : run.launches)
    for (const Access& access : launch.trace.events)
      if (access.file == file) accesses.push_back(access.line);
  std::sort(accesses.begin(), accesses.end());
  accesses.erase(std::unique(accesses.begin(), accesses.end()), accesses.end());
  static constexpr const char* kWords[kOperationKinds] = {"copy in",     "copy out",     "kernel",
                                                          "prefetch in", "prefetch out", "read"};
  ListAxis axis(file);
  int before = -1;
  for (const int index : t.order) {
    const Operation& o = t.operations[std::size_t(index)];
    if (int(o.kind) != before) axis.next_phase();
    before = int(o.kind);
    std::vector<std::uint16_t> lines = accesses;
    if (o.kind != OperationKind::kernel) lines = {std::uint16_t(o.line)};
    axis.add(kWords[int(o.kind)], std::move(lines), t.chunk[std::size_t(index)]);
  }
  return axis;
}

}  // namespace

int Transferred::operation_at(int step) const {
  return order.empty() ? 0 : order[std::size_t(std::clamp(step, 0, int(order.size()) - 1))];
}
int Transferred::step_of_operation(int operation) const {
  return int(std::find(order.begin(), order.end(), operation) - order.begin());
}

double Transferred::calls_us() const {
  double us = 0;
  for (const ApiCall& call : record.calls)
    if (call.kind != ApiKind::synchronize_device) us += double(call.end_ns - call.start_ns) / 1e3;
  return us;
}

double Transferred::last_call_us() const {
  double last = 0;
  for (const ApiCall& call : record.calls)
    if (call.kind != ApiKind::synchronize_device) last = std::max(last, double(call.end_ns) / 1e3);
  return last;
}

double Transferred::call_us(int operation) const {
  for (const ApiCall& call : record.calls)
    if (call.kind != ApiKind::synchronize_device && call.node == operation)
      return double(call.end_ns - call.start_ns) / 1e3;
  return 0;
}

double Transferred::lane_us(OperationLane lane) const {
  double sum = 0;
  for (int i = 0; i < int(operations.size()); ++i)
    if (lane_of(operations[std::size_t(i)]) == lane) sum += us(i);
  return sum;
}

double Transferred::idle_us() const {
  return std::max(0.0, total_us - (1 - saved_by_overlap(record)) * busy_us(record));
}

std::vector<int> Transferred::beside(int operation) const {
  const KernelSpan& own = span(operation);
  const std::int64_t middle = own.start_ns + (own.end_ns - own.start_ns) / 2;
  std::vector<int> all;
  for (int i = 0; i < int(operations.size()); ++i)
    if (i != operation && span(i).start_ns <= middle && middle < span(i).end_ns) all.push_back(i);
  return all;
}

Transferred transferred(const Run& run) {
  Transferred t;
  const auto* evidence = run.evidence.find<TransferEvidence>();
  if (!evidence || evidence->operations.empty() || !evidence->shown()) return t;
  t.operations = evidence->operations, t.record = *evidence->shown();
  t.modelled = !evidence->record;
  t.no_faults = t.modelled && leaves_out_faults(t.operations);
  t.total_us = t.record.total_us();
  if (!t.modelled) t.plain_us = evidence->plain.median;
  for (const Operation& o : t.operations) t.link_bytes_by_touch += double(o.link_in + o.link_out);
  name_operations(t);
  t.order = order_of_starts(t.record);
  Lanes(t).add();
  t.in = curve_of(run, "in", true), t.out = curve_of(run, "out", false);
  return t;
}

Color operation_color(OperationKind kind) {
  switch (kind) {
    case OperationKind::copy_in:
    case OperationKind::prefetch_in:
      return color::hbm;
    case OperationKind::copy_out:
    case OperationKind::prefetch_out:
      return color::shared;
    case OperationKind::host_read:
      return color::tensor;
    case OperationKind::kernel:
      break;
  }
  return color::registers;
}

TransferScene::TransferScene(std::shared_ptr<const Run> run)
    : LabScene(std::move(run)), done(transferred(this->run())), steps(steps_of(this->run(), done)) {}

std::string TransferScene::times_provenance() const {
  return std::string(
      provenance_of(run(), done.modelled ? "metrics.models.operations" : "metrics.operations"));
}

std::string TransferScene::curves_provenance() const {
  if (!done.in.fit && !done.out.fit) return Provenance::modelled();
  const bool own = run().evidence.find<MeasuredEvidence>() != nullptr &&
                   run().request.params.contains("copies") &&
                   to_string(run().request.params.at("copies")) == "all";
  return std::string(provenance_of(run(), own ? "metrics.measured" : "metrics.curve"));
}

std::optional<Timeline> TransferScene::timeline() const {
  return done.operations.empty() ? std::nullopt : std::optional(done.timeline);
}

// In the middle of what goes on at the same time, if anything does.
int TransferScene::opening_step(std::int64_t) const {
  const int middle = steps.count() / 2;
  int best = middle;
  for (int step = middle; step < steps.count(); ++step)
    if (done.beside(done.operation_at(step)).size() > done.beside(done.operation_at(best)).size())
      best = step;
  return best;
}

}  // namespace lockstep
