// The card of the two sources: a profiler's records beside the stamps that the kernels leave themselves.
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/activity.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

std::string signed_us(double us) { return (us < 0 ? "−" : "+") + us_text(us < 0 ? -us : us); }

// How the profiler's times differ from the stamps'.
void add_constants(const Run& run, std::vector<TableRow>& rows) {
  const auto metric = [&](const std::string& name) { return real_metric(run, "cupti." + name); };
  const auto constant = [&](std::string label, const std::string& name) {
    const auto median = metric(name + "_us"), least = metric(name + "_min_us"),
               most = metric(name + "_max_us");
    if (!median || !least || !most) return;
    rows.push_back({std::move(label), signed_us(*median)});
    rows.push_back({tr("from {0} to {1}", {signed_us(*least), signed_us(*most)}), "", true});
  };
  constant(tr("a kernel lasts longer by"), "length_more");
  constant(tr("starts earlier by"), "start_before");
  constant(tr("ends later by"), "end_behind");
  if (const auto error = metric("clock_error_us"))
    rows.push_back({tr("clock alignment"), "± " + us_text(*error)});
}

// The same gaps by either source.
void add_gaps(const Run& run, std::vector<TableRow>& rows) {
  const auto gap = [&](std::string label, const std::string& way) {
    const auto told = real_metric(run, "cupti." + way + "_gap_us");
    const auto stamped = real_metric(run, "cupti.stamps_" + way + "_gap_us");
    if (!told || !stamped) return;
    rows.push_back({std::move(label), us_text(*told)});
    rows.push_back({tr("by the stamps: {0}", {us_text(*stamped)}), "", true});
  };
  gap(tr("gap in the stream, by CUPTI"), "stream");
  gap(tr("gap in the graph, by CUPTI"), "graph");
}

}  // namespace

std::optional<SourcesCard> sources_card(const Run& run) {
  const auto problem = activity_problem_of(run);
  if (!problem) return {};
  SourcesCard card;
  add_constants(run, card.rows);
  card.text = card.rows.empty()
                  ? tr("The kernels' own stamps are the only source here.")
                  : tr("CUPTI's records against the stamps, medians; of runs by themselves, which are not "
                       "timed:");
  add_gaps(run, card.rows);
  if (problem->any()) card.problem = tr(message_of(*problem));
  return card;
}

}  // namespace lockstep
