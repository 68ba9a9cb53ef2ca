#include "cards.hpp"

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/pipeline_evidence.hpp"

namespace lockstep {
namespace {

std::vector<TableRow> making_rows(const PipelineEvidence& seen) {
  std::vector<TableRow> rows;
  const auto time = [&](std::string label, const std::optional<double>& us) {
    if (us) rows.push_back({std::move(label), us_text(*us)});
  };
  const GraphEvidence& graph = seen.made;
  time(tr("capture"), seen.capture_total_us);
  time(tr("build without a capture"), graph.build.median);
  time(tr("instantiate"), graph.instantiate.median);
  time(tr("upload"), graph.upload.median);
  time(tr("launch call"), graph.launch.median);
  time(tr("update the whole graph"), graph.update.median);
  time(tr("set one node's parameters"), graph.set_parameters.median);
  if (graph.memory_bytes && *graph.memory_bytes > 0)
    rows.push_back({tr("memory of the graph"), bytes_text(*graph.memory_bytes)});
  return rows;
}

// As it was tried; unknown where the run does not hold both, the trial and its way out.
CaptureRow capture_row(const CaptureCase& tried, const std::string& what, const std::string& way_out_text) {
  CaptureRow row{what, "", "", "", false, false};
  if (!tried.error || !tried.way_out) return row;
  const std::int64_t error = *tried.error, way_out = *tried.way_out;
  const std::string way_out_name = tried.way_out_name.value_or("");
  row.known = true, row.refused = error != 0;
  row.verdict = error ? tr("error {0}", {number_text(error)}) : tr("yes");
  row.error = error ? tried.error_name.value_or("") : "";
  row.detail = !way_out ? way_out_text : tr("no way out here: {0}", {way_out_name});
  if (way_out && way_out_name == "cudaErrorNotSupported")
    row.detail = tr("its node needs a driver of CUDA 12.4 or later");
  return row;
}

std::vector<CaptureRow> capture_rows(const PipelineEvidence& seen) {
  struct Case {
    const char* slug;
    std::string what, way_out;
  };
  const Case cases[] = {
      {"growing_cache", tr("a cache that grows in place"), tr("its length is read from memory as well")},
      {"synchronize", tr("a wait inside the capture"), tr("nothing runs yet: wait after the launch")},
      {"allocate", tr("cudaMalloc inside the capture"), tr("it may block: use cudaMallocAsync, a node")},
      {"branch", tr("a branch on data"), tr("the CPU sees no data yet: use an IF node")},
      {"loop", tr("a loop until it is good enough"), tr("the CPU cannot know how many: use a WHILE node")},
      {"lengths", tr("lengths that vary"), tr("another shape: a graph per bucket, and padding")},
  };
  std::vector<CaptureRow> rows;
  for (const Case& c : cases) {
    const auto tried = seen.cases.find(c.slug);
    rows.push_back(capture_row(tried == seen.cases.end() ? CaptureCase{} : tried->second, c.what, c.way_out));
  }
  return rows;
}

std::string signed_us(double us) { return (us < 0 ? "−" : "+") + us_text(us < 0 ? -us : us); }

// How the profiler's times differ from the stamps'.
void add_constants(const ProfilerEvidence& profiler, std::vector<TableRow>& rows) {
  const auto constant = [&](std::string label, const SpreadUs& us) {
    if (!us.median || !us.min || !us.max) return;
    rows.push_back({std::move(label), signed_us(*us.median)});
    rows.push_back({tr("from {0} to {1}", {signed_us(*us.min), signed_us(*us.max)}), "", true});
  };
  constant(tr("a kernel lasts longer by"), profiler.length_more);
  constant(tr("starts earlier by"), profiler.start_before);
  constant(tr("ends later by"), profiler.end_behind);
  if (profiler.clock_error_us)
    rows.push_back({tr("clock alignment"), "± " + us_text(*profiler.clock_error_us)});
}

// The same gaps by either source.
void add_gaps(const ProfilerEvidence& profiler, std::vector<TableRow>& rows) {
  const auto gap = [&](std::string label, const std::optional<double>& recorded,
                       const std::optional<double>& stamped) {
    if (!recorded || !stamped) return;
    rows.push_back({std::move(label), us_text(*recorded)});
    rows.push_back({tr("by the stamps: {0}", {us_text(*stamped)}), "", true});
  };
  gap(tr("gap in the stream, by CUPTI"), profiler.stream_gap_us, profiler.stamps_stream_gap_us);
  gap(tr("gap in the graph, by CUPTI"), profiler.graph_gap_us, profiler.stamps_graph_gap_us);
}

std::optional<SourcesCard> sources_card(const ProfilerEvidence& profiler) {
  if (!profiler.problem) return {};
  SourcesCard card;
  add_constants(profiler, card.rows);
  card.text =
      card.rows.empty()
          ? tr("The kernels' own stamps are the only source here.")
          : tr("CUPTI's records against the kernels' stamps: medians of separate runs, which are not timed.");
  add_gaps(profiler, card.rows);
  if (profiler.problem->any()) card.problem = tr(message_of(*profiler.problem));
  return card;
}

}  // namespace

GraphCards graph_cards(const Run& run) {
  const auto* seen = run.evidence.find<PipelineEvidence>();
  const PipelineEvidence none;
  const PipelineEvidence& evidence = seen ? *seen : none;
  return {making_rows(evidence), capture_rows(evidence), sources_card(evidence.profiler)};
}

}  // namespace lockstep
