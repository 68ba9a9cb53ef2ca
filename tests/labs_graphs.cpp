// The graphs lab: pictures of a GPU's record, and of the models' word where there is none.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/graphs/scene.hpp"
#include "app/model/activity.hpp"
#include "kernels/experiments.hpp"

using namespace lockstep;

namespace {

Run run_of(const char* rung, Params given) {
  Run run;
  run.request.lab = "graphs", run.request.rung = rung;
  run.request.params = *complete_params(find_lab("graphs")->info(), rung, given);
  return run;
}

// As if a GPU had been seen to do what these costs say; `turned`: in the graph, the third kernel starts
// before the second.
Run measured(const char* rung, Params given, double length_us, bool turned = false) {
  Run run = run_of(rung, std::move(given));
  const auto nodes = plan_of<PipelinePlan>(*find_ladder("graphs"))->nodes(run.request.params, rung);
  const std::vector<double> lengths(nodes.size(), length_us);
  const LaunchCosts costs{3, 1.5, 1, 1, 0.5, 4, 2, 0.25};
  const auto add = [&](std::map<std::string, Value> all) {
    for (auto& [name, value] : all) run.evidence.set(name, value);
  };
  add(record_metrics("stream", nodes, modelled_stream(nodes, lengths, costs), stream_starts(costs)));
  PipelineRecord as_graph = modelled_graph(nodes, lengths, costs);
  if (turned) as_graph.kernels[1].start_ns = as_graph.kernels[2].start_ns + 100;
  add(record_metrics("graph", nodes, as_graph, graph_starts(costs)));
  add(cost_metrics(costs));
  run.provenance["metrics.stream"] = "measured";
  return run;
}

LaunchedKernels launched(const char* rung, Params given, double length_us) {
  return launched_kernels(measured(rung, std::move(given), length_us));
}

}  // namespace

TEST_CASE("what a GPU was seen to do is drawn; without it the models' word, and it says so") {
  const LaunchedKernels seen = launched("chain", {{"kernels", std::int64_t{4}}}, 7);
  CHECK_FALSE(seen.modelled);
  CHECK(seen.graph.kernels[0].end_ns - seen.graph.kernels[0].start_ns == 7000);
  const GraphsScene none(std::make_shared<const Run>(
      run_of("chain", {{"kernels", std::int64_t{4}}, {"kernel_us", std::int64_t{9}}})));
  CHECK(none.launched.modelled);
  CHECK(none.times_provenance() == kLaunchModelError);
  CHECK(none.launched.graph.kernels[0].end_ns - none.launched.graph.kernels[0].start_ns == 9000);
  Run damaged = measured("chain", {{"kernels", std::int64_t{4}}}, 7);
  damaged.evidence.set("graph.record", std::string("0 0 0"));
  CHECK(launched_kernels(damaged).modelled);
}

TEST_CASE(
    "a step is a kernel, in the order in which they start; the timeline holds each of them in both ways") {
  for (const char* rung : {"chain", "fork_join", "decode"}) {
    const GraphsScene scene(std::make_shared<const Run>(measured(rung, {}, 5, 40)));
    const LaunchedKernels& all = scene.launched;
    REQUIRE(scene.steps.count() == int(all.nodes.size()));
    for (int step = 1; step < scene.steps.count(); ++step)
      CHECK(all.first().kernels[std::size_t(all.node_at(step))].start_ns >=
            all.first().kernels[std::size_t(all.node_at(step - 1))].start_ns);
    for (const auto* ids : {&all.stream_ids, &all.graph_ids})
      for (std::size_t i = 0; i < ids->size(); ++i) {
        const auto place = all.timeline.find((*ids)[i]);
        REQUIRE(place);
        CHECK(all.timeline.names[all.timeline.at(*place).name] == all.names[i]);
      }
    for (int step = 0; step < scene.steps.count(); ++step) CHECK_FALSE(scene.sentence({step}).text().empty());
  }
}

TEST_CASE("a kernel keeps its key where another way of launching starts it at another step") {
  const GraphsScene by_stream(std::make_shared<const Run>(measured("fork_join", {}, 5))),
      as_graph(std::make_shared<const Run>(measured("fork_join", {{"show", std::string("graph")}}, 5, true)));
  bool moved = false;
  for (int step = 0; step < by_stream.steps.count(); ++step) {
    const AlignedStep there = aligned_step(by_stream.steps, step, as_graph.steps);
    CHECK(there.same);
    CHECK(as_graph.launched.node_at(there.step) == by_stream.launched.node_at(step));
    moved |= there.step != step;
  }
  CHECK(moved);
}

TEST_CASE("one way alone has one way's lanes") {
  const LaunchedKernels both = launched("fork_join", {}, 5),
                        stream = launched("fork_join", {{"show", std::string("stream")}}, 5),
                        graph = launched("fork_join", {{"show", std::string("graph")}}, 5);
  CHECK(stream.timeline.lanes.size() + graph.timeline.lanes.size() == both.timeline.lanes.size());
  CHECK(graph.stream_ids[0] == 0);
}

TEST_CASE("a sentence names the longest gap before the kernel, and its cause") {
  // Launches 3 us apart, kernels of 0.5 us: the CPU is late.
  const auto sentence = [](double length_us, int step) {
    return open_run(measured("chain", {{"kernels", std::int64_t{5}}}, length_us))->sentence({step}).text();
  };
  CHECK(sentence(0.5, 0).find("first kernel of its lane") != std::string::npos);
  CHECK(sentence(0.5, 3).find("because the launch comes late") != std::string::npos);
  CHECK(sentence(20, 3).find("how long the GPU takes from one kernel to the next") != std::string::npos);
}

TEST_CASE("a kernel has one name: on the timeline, in the graph, in the sentence and over the steps") {
  CHECK(launched("chain", {{"kernels", std::int64_t{3}}}, 5).names ==
        std::vector<std::string>{"step 1", "step 2", "step 3"});
  CHECK(launched("fork_join", {{"kernels", std::int64_t{5}}}, 5).names ==
        std::vector<std::string>{"fork", "step 1", "step 2", "step 3", "join"});
  for (const char* rung : {"chain", "fork_join", "decode"}) {
    const GraphsScene scene(std::make_shared<const Run>(measured(rung, {}, 5)));
    SvgCanvas canvas(700, 700, light_theme().ground);
    StageEvents events;
    scene.stage(canvas, {{2}, {0, 0, 700, 700}, light_theme()}, events);
    const auto& names = scene.launched.names;
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    for (int step = 0; step < scene.steps.count(); ++step) {
      const std::string& name = names[std::size_t(scene.launched.node_at(step))];
      CAPTURE(name);
      CHECK(scene.sentence({step}).text().starts_with(name + " starts at "));
      CHECK(scene.step_title({step}).text().starts_with(name + " starts at "));
      const std::string id = "stage/graph/" + std::to_string(scene.launched.node_at(step));
      const auto box = std::find_if(canvas.hits().begin(), canvas.hits().end(),
                                    [&](const auto& hit) { return hit.id == id; });
      REQUIRE(box != canvas.hits().end());
      std::string label;  // in one line or in two
      for (const auto& text : canvas.texts())
        if (box->rect.contains(text.rect.center())) label += (label.empty() ? "" : " ") + text.text;
      CHECK(label == name);
    }
  }
}

TEST_CASE("the name of a kernel says which function of its source it runs") {
  for (const char* rung : {"chain", "fork_join", "decode"}) {
    const LabInfo& info = find_lab("graphs")->info();
    const std::string code(kernel_source(info.rungs[std::size_t(info.rung_index(rung))]));
    for (const std::string& name : launched(rung, {}, 5).names) {
      CAPTURE(name);
      bool runs = false;
      for (std::size_t at = 0, end = 0; at < name.size(); at = end + 1) {
        end = std::min(name.find(' ', at), name.size());
        runs |= code.find("\nvoid " + name.substr(at, end - at) + "(") != code.npos;
      }
      CHECK(runs);
    }
  }
}

TEST_CASE("the headline: the pause before this kernel by either way, and what one graph gains") {
  const GraphsScene scene(
      std::make_shared<const Run>(measured("chain", {{"kernels", std::int64_t{5}}}, 0.5)));
  const LaunchedKernels& all = scene.launched;
  for (int step = 0; step < scene.steps.count(); ++step) {
    const auto figures = scene.headline({step});
    REQUIRE(figures.size() == 3);
    const auto node = std::size_t(all.node_at(step));
    const auto idle_before = [&](const PipelineRecord& record) {
      const std::int64_t from = step > 0 ? record.kernels[node - 1].end_ns : 0;
      return double(record.kernels[node].start_ns - from) / 1e3;
    };
    CHECK(figures[0].value == us_text(idle_before(all.stream)));
    CHECK(figures[1].value == us_text(idle_before(all.graph)));
    CHECK(figures[0].trouble == (step > 0));  // such short kernels wait for the CPU
    CHECK(std::stod(figures[2].value) ==
          doctest::Approx(all.stream.total_us() / all.graph.total_us()).epsilon(0.01));
  }
  Run alone = measured("chain", {}, 5);
  alone.request.params["show"] = std::string("graph");
  CHECK(open_run(alone)->headline({1})[0].note.find("as a graph") != std::string::npos);
}

TEST_CASE("every card of the stage is as high as what it holds, and nothing on it is cut") {
  for (const char* rung : {"chain", "fork_join", "decode"})
    for (const Rect area : {Rect{0, 0, 733, 555}, Rect{0, 0, 540, 440}, Rect{0, 0, 733, 900}}) {
      const GraphsScene scene(std::make_shared<const Run>(measured(rung, {}, 2)));
      SvgCanvas canvas(area.w, area.h, light_theme().ground);
      StageEvents events;
      scene.stage(canvas, {{5}, area, light_theme()}, events);
      float lowest = 0, title = 0;
      for (const auto& text : canvas.texts()) {
        CAPTURE(rung);
        CAPTURE(area.h);
        CAPTURE(text.text);
        CHECK(text.text.find("…") == text.text.npos);
        lowest = std::max(lowest, text.rect.bottom());
        if (text.text == "MODELLED AND TIMED") title = text.rect.y;
      }
      CHECK(lowest <= area.bottom());
      CHECK(lowest > area.bottom() - 70);  // no empty half at the lower edge
      if (title > 0) CHECK(lowest > title + 120);
    }
}

TEST_CASE("cases of capture stand with the runtime's own error and the way out") {
  Run run = measured("chain", {}, 5);
  CHECK_FALSE(graph_cards(run).captures[1].known);
  run.evidence.set("cases.synchronize.error", std::int64_t{900});
  run.evidence.set("cases.synchronize.error_name", std::string("cudaErrorStreamCaptureUnsupported"));
  run.evidence.set("cases.synchronize.way_out", std::int64_t{0});
  const auto rows = graph_cards(run).captures;
  CHECK(rows[1].refused);
  CHECK(rows[1].verdict == "error 900");
  CHECK(rows[1].error == "cudaErrorStreamCaptureUnsupported");
  CHECK(rows[1].detail.find("after the launch") != std::string::npos);
  run.evidence.set("cases.synchronize.way_out", std::int64_t{801});
  run.evidence.set("cases.synchronize.way_out_name", std::string("cudaErrorIllegalState"));
  CHECK(graph_cards(run).captures[1].detail.find("cudaErrorIllegalState") != std::string::npos);
}

TEST_CASE("on a driver without conditional nodes the case says which driver has them") {
  Run run = measured("chain", {}, 5);
  run.evidence.set("cases.branch.error", std::int64_t{900});
  run.evidence.set("cases.branch.way_out", std::int64_t{801});
  run.evidence.set("cases.branch.way_out_name", std::string("cudaErrorNotSupported"));
  CHECK(graph_cards(run).captures[3].detail.find("CUDA 12.4") != std::string::npos);
}

TEST_CASE("where no graph could be made, the streams are shown as measured and the reason stands beside") {
  Run run = measured("fork_join", {}, 5);
  Metrics without = run.metrics();
  std::erase_if(without, [](const auto& figure) { return figure.first.starts_with("graph."); });
  run.evidence = Evidence(without);
  CHECK(launched_kernels(run).modelled);  // a record that lacks the graph without a word is damaged
  run.evidence.set("graph.problem",
                   std::string("cudaGraphInstantiate: cudaErrorMemoryAllocation, out of memory"));
  const LaunchedKernels alone = launched_kernels(run);
  CHECK_FALSE(alone.modelled);
  CHECK(alone.shown == Ways::stream);
  CHECK(alone.stream.kernels.size() == alone.nodes.size());
  CHECK(alone.problem.find("out of memory") != std::string::npos);
  CHECK(alone.graph_ids[0] == 0);
}

TEST_CASE("the card of two sources states the constant between them, or why there is one source alone") {
  Run run = measured("chain", {{"kernels", std::int64_t{3}}}, 5);
  const auto panels = [&] { return open_run(run)->panels({}, {}).size(); };
  const std::size_t without = panels();
  CHECK_FALSE(graph_cards(run).sources);
  const auto add = [&](const ActivityTrace& trace) {
    for (auto& [name, value] : activity_metrics(
             plan_of<PipelinePlan>(*find_ladder("graphs"))->nodes(run.request.params, "chain"), trace))
      run.evidence.set(name, value);
  };
  ActivityTrace trace;
  trace.problem = {"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "cupti"};
  add(trace);
  REQUIRE(graph_cards(run).sources);
  CHECK(graph_cards(run).sources->rows.empty());
  CHECK(graph_cards(run).sources->problem.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
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
  const auto card = graph_cards(run).sources;
  REQUIRE(card);
  REQUIRE(card->rows.size() == 4);
  CHECK(card->rows[0].value == "+1.25 µs");
  CHECK(card->rows[2].value == "0.75 µs");
  CHECK(card->rows[3].label.find("2.00 µs") != std::string::npos);
  CHECK(card->problem.find("The profiler reported only 0 of 3 kernels") != std::string::npos);
}
