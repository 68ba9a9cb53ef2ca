// The ladder above the stage, the card's tabs, the river.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/ladder_strip.hpp"
#include "app/draw/river.hpp"
#include "app/engine/engine.hpp"
#include "app/shell/views.hpp"
#include "kernels/ladder.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

App app_of(const std::string& lab) {
  AppState state;
  state.lab = lab, state.rung = find_ladder(lab)->info.rungs.front().slug;
  App app(state, nullptr);
  app.timed_without_runner = timed_recordings(*make_recording_engine({in_source("assets/recordings")}), lab);
  return app;
}

std::int64_t size_of(const Run* run, const char* name) { return int_param(run->request.params, name); }

}  // namespace

TEST_CASE("all times of a ladder are of one problem, whatever size a rung is timed at for itself") {
  const App attention = app_of("attention");
  REQUIRE(attention.ladder_times().size() == 10);
  int without = 0;
  for (const Run* run : attention.ladder_times()) {
    if (!run) {  // causal's work is half of it
      ++without;
      continue;
    }
    // flash2_mma's own timing is of 16,384 keys; another recording is of 4,096
    CHECK(size_of(run, "seq") == 4096);
    CHECK(size_of(run, "heads") == 16);
  }
  CHECK(without == 1);
  const App gemm = app_of("gemm");
  for (const Run* run : gemm.ladder_times()) {
    REQUIRE(run);
    for (const char* name : {"m", "n", "k"}) CHECK(size_of(run, name) == 4096);
  }
  // Vectors, matrices and volumes of as many elements.
  const App threads = app_of("threads");
  int timed = 0;
  for (const Run* run : threads.ladder_times()) {
    if (!run) continue;  // not recorded on that device
    std::int64_t elements = 1;
    for (const char* extent : {"width", "height", "depth"})
      if (run->request.params.contains(extent)) elements *= size_of(run, extent);
    CHECK(elements == 1 << 26);
    ++timed;
  }
  CHECK(timed >= 4);
}

TEST_CASE("a rung without a recorded time says so, and a ladder that nobody times says nothing of times") {
  const auto drawn = [](App& app) {
    SvgCanvas canvas(1600, 900, app.theme().ground);
    draw_ladder(canvas, app, {0, 0, 1500, 90}, false);
    std::multiset<std::string> texts;
    for (const auto& text : canvas.texts()) texts.insert(text.text);
    return texts;
  };
  App app = app_of("gemm");
  std::erase_if(app.timed_without_runner, [](const Run& run) { return run.request.rung == "naive"; });
  CHECK(drawn(app).count("no time recorded") == 1);
  app.timed_without_runner.clear();
  CHECK(drawn(app).count("no time recorded") == 0);
}

TEST_CASE("a pipeline that is timed as a whole has a bar; a rung of other work says what was timed instead") {
  const App graphs = app_of("graphs");
  const auto& times = graphs.ladder_times();
  REQUIRE(times.size() == 3);
  REQUIRE((times[0] && times[1]));
  for (const Run* run : {times[0], times[1]}) {
    CHECK(size_of(run, "kernels") == 9);
    CHECK(size_of(run, "kernel_us") == 2);
    CHECK(run->time->median_ms == doctest::Approx(*real_metric(*run, "graph.total_us") / 1e3));
  }
  CHECK_FALSE(times[2]);
  CHECK(graphs.lab().why_no_bar("decode", graphs.timed()).text().find("µs as one graph") !=
        std::string::npos);
  const App occupancy = app_of("occupancy");
  CHECK((occupancy.ladder_times()[0] && occupancy.ladder_times()[1]));
  CHECK_FALSE((occupancy.ladder_times()[2] || occupancy.ladder_times()[3]));
  for (const char* product : {"fma", "spilled"})
    CHECK(occupancy.lab().why_no_bar(product, occupancy.timed()).text().find("FLOP/s") != std::string::npos);
}

TEST_CASE("times that are nearly the same have bars that are nearly the same") {
  LadderStrip strip;
  for (const double ms : {0.0223, 0.0218}) {
    LadderCell cell;
    cell.id = cell.name = "r" + std::to_string(ms), cell.ms = ms;
    strip.cells.push_back(cell);
  }
  strip.current = 5;
  SvgCanvas canvas(600, 90, light_theme().ground);
  draw_ladder_strip(canvas, light_theme(), {0, 0, 600, 90}, strip, false);
  const std::string svg = canvas.finish();
  std::vector<double> widths;  // of the bars, on their grounds of one width
  for (std::size_t at = 0; (at = svg.find("height=\"5\"", at)) != svg.npos; ++at) {
    const std::size_t width = svg.rfind("width=\"", at);
    widths.push_back(std::stod(svg.substr(width + 7)));
  }
  REQUIRE(widths.size() == 4);
  CHECK(widths[3] > 0.95 * widths[1]);
  CHECK(widths[3] < widths[1]);
}

TEST_CASE("the figure beside a step's own is the current rung's, with size and source") {
  App app = app_of("transpose");
  app.choose_rung("tiled");
  const auto figure = ladder_figure(app);
  REQUIRE(figure.has_value());
  const Timing& time = *app.ladder_times()[2]->time;
  CHECK(std::abs(std::stod(figure->value) - 100 * time.reference_ms / time.median_ms) <= 0.06);
  CHECK(figure->note == "at n = 16,384");
  CHECK(figure->provenance.starts_with("recorded: NVIDIA H200"));
}

TEST_CASE("F6 walks through every tab of the card and comes back") {
  App app = app_of("gemm");
  SvgCanvas canvas(1600, 900, app.theme().ground);
  std::vector<std::string> seen;
  const std::string first = app.tab;
  do {
    seen.push_back(app.tab);
    CHECK(app.on_key({Key::f6, 0, false, false}));
    draw_right_column(canvas, app, {900, 60, 690, 760});
  } while (app.tab != first && seen.size() < 20);
  CHECK(seen.size() >= 3);
  CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == seen.size());
}

TEST_CASE("a band is thicker for more bytes, and there is none for nothing") {
  CHECK(river_thickness(0, 1) == 0);
  float before = 0;
  for (std::int64_t bytes = 32; bytes <= 1 << 20; bytes *= 4) {
    CHECK(river_thickness(bytes, 1) > before);
    before = river_thickness(bytes, 1);
  }
  CHECK(river_thickness(std::int64_t{1} << 50, 1) == 26);
}
