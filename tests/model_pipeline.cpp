// Pipelines: records, lanes, gaps and models.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/model/pipeline.hpp"

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

// 0 forks into 1 and 2, 3 joins.
std::vector<PipelineNode> diamond() {
  return {{"fork", 0, {}}, {"a", 0, {0}}, {"b", 1, {0}}, {"join", 0, {1, 2}}};
}

std::vector<PipelineNode> random_nodes(std::mt19937& random) {
  std::vector<PipelineNode> nodes;
  const int n = 1 + int(random() % 20);
  for (int i = 0; i < n; ++i) {
    nodes.push_back({"k", int(random() % 4), {}});
    if (i == 0) nodes.back().stream = 0;
    for (int b = 0; b < i; ++b)
      if (random() % 3 == 0) nodes.back().after.push_back(b);
    if (i && nodes.back().after.empty()) nodes.back().after = {i - 1};
  }
  return nodes;
}

LaunchCosts costs() { return {3, 1.5, 1, 1, 0.5, 4, 2, 0.25}; }

}  // namespace

TEST_CASE("a record comes back from its text as it was") {
  const auto record = modelled_stream(diamond(), {1, 2, 3, 4}, costs());
  const auto back = parse_pipeline_record(to_text(record), 4);
  REQUIRE(back);
  CHECK(*back == record);
}

TEST_CASE("a stranger's text is refused, never read past its end") {
  const std::string good = to_text(modelled_stream(chain(3), {1, 1, 1}, costs()));
  CHECK(parse_pipeline_record(good, 3));
  CHECK_FALSE(parse_pipeline_record(good, 4));
  CHECK_FALSE(parse_pipeline_record(good, 2));
  std::mt19937 random(7);
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    CHECK_FALSE((parse_pipeline_record(std::string_view(good).substr(0, cut), 3) && good[cut - 1] != ';'));
  for (int i = 0; i < 2000;
       ++i) {  // whatever is said, what is read is a record of three kernels, or of calls alone
    std::string text = good;
    text[random() % text.size()] = char("0123456789 -,;x"[random() % 15]);
    const auto record = parse_pipeline_record(text, 3);
    if (!record) continue;
    CHECK((record->kernels.empty() || record->kernels.size() == 3));
    for (const ApiCall& call : record->calls) {
      CHECK(call.node < 3);
      CHECK(call.end_ns >= call.start_ns);
    }
  }
}

TEST_CASE("kernels that are queued run back to back, and a launch that takes longer leaves the GPU idle") {
  const auto hidden = modelled_stream(chain(10), std::vector<double>(10, 20), costs());
  CHECK(idle_us(hidden) == doctest::Approx(9 * 1.0));  // the gap in the stream
  CHECK(hidden.total_us() == doctest::Approx(3 + 1 + 10 * 20 + 9 * 1 + 0.5));
  const auto shown = modelled_stream(chain(10), std::vector<double>(10, 0.5), costs());
  CHECK(idle_us(shown) == doctest::Approx(9 * 2.5));  // a launch every 3 us
  CHECK(break_even_us(costs()) == doctest::Approx(2));
  const auto longer = modelled_stream(chain(10), std::vector<double>(10, break_even_us(costs())), costs());
  CHECK(idle_us(longer) == doctest::Approx(9 * 1.0));
}

TEST_CASE("two hundred kernels of 15 us that are waited for, at 5 us each: 4 ms") {
  LaunchCosts five;
  five.launch = 5;
  CHECK(serial_us(std::vector<double>(200, 15), five) == doctest::Approx(4000));
  CHECK(modelled_stream(chain(200), std::vector<double>(200, 15), five, true).total_us() ==
        doctest::Approx(4000));
  CHECK(modelled_stream(chain(200), std::vector<double>(200, 15), five).total_us() == doctest::Approx(3005));
}

TEST_CASE("the models agree where they must: waiting after each kernel of a chain is the serial model") {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const int n = 1 + int(random() % 50);
    std::vector<double> lengths;
    for (int k = 0; k < n; ++k) lengths.push_back(double(random() % 4000) / 100);
    LaunchCosts c = costs();
    c.launch = double(random() % 1000) / 100, c.latency = 1 + double(random() % 300) / 100;
    c.synchronize = 1;  // longer than the stream's gap: the next launch comes behind it
    CHECK(modelled_stream(chain(n), lengths, c, true).total_us() ==
          doctest::Approx(serial_us(lengths, c)).epsilon(1e-3));
    CHECK(modelled_stream(chain(n), lengths, c).total_us() <=
          serial_us(lengths, c) + 1e-3 + n * c.stream_gap);
  }
}

TEST_CASE("no kernel starts before what it waits for is done, and no stream runs two at a time") {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    const auto nodes = random_nodes(random);
    const std::vector<double> lengths(nodes.size(), 1 + double(random() % 10));
    for (const auto& record :
         {modelled_stream(nodes, lengths, costs()), modelled_graph(nodes, lengths, costs()),
          modelled_stream(nodes, lengths, costs(), true)}) {
      REQUIRE(record.kernels.size() == nodes.size());
      for (std::size_t k = 0; k < nodes.size(); ++k)
        for (const int before : nodes[k].after)
          CHECK(record.kernels[k].start_ns >= record.kernels[std::size_t(before)].end_ns);
      for (std::size_t c = 1; c < record.calls.size(); ++c)
        CHECK(record.calls[c].start_ns >= record.calls[c - 1].end_ns);
      CHECK(record.total_us() * 1e3 >= double(record.kernels.back().end_ns));
    }
    const auto stream = modelled_stream(nodes, lengths, costs());
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = a + 1; b < nodes.size(); ++b)
        if (nodes[a].stream == nodes[b].stream) CHECK(stream.kernels[b].start_ns >= stream.kernels[a].end_ns);
  }
}

TEST_CASE("lanes hold one kernel at a time, behind one that it waits for") {
  CHECK(packed_lanes(chain(5)) == std::vector<int>(5, 0));
  CHECK(packed_lanes(diamond()) == std::vector<int>{0, 0, 1, 0});
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    const auto nodes = random_nodes(random);
    const auto lanes = packed_lanes(nodes);
    std::vector<int> last(nodes.size(), -1);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const int before = last[std::size_t(lanes[k])];
      if (before >= 0)
        CHECK(std::find(nodes[k].after.begin(), nodes[k].after.end(), before) != nodes[k].after.end());
      last[std::size_t(lanes[k])] = int(k);
    }
  }
}

TEST_CASE("gaps fill a lane between its kernels, each with its cause") {
  const auto nodes = diamond();
  // The fork ends at 10, a runs 11 - 20, b 15 - 40 (launched at 14), the join 42 - 50.
  PipelineRecord record;
  record.calls = {{ApiKind::launch, 0, 0, 1},
                  {ApiKind::launch, 1, 1, 2},
                  {ApiKind::launch, 2, 2, 14},
                  {ApiKind::launch, 3, 14, 16}};
  record.kernels = {{2, 10}, {11, 20}, {15, 40}, {42, 50}};
  const auto gaps = gaps_of(nodes, record, {});
  REQUIRE(gaps.size() == 3);  // b is the first of its lane
  CHECK(gaps[0].cause == GapCause::latency);
  CHECK(gaps[0].end_ns - gaps[0].start_ns == 1);
  CHECK(gaps[1].cause == GapCause::dependency);
  CHECK(gaps[1].start_ns == 20);
  CHECK(gaps[1].end_ns == 40);
  CHECK(gaps[2].cause == GapCause::latency);
  CHECK(gaps[2].end_ns == 42);
  CHECK(idle_us(record) * 1e3 == doctest::Approx(1 + 2));
  const auto causes = idle_us_by_cause(nodes, record, {});
  CHECK((causes[0] + causes[1] + causes[2]) * 1e3 == doctest::Approx(3));
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const auto some = random_nodes(random);
    const auto r = modelled_stream(some, std::vector<double>(some.size(), double(random() % 9)), costs());
    const auto all = idle_us_by_cause(some, r, stream_starts(costs()));
    CHECK(all[0] + all[1] + all[2] == doctest::Approx(idle_us(r)));
    const auto lanes = packed_lanes(some);
    std::int64_t gap_ns = 0, between_ns = 0;
    for (const Gap& gap : gaps_of(some, r, stream_starts(costs()))) {
      CHECK(gap.end_ns > gap.start_ns);
      gap_ns += gap.end_ns - gap.start_ns;
    }
    std::vector<int> last(some.size(), -1);
    for (std::size_t k = 0; k < some.size(); ++k) {
      int& before = last[std::size_t(lanes[k])];
      if (before >= 0) between_ns += r.kernels[k].start_ns - r.kernels[std::size_t(before)].end_ns;
      before = int(k);
    }
    CHECK(gap_ns == between_ns);
  }
}

TEST_CASE("a launch that comes late is the CPU's gap") {
  const auto record = modelled_stream(chain(4), std::vector<double>(4, 0.5), costs());
  for (const Gap& gap : gaps_of(chain(4), record, stream_starts(costs())))
    CHECK((gap.cause == GapCause::cpu || gap.cause == GapCause::latency));
  const auto causes = idle_us_by_cause(chain(4), record, stream_starts(costs()));
  CHECK(causes[std::size_t(GapCause::cpu)] == doctest::Approx(3 * 1.5));  // launched 2.5 apart, 1 on the way
}

TEST_CASE("costs come back from a run's metrics, and none of them from a damaged one") {
  Run run;
  CHECK_FALSE(costs_of(run));
  for (auto& [name, value] : cost_metrics(costs())) run.evidence.set(name, value);
  REQUIRE(costs_of(run));
  CHECK(costs_of(run)->node_gap == costs().node_gap);
  run.evidence.set("costs.launch_us", std::nan(""));
  CHECK_FALSE(costs_of(run));
  run.evidence.set("costs.launch_us", 1e300);
  CHECK_FALSE(costs_of(run));
}

TEST_CASE("a model's error stands beside the measurement that it speaks of") {
  const PipelineModels models{110, 95, 50, 1};
  const auto each = model_metrics(models, true, 100.0, 50.0);
  CHECK(std::get<double>(each.at("models.serial_error")) == doctest::Approx(0.1));
  CHECK(each.count("models.asynchronous_error") == 0);
  const auto none = model_metrics(models, false, 100.0, {});
  CHECK(std::get<double>(none.at("models.asynchronous_error")) == doctest::Approx(-0.05));
  CHECK(none.count("models.graph_error") == 0);
}
