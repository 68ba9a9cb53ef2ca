// Plots and bars, drawn without a screen.
#include <doctest/doctest.h>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/plot.hpp"

using namespace lockstep;

namespace {

const Theme& theme() { return light_theme(); }

Plot roofline() {
  return {"roofline",
          {"FLOP / byte", 0.1, 1000, true},
          {"FLOP/s", 1e10, 1e14, true},
          {{"67 TFLOP/s",
            {{0.1, 4.8e11, ""}, {14, 6.7e13, ""}, {1000, 6.7e13, ""}},
            color::shared,
            PlotMark::line},
           {"", {{1, 2e12, "naive"}, {30, 3e13, "tiled"}}, color::trouble, PlotMark::dots}},
          {}};
}

}  // namespace

TEST_CASE("ticks are round, inside the axis and no more than asked for") {
  CHECK(ticks_of({"", 0, 100, false}, 6) == std::vector<double>{0, 20, 40, 60, 80, 100});
  CHECK(ticks_of({"", 0, 0.5, false}, 6).size() == 6);
  CHECK(ticks_of({"", 1, 1000, true}, 8) == std::vector<double>{1, 10, 100, 1000});
  CHECK(ticks_of({"", 1, 8, true}, 8) == std::vector<double>{1, 2, 4, 8});
  for (int most = 1; most < 12; ++most)
    for (const PlotAxis& axis :
         {PlotAxis{"", -3, 17, false}, PlotAxis{"", 1200, 1320, false}, PlotAxis{"", 0.02, 5e7, true}}) {
      const auto ticks = ticks_of(axis, most);
      CAPTURE(most);
      CHECK(ticks.size() <= std::size_t(most));
      for (double tick : ticks) {
        CHECK(tick >= axis.min * (1 - 1e-9) - 1e-9);
        CHECK(tick <= axis.max * (1 + 1e-9));
      }
    }
}

TEST_CASE("an axis without extent has no ticks and its plot draws nothing") {
  CHECK(ticks_of({"", 1, 1, false}, 5).empty());
  CHECK(ticks_of({"", 0, 10, true}, 5).empty());
  Plot plot = roofline();
  plot.x.max = plot.x.min;
  SvgCanvas canvas(400, 300, theme().ground);
  draw_plot(canvas, theme(), {0, 0, 400, 300}, plot);
  CHECK(canvas.texts().empty());
}

TEST_CASE("ticks read 1.5 k, not 1500") {
  CHECK(tick_text(0) == "0");
  CHECK(tick_text(0.25) == "0.25");
  CHECK(tick_text(1500) == "1.5 k");
  CHECK(tick_text(1e13) == "10 T");
  CHECK(tick_text(-2e6) == "-2 M");
}

TEST_CASE("nothing that a plot writes leaves its room, and its axes are labelled") {
  for (float width : {240.f, 500.f, 900.f}) {
    SvgCanvas canvas(1000, 600, theme().ground);
    const Rect room{20, 20, width, 260};
    draw_plot(canvas, theme(), room, roofline());
    bool x_label = false, y_label = false;
    for (const auto& text : canvas.texts()) {
      CAPTURE(text.text);
      CHECK(text.rect.x >= room.x);
      CHECK(text.rect.right() <= room.right());
      CHECK(text.rect.y >= room.y - 1);
      CHECK(text.rect.bottom() <= room.bottom());
      x_label |= text.text == "FLOP / byte", y_label |= text.text == "FLOP/s";
    }
    CHECK(x_label);
    CHECK(y_label);
  }
}

TEST_CASE("the point under the pointer is found") {
  SvgCanvas before(500, 300, theme().ground), after(500, 300, theme().ground);
  const Rect room{0, 0, 500, 300};
  Plot plot{"p",
            {"x", 0, 10, false},
            {"y", 0, 10, false},
            {{"", {{0, 0, ""}, {5, 5, ""}, {10, 10, ""}}, color::hbm, PlotMark::dots}},
            {}};
  draw_plot(before, theme(), room, plot);
  after.put_pointer({before.hits()[0].rect.center(), true}, before.hits());
  const PlotHit hit = draw_plot(after, theme(), room, plot);
  REQUIRE(hit.hovered.has_value());
  CHECK(*hit.hovered == std::pair{0, 1});
  CHECK(hit.clicked);
}

TEST_CASE("bars are in proportion, and labels and figures keep to their room") {
  SvgCanvas canvas(500, 300, theme().ground);
  const Rect room{20, 10, 300, 100};
  draw_bars(canvas, theme(), "stalls", room,
            {{"long scoreboard", "62 %", 1, color::hbm},
             {"wait", "17 %", 0.274, color::l2},
             {"none", "0 %", 0, color::l1}});
  REQUIRE(canvas.texts().size() == 6);
  for (const auto& text : canvas.texts()) {
    CHECK(text.rect.x >= room.x - 0.5f);
    CHECK(text.rect.right() <= room.right() + 0.5f);
  }
  CHECK(canvas.texts()[1].rect.x > canvas.texts()[3].rect.x);  // the figure stands behind its bar
}
