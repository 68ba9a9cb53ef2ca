// What does the road between CPU and GPU cost?
// An array goes to the GPU, is computed and comes back, by every road there is, on one axis of time. Compare
// `pageable` with `pinned`; make the kernel as long as a copy; cut the array into chunks and look at `chunks`
// and `streams`; then make the chunks so small that the CPU's calls are all that counts.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/measured_evidence.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

// --- steps: one per operation, in the order in which they start

Color TransferScene::phase_color(const Phase& phase) const {
  if (done.operations.empty()) return color::hbm;
  return operation_color(done.operations[std::size_t(done.operation_at(phase.first))].kind);
}

Message TransferScene::phase_name(const Phase& phase) const {
  if (done.operations.empty()) return msg("no step");
  const auto name = [&](int step) { return done.names[std::size_t(done.operation_at(step))]; };
  if (phase.count == 1) return msg("{0}", {name(phase.first)});
  return msg("{0} to {1}", {name(phase.first), name(phase.first + phase.count - 1)});
}

Message TransferScene::phase_place(const Phase& phase) const {
  return msg("steps {0} to {1}: operations in the order of their starts",
             {number_text(phase.first + 1), number_text(phase.first + phase.count)});
}

Message TransferScene::step_title(const LabView& view) const {
  if (done.operations.empty()) return msg("no step");
  const int at = done.operation_at(view.step);
  return msg("{0} starts at {1}",
             {done.names[std::size_t(at)], us_text(double(done.span(at).start_ns) / 1e3)});
}

// --- sentence

namespace {

// "copy in 4 and copy out 2"
std::string listed(const Transferred& done, const std::vector<int>& operations) {
  std::string text;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::string& name = done.names[std::size_t(operations[i])];
    text = i == 0 ? name : tr("{0} and {1}", {text, name});
  }
  return text;
}

double rate(const Transferred& done, int operation) {
  const double us = done.us(operation);
  return us > 0 ? double(link_bytes(done.operations[std::size_t(operation)])) / us * 1e6 : 0;
}

}  // namespace

Message TransferScene::sentence(const LabView& view) const {
  if (done.operations.empty()) return msg("This run has no steps.");
  const int at = done.operation_at(view.step);
  const Operation& o = done.operations[std::size_t(at)];
  const auto beside = done.beside(at);
  const std::vector<std::string> args{done.names[std::size_t(at)], bytes_text(double(link_bytes(o))),
                                      us_text(done.us(at)), rate_text(rate(done, at)), listed(done, beside)};
  if (link_bytes(o) == 0)
    return beside.empty()
               ? msg("For {2}, {0} runs and moves nothing over the link. Nothing else runs meanwhile.", args)
               : msg("For {2}, {0} runs and moves nothing over the link. Meanwhile: {4}.", args);
  if (o.waits && o.kind != OperationKind::host_read && done.call_us(at) > done.us(at)) {
    std::vector<std::string> with_call = args;
    with_call.push_back(us_text(done.call_us(at)));
    return msg(
        "In {2}, the engine brings {1}: {3}. The CPU's call for {0} takes {5}: in it are the way "
        "there and the wait for the end.",
        with_call);
  }
  if (o.kind == OperationKind::kernel || o.kind == OperationKind::host_read)
    return o.memory == MemoryKind::managed
               ? msg("For {2}, {0} goes on: pages with {1} come over the link as they are touched.", args)
               : msg("In {2}, {0} itself moves {1} over the link: {3}, both ways together.", args);
  return beside.empty() ? msg("In {2}, {0} brings {1}: {3}. Nothing else runs meanwhile.", args)
                        : msg("In {2}, {0} brings {1}: {3}. Meanwhile: {4}.", args);
}

// --- headline: this operation, the whole, what overlap saves of it

std::vector<HeadFigure> TransferScene::headline(const LabView& view) const {
  if (done.operations.empty()) return {};
  const int at = done.operation_at(view.step);
  const Operation& o = done.operations[std::size_t(at)];
  const std::string words = times_provenance();
  const std::uint64_t bytes = link_bytes(o);
  std::vector<HeadFigure> all;
  all.push_back({us_text(done.us(at)),
                 o.kind == OperationKind::host_read ? tr("CPU") : done.names[std::size_t(at)],
                 bytes > 0 ? tr("{0} at {1}", {bytes_text(double(bytes)), rate_text(rate(done, at))})
                           : tr("nothing over the link"),
                 words, false});
  const std::string row = us_text(busy_us(done.record));
  all.push_back(
      {(done.no_faults ? "≥ " : "") + us_text(done.total_us), tr("in all"),
       done.plain_us ? tr("without events: {0}", {us_text(*done.plain_us)}) : tr("in a row: {0}", {row}),
       words, false});
  const double saved = saved_by_overlap(done.record);
  if (done.link_bytes_by_touch > 0)
    all.push_back({bytes_text(done.link_bytes_by_touch), tr("touched"), tr("over the link, without a copy"),
                   words, false});
  else
    all.push_back({percent_text(saved), tr("overlap"),
                   saved > 0 ? tr("saved of {0} in a row", {row}) : tr("nothing overlaps"), words,
                   saved < 0.005});
  return all;
}

// --- numbers

std::vector<NumberRow> TransferScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto figure = [&](const std::string& name) { return real_metric(run(), name); };
  const auto time = [&](Message label, const std::string& name) {
    if (const auto us = figure(name)) rows.push_back({std::move(label), us_text(*us), "metrics." + name});
  };
  time(msg("all of it, without events"), "operations.plain_us");
  time(msg("all of it, with an event at each"), "operations.total_us");
  time(msg("one after the other"), "operations.busy_us");
  time(msg("all of it, model"), "models.operations.total_us");
  if (const auto seen = figure("operations.plain_us"), model = figure("models.operations.total_us");
      seen && model && *seen > 0)
    rows.push_back({msg("the model is off by"),
                    (*model > *seen ? "+" : "") + percent_text(*model / *seen - 1),
                    "metrics.models.operations.total_us"});
  for (const auto& [label, name] : {std::pair(msg("a copy in alone"), "measured.in_gb_per_s"),
                                    std::pair(msg("a copy out alone"), "measured.out_gb_per_s")})
    if (const auto rate = figure(name))
      rows.push_back({label, rate_text(*rate * 1e9), std::string("metrics.") + name});
  if (const auto rounds = whole_metric(run(), "operations.rounds"))
    rows.push_back({msg("rounds of the kernel"), grouped(*rounds), "metrics.operations.rounds"});
  if (const auto error = figure("operations.clock_error_us"))
    rows.push_back({msg("clock alignment"), "± " + us_text(*error), "metrics.operations.clock_error_us"});
  return rows;
}

// --- figures of a step, for expressions

std::string TransferScene::step_figure_names() const {
  return "start_us, end_us, duration_us, bytes, gb_per_s, at_once, chunk, total_us, plain_us, busy_us, "
         "saved, calls_us, last_call_us, in_us, kernels_us, out_us, read_us, alpha_us, link_gb_per_s";
}

std::optional<double> TransferScene::step_figure(std::string_view name, const LabView& view) const {
  if (done.operations.empty()) return {};
  const int at = done.operation_at(view.step);
  if (name == "start_us") return double(done.span(at).start_ns) / 1e3;
  if (name == "end_us") return double(done.span(at).end_ns) / 1e3;
  if (name == "duration_us") return done.us(at);
  if (name == "bytes") return double(link_bytes(done.operations[std::size_t(at)]));
  if (name == "gb_per_s") return rate(done, at) / 1e9;
  if (name == "at_once") return double(1 + done.beside(at).size());
  if (name == "total_us") return done.total_us;
  if (name == "plain_us") return done.plain_us;
  if (name == "busy_us") return busy_us(done.record);
  if (name == "saved") return saved_by_overlap(done.record);
  if (name == "calls_us") return done.calls_us();
  if (name == "last_call_us") return done.last_call_us();
  if (name == "in_us") return done.lane_us(OperationLane::in);
  if (name == "kernels_us") return done.lane_us(OperationLane::compute);
  if (name == "out_us") return done.lane_us(OperationLane::out);
  if (name == "read_us") return done.lane_us(OperationLane::host);
  if (name == "alpha_us") return done.in.cost().alpha_us;
  if (name == "link_gb_per_s") return done.in.cost().gb_per_s;
  if (name == "chunk") return double(done.chunk[std::size_t(at)] + 1);
  return {};
}

// --- entry

namespace {

class TransferLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("transfer")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<TransferScene>(std::move(run));
  }
  Message ladder_problem(const Run& timed) const override {
    const auto mb = timed.request.params.find("mb");
    if (mb == timed.request.params.end()) return {};
    return msg("{0} MB in, computed and out again (managed: until the CPU has read it)",
               {to_string(mb->second)});
  }
};

}  // namespace

const Lab& transfer_lab() {
  static const TransferLab lab;
  return lab;
}

}  // namespace lockstep
