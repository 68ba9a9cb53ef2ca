// A profiler's records beside the kernels' own stamps: whose they are, and what lies between the two.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "app/model/activity.hpp"

using namespace lockstep;

namespace {

std::vector<PipelineNode> chain(int n) {
  std::vector<PipelineNode> nodes;
  for (int i = 0; i < n; ++i) {
    nodes.push_back({"step", 0, {}});
    if (i) nodes.back().after = {i - 1};
  }
  return nodes;
}
std::vector<PipelineNode> diamond() {
  return {{"fork", 0, {}}, {"a", 0, {0}}, {"b", 1, {0}}, {"join", 0, {1, 2}}};
}

// Kernels of 5 us every 7 us by the stamps; the profiler says that each starts 300 ns earlier and ends 500 ns
// later, kernel 1 a further 100 ns.
ActivityPass pass_of(int n, ActivityWay way) {
  ActivityPass pass;
  for (int i = 0; i < n; ++i) {
    const std::int64_t start = 7000 * i, end = start + 5000;
    const bool graph = way == ActivityWay::graph;
    pass.stamps.kernels.push_back({start, end});
    pass.records.push_back({"kernel", start - 300, end + 500 + (i == 1 ? 100 : 0),
                            graph ? 70u : 40u + std::uint32_t(i), graph ? 900u + std::uint64_t(i) : 0u, 7});
  }
  for (std::uint32_t call = 30; call < 100; ++call) pass.calls.push_back(call);
  return pass;
}

ActivityTrace trace_of(int n) {
  ActivityTrace trace;
  trace.stream = pass_of(n, ActivityWay::stream), trace.graph = pass_of(n, ActivityWay::graph);
  trace.clock_error_us = 0.7;
  return trace;
}

double real(const std::map<std::string, Value>& all, const char* name) {
  REQUIRE_MESSAGE(all.count(name), name);
  return std::get<double>(all.at(name));
}
std::string word(const std::map<std::string, Value>& all, const char* name) {
  REQUIRE_MESSAGE(all.count(name), name);
  return std::get<std::string>(all.at(name));
}
std::int64_t whole(const std::map<std::string, Value>& all, const char* name) {
  REQUIRE_MESSAGE(all.count(name), name);
  return std::get<std::int64_t>(all.at(name));
}

}  // namespace

TEST_CASE("the constants between both sources are medians of what each kernel shows") {
  const auto all = activity_metrics(chain(5), trace_of(5));
  CHECK(word(all, "cupti.status") == "records");
  CHECK(all.count("cupti.message") == 0);
  CHECK(whole(all, "cupti.stream_kernels") == 5);
  CHECK(whole(all, "cupti.graph_kernels") == 5);
  CHECK(real(all, "cupti.length_more_us") == doctest::Approx(0.8));
  CHECK(real(all, "cupti.length_more_min_us") == doctest::Approx(0.8));
  CHECK(real(all, "cupti.length_more_max_us") == doctest::Approx(0.9));
  CHECK(real(all, "cupti.start_before_us") == doctest::Approx(0.3));
  CHECK(real(all, "cupti.end_behind_us") == doctest::Approx(0.5));
  CHECK(real(all, "cupti.end_behind_max_us") == doctest::Approx(0.6));
  CHECK(real(all, "cupti.clock_error_us") == doctest::Approx(0.7));
  CHECK(real(all, "cupti.stamps_stream_gap_us") == doctest::Approx(2));
  CHECK(real(all, "cupti.stream_gap_us") == doctest::Approx(1.2));
  CHECK(real(all, "cupti.graph_gap_us") == doctest::Approx(1.2));
}

TEST_CASE("a graph's metrics tell whether its nodes were known or taken in order") {
  ActivityTrace trace = trace_of(3);
  CHECK(word(activity_metrics(chain(3), trace), "cupti.graph_matched") == "by order");
  trace.graph.node_of = {{900, 0}, {901, 1}, {902, 2}};
  CHECK(word(activity_metrics(chain(3), trace), "cupti.graph_matched") == "by node");
  trace.graph.node_of.erase(901);
  CHECK(word(activity_metrics(chain(3), trace), "cupti.graph_matched") == "by order");
}

TEST_CASE("without an alignment of the clocks lengths and gaps are told, and no starts or ends") {
  ActivityTrace trace = trace_of(3);
  trace.clock_error_us = std::numeric_limits<double>::infinity();
  const auto all = activity_metrics(chain(3), trace);
  CHECK(all.count("cupti.length_more_us") == 1);
  CHECK(all.count("cupti.stream_gap_us") == 1);
  for (const char* name : {"cupti.start_before_us", "cupti.end_behind_us", "cupti.clock_error_us"})
    CHECK(all.count(name) == 0);
  CHECK(activity_metrics(chain(1), trace_of(1)).count("cupti.stream_gap_us") == 0);  // no gap in one kernel
}

TEST_CASE("the stream's records are matched by the order of their launches, whatever order they come in") {
  std::mt19937 random(3);
  ActivityPass pass = pass_of(20, ActivityWay::stream);
  const auto told = pass.records;
  for (int i = 0; i < 20; ++i) {
    std::shuffle(pass.records.begin(), pass.records.end(), random);
    ActivityProblem problem;
    const auto spans = matched_records(chain(20), pass, ActivityWay::stream, problem);
    CHECK_FALSE(problem.any());
    REQUIRE(spans.size() == 20);
    for (std::size_t k = 0; k < 20; ++k) CHECK(spans[k] == KernelSpan{told[k].start_ns, told[k].end_ns});
  }
}

TEST_CASE("a graph's records find their nodes by the graph's own names, else by the order of their ids") {
  const auto nodes = diamond();
  ActivityPass pass = pass_of(4, ActivityWay::graph);
  const auto told = pass.records;
  std::swap(pass.records[0], pass.records[3]);
  ActivityProblem problem;
  auto spans = matched_records(nodes, pass, ActivityWay::graph, problem);
  CHECK_FALSE(problem.any());
  REQUIRE(spans.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) CHECK(spans[k].start_ns == told[k].start_ns);
  // The two branches carry ids the other way round: nobody sees it in the order, the names know.
  std::swap(pass.records[1].graph_node, pass.records[2].graph_node);
  pass.node_of = {{900, 0}, {902, 1}, {901, 2}, {903, 3}, {77, 1}};
  spans = matched_records(nodes, pass, ActivityWay::graph, problem);
  CHECK_FALSE(problem.any());
  REQUIRE(spans.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) CHECK(spans[k].start_ns == told[k].start_ns);
}

TEST_CASE("records of other calls are no kernel's") {
  ActivityPass pass = pass_of(4, ActivityWay::stream);
  pass.records.push_back({"stray", 50000, 60000, 29, 0, 7});         // launched by none of the run's calls
  pass.records.push_back({"of a graph", 50000, 60000, 45, 901, 7});  // and this one is a graph's
  ActivityProblem problem;
  CHECK(matched_records(chain(4), pass, ActivityWay::stream, problem).size() == 4);
  CHECK_FALSE(problem.any());
}

TEST_CASE("lost records are noticed, and their way's constants are left out") {
  ActivityTrace trace = trace_of(5);
  trace.graph.records.pop_back();
  trace.graph.lost = 1;
  const auto some = activity_metrics(chain(5), trace);
  CHECK(word(some, "cupti.status") == "records");
  CHECK(word(some, "cupti.reason") == "lost");
  CHECK(word(some, "cupti.message").find("The profiler reported only 4 of 5 kernels") != std::string::npos);
  CHECK(whole(some, "cupti.stream_kernels") == 5);
  CHECK(whole(some, "cupti.graph_kernels") == 0);
  CHECK(whole(some, "cupti.graph_lost") == 1);
  CHECK(some.count("cupti.stream_gap_us") == 1);
  CHECK(some.count("cupti.graph_gap_us") == 0);
  trace.stream.records.clear();
  const auto none = activity_metrics(chain(5), trace);
  CHECK(word(none, "cupti.status") == "refused");
  CHECK(none.count("cupti.length_more_us") == 0);
}

TEST_CASE("a graph that could not be run under the profiler leaves the stream's records") {
  ActivityTrace trace = trace_of(5);
  trace.graph = {};
  trace.problem = {"run", "cudaGraphLaunch: no", ""};
  const auto all = activity_metrics(chain(5), trace);
  CHECK(word(all, "cupti.status") == "records");
  CHECK(word(all, "cupti.message").find("cudaGraphLaunch: no") != std::string::npos);
  CHECK(whole(all, "cupti.stream_kernels") == 5);
  CHECK(all.count("cupti.graph_kernels") == 0);
}

TEST_CASE("records that cannot be these kernels' are left out, with the reason") {
  const auto reason = [](const std::vector<PipelineNode>& nodes, const ActivityPass& pass, ActivityWay way) {
    ActivityProblem problem;
    CHECK(matched_records(nodes, pass, way, problem).empty());
    return problem.reason + ": " + problem.what;
  };
  const auto graph = ActivityWay::graph, stream = ActivityWay::stream;
  ActivityPass pass = pass_of(4, graph);
  pass.records[2].correlation = 71;
  CHECK(reason(chain(4), pass, graph) == "unmatched: several graph launches");
  pass = pass_of(4, graph);
  pass.records[2].graph_node = 901;
  CHECK(reason(chain(4), pass, graph) == "unmatched: a node came twice");
  pass = pass_of(4, stream);
  pass.records[2].correlation = 41;
  CHECK(reason(chain(4), pass, stream) == "unmatched: a launch came twice");
  pass = pass_of(4, stream);
  std::swap(pass.records[1].correlation, pass.records[2].correlation);
  CHECK(reason(chain(4), pass, stream) == "unmatched: a kernel starts before what it waits for has ended");
  CHECK(reason(chain(3), pass_of(4, stream), stream) == "unmatched: there are too many");
}

TEST_CASE("absent and refused are told apart, each with what to do") {
  ActivityTrace trace;
  const auto said = [&](const char* reason, const char* what, const char* where) {
    trace.problem = {reason, what, where};
    const auto all = activity_metrics(chain(3), trace);
    CHECK(all.count("cupti.stream_kernels") == 0);
    return word(all, "cupti.status") + ": " + word(all, "cupti.message");
  };
  CHECK(said("no_headers", "", "").find("absent: This build") == 0);
  CHECK(said("no_library", "libcupti.so.13", "").find("absent: libcupti.so.13 was not found") == 0);
  CHECK(said("named_library", "/x.so", "").find("absent: LOCKSTEP_CUPTI names /x.so") == 0);
  CHECK(said("no_symbol", "cuptiSubscribe", "/x.so").find("absent: /x.so has no cuptiSubscribe") == 0);
  CHECK(said("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "cuptiSubscribe")
            .find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
  CHECK(said("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", "x", "y")
            .find("refused: Another profiler or debugger") == 0);
  CHECK(said("CUPTI_ERROR_HARDWARE", "CUPTI_ERROR_HARDWARE", "cuptiActivityEnable") ==
        "refused: CUPTI refused: CUPTI_ERROR_HARDWARE from cuptiActivityEnable.");
}

TEST_CASE("the problem comes back from a run's metrics as it went in") {
  Run run;
  CHECK_FALSE(activity_problem_of(run));
  ActivityTrace trace;
  trace.problem = {"no_symbol", "cuptiSubscribe", "/x.so"};
  for (auto& [name, value] : activity_metrics(chain(3), trace)) run.evidence.set(name, value);
  REQUIRE(activity_problem_of(run));
  CHECK(*activity_problem_of(run) == trace.problem);
  run.evidence = {};
  for (auto& [name, value] : activity_metrics(chain(3), trace_of(3))) run.evidence.set(name, value);
  REQUIRE(activity_problem_of(run));
  CHECK_FALSE(activity_problem_of(run)->any());
}
