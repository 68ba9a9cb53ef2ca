// How do thousands of edges add into few nodes?
// Each edge carries a row of numbers to its target. The stage is the graph: what travels in this step, and
// how much has arrived where. `edges` and `lanes` add by atomics; sorted by target nobody has to (`gather`),
// but then the node with the most edges decides how long it takes (`segments` shares them out). Try the star,
// and the power law with many edges per node.
#include <algorithm>
#include <bit>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"
#include "sort_cost.hpp"

namespace lockstep {
namespace {

std::string array_name(const ScatterScene& scene, const ScatterStep& step) {
  const ViewInfo* view = scene.run().launches[std::size_t(step.launch)].view(step.place.view);
  return view ? view->name : "";
}

bool into_out(const ScatterScene& scene, const ScatterStep& step) { return array_name(scene, step) == "out"; }

}  // namespace

// --- steps: what the lanes need to know, what they fetch, what they add

Color ScatterScene::phase_color(const Phase& phase) const {
  switch (program[std::size_t(phase.first)].part) {
    case ScatterPart::index:
      return color::l1;
    case ScatterPart::fetch:
      return color::hbm;
    default:
      return color::l2;
  }
}

Message ScatterScene::phase_name(const Phase& phase) const {
  const ScatterStep& step = program[std::size_t(phase.first)];
  switch (step.part) {
    case ScatterPart::index:
      return msg("who with whom");
    case ScatterPart::fetch:
      return msg("fetch messages");
    case ScatterPart::add:
      return into_out(*this, step) ? msg("add to the targets") : msg("count the degrees");
    case ScatterPart::store:
      break;
  }
  return into_out(*this, step) ? msg("store rows") : msg("begin the degrees");
}

Message ScatterScene::step_title(const LabView& view) const {
  const ScatterStep* step = step_of(view.step);
  if (!step) return msg("no step");
  const std::vector<std::string> args{array_name(*this, *step),
                                      number_text(std::int64_t(step->place.pass) + 1)};
  if (step->part == ScatterPart::index) return msg("read {0}", args);
  if (step->part == ScatterPart::fetch) return msg("fetch, pass {1}", args);
  return step->part == ScatterPart::add ? msg("add to {0}, pass {1}", args) : msg("store {0}", args);
}

// --- sentence

namespace {

Message add_sentence(const Meeting& m, const std::vector<std::string>& args) {
  if (m.most_on_one > 1)
    return msg(
        "Line {0}: {1} lanes of warp {2} add to {3} addresses. Up to {4} of them want the same one: the L2 "
        "adds "
        "these one after another.",
        args);
  return msg("Line {0}: {1} lanes of warp {2} add to {3} addresses, each to one of its own. Sectors: {5}.",
             args);
}

}  // namespace

Message ScatterScene::sentence(const LabView& view) const {
  const ScatterStep* step = step_of(view.step);
  if (!step) return msg("This run has no steps that can be shown: choose a smaller graph.");
  const std::int64_t warp = warp_of(*this, view);
  const IssueStep* own = issued(view.step, warp);
  const Meeting m = own ? meeting_of(own->instruction) : Meeting{};
  const std::vector<std::string> args{number_text(step->place.line),
                                      number_text(m.lanes),
                                      number_text(warp),
                                      number_text(m.addresses),
                                      number_text(m.most_on_one),
                                      number_text(m.sectors),
                                      array_name(*this, *step),
                                      number_text((m.addresses * 4 + 31) / 32)};
  if (!own) return msg("Line {0}: no lane of warp {2} comes here; other warps do.", args);
  switch (step->part) {
    case ScatterPart::index:
      return msg("Line {0}: {1} lanes of warp {2} read in {6} which nodes their edges join.", args);
    case ScatterPart::fetch:
      return msg(
          "Line {0}: {1} lanes of warp {2} fetch a number each. Sectors: {5}; what they want would fit into "
          "{7}.",
          args);
    case ScatterPart::add:
      return add_sentence(m, args);
    case ScatterPart::store:
      break;
  }
  return msg("Line {0}: {1} lanes of warp {2} store what they have, where nobody else writes. Sectors: {5}.",
             args);
}

// --- headline

std::vector<HeadFigure> ScatterScene::headline(const LabView& view) const {
  const ScatterStep* step = step_of(view.step);
  const IssueStep* own = issued(view.step, warp_of(*this, view));
  if (!step || !own) return {};
  const Meeting m = meeting_of(own->instruction);
  const std::string counts(provenance_of(run(), "counts"));
  std::vector<HeadFigure> all;
  if (step->part == ScatterPart::add)
    all.push_back({number_text(m.most_on_one),
                   m.most_on_one == 1 ? tr("lane on one address") : tr("lanes on one address"),
                   tr("{0} lanes, {1} addresses", {number_text(m.lanes), number_text(m.addresses)}), counts,
                   m.most_on_one > 1});
  all.push_back({number_text(m.sectors), m.sectors == 1 ? tr("sector") : tr("sectors"),
                 tr("{0} would do", {number_text(std::max(1, (m.addresses * 4 + 31) / 32))}), counts,
                 m.sectors > std::max(1, (m.addresses * 4 + 31) / 32)});
  return all;
}

// --- numbers

namespace {

// Of a rung whose edges come sorted: what that took, by the model.
void add_sort_rows(const Run& run, std::vector<NumberRow>& rows) {
  const auto edges = whole_metric(run, "edges");
  const Params& params = run.request.params;
  const bool sorted = run.request.rung != "edges" && run.request.rung != "lanes";
  if (!edges || !sorted || !params.contains("nodes")) return;
  const std::int64_t graphs = params.contains("graphs") ? int_param(params, "graphs") : 1;
  const SortCost cost = sort_cost(run, double(*edges), int_param(params, "nodes") * graphs);
  const std::string words = Provenance::modelled().words();
  rows.push_back({msg("bytes to sort the edges, passes: {0}", {number_text(std::int64_t(cost.passes))}),
                  bytes_text(cost.bytes), "", words});
  constexpr double kShortest = 1e-5;  // ms, as it is written
  const std::string time =
      cost.ms < kShortest ? "< " + time_text(kShortest) : time_text(cost.ms);  // a few edges: nanoseconds
  if (!cost.device.empty())
    rows.push_back({msg("time of these at the memory rate of {0}", {cost.device}), time, "", words});
}

}  // namespace

std::vector<NumberRow> ScatterScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto figure = [&](Message label, const char* name) {
    if (const auto x = whole_metric(run(), name))
      rows.push_back({std::move(label), grouped(*x), std::string("metrics.") + name});
  };
  figure(msg("edges in all"), "edges");
  figure(msg("most edges in one node"), "largest_degree");
  add_sort_rows(run(), rows);
  if (const auto& counts = run().counts) {
    const auto count = [&](Message label, std::int64_t value, const char* path) {
      rows.push_back({std::move(label), grouped(value), path});
    };
    count(msg("requests, load"), counts->global_load_requests, "counts.global_load_requests");
    count(msg("sectors, load"), counts->global_load_sectors, "counts.global_load_sectors");
    count(msg("sectors, atomics without a result"), counts->global_reduction_sectors,
          "counts.global_reduction_sectors");
    count(msg("sectors, store"), counts->global_store_sectors, "counts.global_store_sectors");
  }
  rows.push_back({msg("its error, of the sum of |x|"), figure_text(run().check.max_error), "check"});
  add_time_rows(run(), Work::bytes, false, rows);
  return rows;
}

// --- entry

namespace {

class ScatterLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("scatter")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<ScatterScene>(std::move(run));
  }
  Message why_no_bar(std::string_view rung, std::span<const Run>) const override {
    if (rung == "one_by_one" || rung == "batch") return msg("many small graphs");
    return rung == "normalized" ? msg("weighs its edges") : Message{};
  }
};

}  // namespace

const Lab& scatter_lab() {
  static const ScatterLab lab;
  return lab;
}

}  // namespace lockstep
