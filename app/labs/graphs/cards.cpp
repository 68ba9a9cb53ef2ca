#include "cards.hpp"

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/activity.hpp"

namespace lockstep {
namespace {

std::vector<TableRow> making_rows(const Run& run) {
  std::vector<TableRow> rows;
  const auto time = [&](std::string label, const char* name) {
    if (const auto value = real_metric(run, name)) rows.push_back({std::move(label), us_text(*value)});
  };
  time(tr("capture"), "capture.total_us");
  time(tr("build without a capture"), "graph.build_us");
  time(tr("instantiate"), "graph.instantiate_us");
  time(tr("upload"), "graph.upload_us");
  time(tr("launch call"), "graph.launch_us");
  time(tr("update the whole graph"), "graph.update_us");
  time(tr("set one node's parameters"), "graph.set_parameters_us");
  if (const auto bytes = real_metric(run, "graph.memory_bytes"); bytes && *bytes > 0)
    rows.push_back({tr("memory of the graph"), bytes_text(*bytes)});
  return rows;
}

// As it was tried; unknown where the run does not hold both, the trial and its way out.
CaptureRow capture_row(const Run& run, const std::string& key, const std::string& what,
                       const std::string& way_out_text) {
  CaptureRow row{what, "", "", "", false, false};
  const auto error = whole_metric(run, key + ".error"), way_out = whole_metric(run, key + ".way_out");
  if (!error || !way_out) return row;
  const auto name = [&](const char* which) {
    const auto at = run.metrics.find(key + which);
    return at == run.metrics.end() ? std::string() : to_string(at->second);
  };
  row.known = true, row.refused = *error != 0;
  row.verdict = *error ? tr("error {0}", {number_text(*error)}) : tr("yes");
  row.error = *error ? name(".error_name") : "";
  row.detail = !*way_out ? way_out_text : tr("no way out here: {0}", {name(".way_out_name")});
  if (*way_out && name(".way_out_name") == "cudaErrorNotSupported")
    row.detail = tr("its node needs a driver of CUDA 12.4 or later");
  return row;
}

std::vector<CaptureRow> capture_rows(const Run& run) {
  struct Case {
    const char* slug;
    std::string what, way_out;
  };
  const Case cases[] = {
      {"growing_cache", tr("a cache that grows in place"), tr("its length stands in memory, too")},
      {"synchronize", tr("a wait inside the capture"), tr("nothing runs yet: wait behind the launch")},
      {"allocate", tr("cudaMalloc inside the capture"), tr("it may wait: cudaMallocAsync is a node")},
      {"branch", tr("a branch on data"), tr("the CPU sees no data yet: an IF node does")},
      {"loop", tr("rounds until it is enough"), tr("the CPU cannot know how many: a WHILE node")},
      {"lengths", tr("lengths that vary"), tr("another form: a graph per bucket, and padding")},
  };
  std::vector<CaptureRow> rows;
  for (const Case& c : cases)
    rows.push_back(capture_row(run, std::string("cases.") + c.slug, c.what, c.way_out));
  return rows;
}

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
    const auto recorded = real_metric(run, "cupti." + way + "_gap_us");
    const auto stamped = real_metric(run, "cupti.stamps_" + way + "_gap_us");
    if (!recorded || !stamped) return;
    rows.push_back({std::move(label), us_text(*recorded)});
    rows.push_back({tr("by the stamps: {0}", {us_text(*stamped)}), "", true});
  };
  gap(tr("gap in the stream, by CUPTI"), "stream");
  gap(tr("gap in the graph, by CUPTI"), "graph");
}

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

}  // namespace

GraphCards graph_cards(const Run& run) { return {making_rows(run), capture_rows(run), sources_card(run)}; }

}  // namespace lockstep
