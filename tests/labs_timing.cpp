// The timing lab: what each stopwatch takes, modelled and as it was read.
#include <doctest/doctest.h>

#include "app/labs/timing/picture.hpp"

using namespace lockstep;

namespace {

Run run_of(std::int64_t elements) {
  Run run;
  run.request.lab = "timing", run.request.rung = "scale";
  run.request.params = *complete_params(find_lab("timing")->info(), "scale", {{"elements", elements}});
  return run;
}

Run measured() {
  Run run = run_of(1 << 20);
  Stopwatches all;
  const double medians[] = {2.5, 14, 6, 9};
  for (int s = 0; s < kStopwatches; ++s)
    all[std::size_t(s)].runs = {medians[s] * 0.9, medians[s], medians[s] * 1.2},
    all[std::size_t(s)].first_us = 300;
  for (auto& [name, value] : stopwatch_metrics(all)) run.metrics[name] = value;
  for (auto& [name, value] : product_metrics({{32, 1, 4}, {512, 16, 20}, {4096, 1024, 330}}))
    run.metrics[name] = value;
  run.metrics["products.multiprocessors"] = std::int64_t{132};
  run.provenance["metrics.stopwatch"] = "measured";
  return run;
}

}  // namespace

TEST_CASE("without a wait a CPU clock says the same of a long kernel as of a short one") {
  const auto small = timing_scene(run_of(1000)), large = timing_scene(run_of(1 << 26));
  CHECK(small->modelled);
  CHECK(small->says_us[0] == large->says_us[0]);
  for (const Stopwatch s : {Stopwatch::cpu_synced, Stopwatch::events, Stopwatch::events_cold})
    CHECK(large->says_us[std::size_t(s)] > 10 * small->says_us[std::size_t(s)]);
  CHECK(large->says_us[std::size_t(Stopwatch::cpu_synced)] > large->says_us[std::size_t(Stopwatch::events)]);
  CHECK(stopwatch_provenance(run_of(1000), *small) == "modelled");
}

TEST_CASE("what the stopwatches were read at is what is drawn and said") {
  const Run run = measured();
  const auto scene = timing_scene(run);
  REQUIRE_FALSE(scene->modelled);
  CHECK(scene->says_us == std::vector<double>{2.5, 14, 6, 9});
  for (int s = 0; s < kStopwatches; ++s) {
    const auto place = scene->timeline.find(scene->ids[std::size_t(s)]);
    REQUIRE(place);
    CHECK(double(scene->timeline.at(*place).length_ns()) ==
          doctest::Approx(scene->says_us[std::size_t(s)] * 1e3));
  }
  const Lab& lab = *find_lab("timing");
  const StepAxis axis = lab.steps(run);
  REQUIRE(axis.steps.size() == kStopwatches);
  CHECK(lab.sentence(run, axis, 1).text().find("14.0 µs") != std::string::npos);
  CHECK(lab.numbers(run).size() == kStopwatches + 1 + 3);
}

TEST_CASE("products are told apart by what bounds them") {
  const Run run = measured();
  const Plot plot = products_plot(run, *timing_scene(run));
  REQUIRE(plot.series.size() == 3);
  for (const PlotSeries& series : plot.series) CHECK(series.points.size() == 1);
  CHECK(plot.series[0].points[0].x == 32);   // less than two launches
  CHECK(plot.series[1].points[0].x == 512);  // 16 blocks for 132 SMs
  CHECK(plot.series[2].points[0].x == 4096);
}
