// The graphs lab: pictures of a GPU's record, and of the models' word where there is none.
#include <doctest/doctest.h>

#include "app/labs/graphs/scene.hpp"
#include "app/model/activity.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;

namespace {

Run run_of(const char* rung, Params given) {
  Run run;
  run.request.lab = "graphs", run.request.rung = rung;
  run.request.params = *complete_params(find_lab("graphs")->info(), rung, given);
  return run;
}

// As if a GPU had been seen to do what these costs say.
Run measured(const char* rung, Params given, double length_us) {
  Run run = run_of(rung, std::move(given));
  const auto nodes = find_ladder("graphs")->nodes(run.request.params, rung);
  const std::vector<double> lengths(nodes.size(), length_us);
  const LaunchCosts costs{3, 1.5, 1, 1, 0.5, 4, 2, 0.25};
  const auto add = [&](std::map<std::string, Value> all) {
    for (auto& [name, value] : all) run.metrics[name] = value;
  };
  add(record_metrics("stream", nodes, modelled_stream(nodes, lengths, costs), stream_starts(costs)));
  add(record_metrics("graph", nodes, modelled_graph(nodes, lengths, costs), graph_starts(costs)));
  add(cost_metrics(costs));
  run.provenance["metrics.stream"] = "measured";
  return run;
}

}  // namespace

TEST_CASE("what a GPU was seen to do is drawn; without it the models' word, and it says so") {
  const auto seen = graphs_scene(measured("chain", {{"kernels", std::int64_t{4}}}, 7));
  REQUIRE(seen);
  CHECK_FALSE(seen->modelled);
  CHECK(seen->graph.kernels[0].end_ns - seen->graph.kernels[0].start_ns == 7000);
  const Run none = run_of("chain", {{"kernels", std::int64_t{4}}, {"kernel_us", std::int64_t{9}}});
  const auto said = graphs_scene(none);
  REQUIRE(said);
  CHECK(said->modelled);
  CHECK(times_provenance(none, *said) == kLaunchModelError);
  CHECK(said->graph.kernels[0].end_ns - said->graph.kernels[0].start_ns == 9000);
  Run damaged = measured("chain", {{"kernels", std::int64_t{4}}}, 7);
  damaged.metrics["graph.record"] = std::string("0 0 0");
  CHECK(graphs_scene(damaged)->modelled);
}

TEST_CASE(
    "a step is a kernel, in the order in which they start; the timeline holds each of them in both ways") {
  for (const char* rung : {"chain", "fork_join", "decode"}) {
    const Run run = measured(rung, {}, 5);
    const auto scene = graphs_scene(run);
    const StepAxis axis = find_lab("graphs")->steps(run);
    REQUIRE(axis.steps.size() == scene->nodes.size());
    for (std::size_t step = 1; step < axis.steps.size(); ++step)
      CHECK(scene->first().kernels[std::size_t(scene->node_at(int(step)))].start_ns >=
            scene->first().kernels[std::size_t(scene->node_at(int(step) - 1))].start_ns);
    for (const auto* ids : {&scene->stream_ids, &scene->graph_ids})
      for (std::size_t i = 0; i < ids->size(); ++i) {
        const auto place = scene->timeline.find((*ids)[i]);
        REQUIRE(place);
        CHECK(scene->timeline.names[scene->timeline.at(*place).name] == scene->nodes[i].name);
      }
    for (std::size_t step = 0; step < axis.steps.size(); ++step)
      CHECK_FALSE(find_lab("graphs")->sentence(run, axis, int(step)).text().empty());
  }
}

TEST_CASE("one way alone has one way's lanes") {
  const Run both = measured("fork_join", {}, 5);
  const Run stream = measured("fork_join", {{"show", std::string("stream")}}, 5);
  const Run graph = measured("fork_join", {{"show", std::string("graph")}}, 5);
  CHECK(graphs_scene(stream)->timeline.lanes.size() + graphs_scene(graph)->timeline.lanes.size() ==
        graphs_scene(both)->timeline.lanes.size());
  CHECK(graphs_scene(graph)->stream_ids[0] == 0);
}

TEST_CASE("a sentence names the longest gap before the kernel, and its cause") {
  // Launches 3 us apart, kernels of 0.5 us: the CPU is late.
  const Run late = measured("chain", {{"kernels", std::int64_t{5}}}, 0.5);
  const StepAxis axis = find_lab("graphs")->steps(late);
  CHECK(find_lab("graphs")->sentence(late, axis, 0).text().find("first one of its lane") !=
        std::string::npos);
  CHECK(find_lab("graphs")->sentence(late, axis, 3).text().find("since the CPU was late") !=
        std::string::npos);
  const Run queued = measured("chain", {{"kernels", std::int64_t{5}}}, 20);
  CHECK(find_lab("graphs")
            ->sentence(queued, axis, 3)
            .text()
            .find("so long the GPU takes from one to the next") != std::string::npos);
}

TEST_CASE("cases of capture stand with the runtime's own error and the way out") {
  Run run = measured("chain", {}, 5);
  CHECK_FALSE(capture_rows(run)[1].known);
  run.metrics["cases.synchronize.error"] = std::int64_t{900};
  run.metrics["cases.synchronize.error_name"] = std::string("cudaErrorStreamCaptureUnsupported");
  run.metrics["cases.synchronize.way_out"] = std::int64_t{0};
  const auto rows = capture_rows(run);
  CHECK(rows[1].refused);
  CHECK(rows[1].answer == "error 900");
  CHECK(rows[1].error == "cudaErrorStreamCaptureUnsupported");
  CHECK(rows[1].detail.find("behind the launch") != std::string::npos);
  run.metrics["cases.synchronize.way_out"] = std::int64_t{801};
  run.metrics["cases.synchronize.way_out_name"] = std::string("cudaErrorIllegalState");
  CHECK(capture_rows(run)[1].detail.find("cudaErrorIllegalState") != std::string::npos);
}

TEST_CASE("on a driver without conditional nodes the case says which driver has them") {
  Run run = measured("chain", {}, 5);
  run.metrics["cases.branch.error"] = std::int64_t{900};
  run.metrics["cases.branch.way_out"] = std::int64_t{801};
  run.metrics["cases.branch.way_out_name"] = std::string("cudaErrorNotSupported");
  CHECK(capture_rows(run)[3].detail.find("CUDA 12.4") != std::string::npos);
}

TEST_CASE("where no graph could be made, the streams are shown as measured and the reason stands beside") {
  Run run = measured("fork_join", {}, 5);
  for (auto at = run.metrics.begin(); at != run.metrics.end();)
    at = at->first.starts_with("graph.") ? run.metrics.erase(at) : std::next(at);
  CHECK(graphs_scene(run)->modelled);  // a record that lacks the graph without a word is damaged
  run.metrics["graph.problem"] =
      std::string("cudaGraphInstantiate: cudaErrorMemoryAllocation, out of memory");
  const auto scene = graphs_scene(run);
  CHECK_FALSE(scene->modelled);
  CHECK(scene->shown == Ways::stream);
  CHECK(scene->stream.kernels.size() == scene->nodes.size());
  CHECK(scene->problem.find("out of memory") != std::string::npos);
  CHECK(scene->graph_ids[0] == 0);
}

TEST_CASE("the card of two sources states the constant between them, or why there is one source alone") {
  Run run = measured("chain", {{"kernels", std::int64_t{3}}}, 5);
  const auto panels = [&] { return find_lab("graphs")->panels(run, {}, {}).size(); };
  const std::size_t without = panels();
  CHECK_FALSE(sources_card(run));
  const auto add = [&](const ActivityTrace& trace) {
    for (auto& [name, value] :
         activity_metrics(find_ladder("graphs")->nodes(run.request.params, "chain"), trace))
      run.metrics[name] = value;
  };
  ActivityTrace trace;
  trace.problem = {"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "cupti"};
  add(trace);
  REQUIRE(sources_card(run));
  CHECK(sources_card(run)->rows.empty());
  CHECK(sources_card(run)->problem.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
  CHECK(panels() == without + 1);

  run = measured("chain", {{"kernels", std::int64_t{3}}}, 5);
  trace = {};
  for (int i = 0; i < 3; ++i) {
    for (ActivityPass* pass : {&trace.stream, &trace.graph})
      pass->stamps.kernels.push_back({7000 * i, 7000 * i + 5000});
    trace.stream.calls.push_back(std::uint32_t(i));
    trace.stream.records.push_back({"", 7000 * i - 250, 7000 * i + 6000, std::uint32_t(i), 0, 1});
  }
  add(trace);  // the graph's are lost, the clocks not aligned
  const auto card = sources_card(run);
  REQUIRE(card);
  REQUIRE(card->rows.size() == 4);
  CHECK(card->rows[0].value == "+1.25 µs");
  CHECK(card->rows[2].value == "0.75 µs");
  CHECK(card->rows[3].label.find("2.00 µs") != std::string::npos);
  CHECK(card->problem.find("Of 3 kernels the profiler told of 0") != std::string::npos);
}
