// The timing lab: what each stopwatch takes, modelled and as it was read.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>

#include "app/draw/canvas_svg.hpp"
#include "app/labs/timing/scene.hpp"

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
  for (auto& [name, value] : stopwatch_metrics(all)) run.evidence.set(name, value);
  for (auto& [name, value] : product_metrics({{32, 1, 4}, {512, 16, 20}, {4096, 1024, 330}}))
    run.evidence.set(name, value);
  run.evidence.set("products.multiprocessors", std::int64_t{132});
  run.provenance["metrics.stopwatch"] = "measured";
  return run;
}

}  // namespace

TEST_CASE("without a wait a CPU clock says the same of a long kernel as of a short one") {
  const StopwatchReadings small = stopwatch_readings(run_of(1000)),
                          large = stopwatch_readings(run_of(1 << 26));
  CHECK(small.modelled);
  CHECK(small.us[0] == large.us[0]);
  for (const Stopwatch s : {Stopwatch::cpu_synced, Stopwatch::events, Stopwatch::events_cold})
    CHECK(large.us[std::size_t(s)] > 10 * small.us[std::size_t(s)]);
  CHECK(large.us[std::size_t(Stopwatch::cpu_synced)] > large.us[std::size_t(Stopwatch::events)]);
  CHECK(TimingScene(std::make_shared<const Run>(run_of(1000))).stopwatch_provenance() == "modelled");
}

TEST_CASE("what the stopwatches were read at is what is drawn and said") {
  const TimingScene scene(std::make_shared<const Run>(measured()));
  const StopwatchReadings& readings = scene.readings;
  REQUIRE_FALSE(readings.modelled);
  CHECK(readings.us == std::vector<double>{2.5, 14, 6, 9});
  for (int s = 0; s < kStopwatches; ++s) {
    std::int64_t length = 0, end = -1;
    for (const std::uint32_t id : readings.span_ids[std::size_t(s)]) {
      const auto place = readings.timeline.find(id);
      REQUIRE(place);
      const TimelineSpan& part = readings.timeline.at(*place);
      CHECK((end < 0 || part.start_ns == end));  // one behind the other
      length += part.length_ns(), end = part.end_ns;
    }
    CHECK(double(length) == doctest::Approx(readings.us[std::size_t(s)] * 1e3));
  }
  REQUIRE(scene.steps.count() == kStopwatches);
  CHECK(scene.sentence({1}).text().find("14.0 µs") != std::string::npos);
  CHECK(scene.numbers().size() == kStopwatches + 1 + 3);
}

TEST_CASE("the headline: what the stopwatch says, what the kernel took, how much is launch and wait") {
  const TimingScene scene(std::make_shared<const Run>(measured()));  // 2.5, 14, 6 and 9 us
  const auto values = [&](int step) {
    std::vector<std::string> all;
    for (const HeadFigure& f : scene.headline({step})) all.push_back(f.value);
    return all;
  };
  CHECK(values(0) == std::vector<std::string>{"2.50 µs", "6.00 µs", "100 %"});
  CHECK(values(1) == std::vector<std::string>{"14.0 µs", "6.00 µs", "57 %"});  // 8 of 14
  CHECK(values(2) == std::vector<std::string>{"6.00 µs", "6.00 µs", "0 %"});
  CHECK(values(3) == std::vector<std::string>{"9.00 µs", "6.00 µs", "3.00 µs"});
  CHECK(scene.headline({1})[0].provenance == "measured");
}

TEST_CASE("no stopwatch is praised or blamed by a colour: green and orange are not on the stage") {
  const TimingScene scene(std::make_shared<const Run>(measured()));
  for (int step = 0; step < kStopwatches; ++step) {
    SvgCanvas canvas(700, 640, light_theme().ground);
    StageEvents events;
    scene.stage(canvas, {{step}, {0, 0, 700, 640}, light_theme()}, events);
    std::string svg = canvas.finish();
    std::transform(svg.begin(), svg.end(), svg.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    CHECK(svg.find("#0072b2") != svg.npos);  // the kernel
    for (const char* hex : {"#009e73", "#007857", "#d55e00", "#aa4b00"}) {
      CAPTURE(hex);
      CHECK(svg.find(hex) == svg.npos);
    }
    for (const auto& text : canvas.texts()) {
      CAPTURE(text.text);
      CHECK(text.text.find("…") == text.text.npos);  // nothing cut
    }
  }
}

TEST_CASE("while a step is taken the cursor runs from where the stopwatch starts to where it stops") {
  const TimingScene scene(std::make_shared<const Run>(measured()));
  const auto drawn = [&](float motion) {
    SvgCanvas canvas(700, 640, light_theme().ground);
    StageEvents events;
    scene.stage(canvas, {{1}, {0, 0, 700, 640}, light_theme(), motion}, events);
    return canvas.finish();
  };
  CHECK(drawn(0) != drawn(0.5f));
  CHECK(drawn(0.5f) != drawn(1));
}

TEST_CASE("products are told apart by what bounds them") {
  const Plot plot = products_plot(stopwatch_readings(measured()));
  REQUIRE(plot.series.size() == 3);
  for (const PlotSeries& series : plot.series) CHECK(series.points.size() == 1);
  CHECK(plot.series[0].points[0].x == 32);   // less than two launches
  CHECK(plot.series[1].points[0].x == 512);  // 16 blocks for 132 SMs
  CHECK(plot.series[2].points[0].x == 4096);
}
