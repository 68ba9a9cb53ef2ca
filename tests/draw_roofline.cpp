// The roofline, drawn without a screen.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/label_placer.hpp"
#include "app/draw/roofline.hpp"

using namespace lockstep;

namespace {

Roofline h200() {
  return {
      "roofline",
      {{"HBM", 4.8e12, color::hbm, "measured"},
       {"L2", 10e12, color::l2, "recorded: NVIDIA H200, 2026-11-21"},
       {"L1 / shared", 33.5e12, color::shared, ""}},
      {{"FP32", 67e12, color::tensor, "data sheet"}, {"BF16 tensor", 989.4e12, color::tensor, "data sheet"}},
      {{"naive", 0.25, 0.6e12, color::hbm, false, "measured"},
       {"shared", 8, 6.1e12, color::shared, false, "measured"},
       {"reg2d", 60, 31e12, color::registers, false, "measured"},
       {"async", 110, 47e12, color::tensor, true, "measured"}}};
}

bool overlap(Rect a, Rect b) {
  constexpr float kTouch = 0.5f;
  return a.x + kTouch < b.right() && b.x + kTouch < a.right() && a.y + kTouch < b.bottom() &&
         b.y + kTouch < a.bottom();
}

void check_labels(const SvgCanvas& canvas, Rect room) {
  const auto& texts = canvas.texts();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i].text);
    CHECK(texts[i].rect.x >= room.x - 0.5f);
    CHECK(texts[i].rect.right() <= room.right() + 0.5f);
    CHECK(texts[i].rect.y >= room.y - 1);
    CHECK(texts[i].rect.bottom() <= room.bottom() + 1);
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      CAPTURE(texts[j].text);
      CHECK_FALSE(overlap(texts[i].rect, texts[j].rect));
    }
  }
}

bool shows(const SvgCanvas& canvas, std::string_view text) {
  return std::any_of(canvas.texts().begin(), canvas.texts().end(),
                     [&](const auto& drawn) { return drawn.text == text; });
}

// What is said with the pointer on a place given as a share of the plot's area.
std::string told_at(const Roofline& roofline, Rect room, Vec2 pointer, RooflineHit* result = nullptr) {
  SvgCanvas before(1000, 700, light_theme().ground), after(1000, 700, light_theme().ground);
  draw_roofline(before, light_theme(), room, roofline);
  after.put_pointer({pointer, true}, before.hits());
  const RooflineHit hit = draw_roofline(after, light_theme(), room, roofline);
  if (result) *result = hit;
  return after.tooltips().empty() ? "" : after.tooltips().back();
}

// Where (intensity, flops) stands, from the range and the hit area.
Vec2 place_of(const Roofline& roofline, Rect room, double intensity, double flops) {
  SvgCanvas canvas(1000, 700, light_theme().ground);
  draw_roofline(canvas, light_theme(), room, roofline);
  const Rect area = canvas.hits().at(0).rect;
  const RooflineRange r = range_of(roofline);
  return {area.x + area.w * float(std::log(intensity / r.least_intensity) /
                                  std::log(r.most_intensity / r.least_intensity)),
          area.bottom() -
              area.h * float(std::log(flops / r.least_flops) / std::log(r.most_flops / r.least_flops))};
}

}  // namespace

TEST_CASE("labels never overlap and never leave their box, from the right column to the whole stage") {
  for (const Rect room : {Rect{10, 10, 250, 150}, {10, 10, 306, 180}, {10, 10, 480, 300}, {10, 10, 960, 640}})
    for (const Theme* base : {&light_theme(), &dark_theme()})
      for (const float type : {1.f, 1.5f}) {
        Theme theme = *base;
        theme.type = type;
        SvgCanvas canvas(1000, 700, theme.ground);
        draw_roofline(canvas, theme, room, h200());
        CAPTURE(room.w);
        CAPTURE(type);
        check_labels(canvas, room);
      }
}

TEST_CASE("crowded points: what has no room is shortened or left to a hint, never laid over another") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> spread(0, 1);
  for (int trial = 0; trial < 40; ++trial) {
    Roofline r = h200();
    r.points.clear();
    const int count = 2 + trial;
    for (int i = 0; i < count; ++i)
      r.points.push_back({"a rung with a long name " + std::to_string(i), 8 * (1 + spread(random)),
                          6e12 * (1 + spread(random)), color::shared, i == 0, "measured"});
    SvgCanvas canvas(400, 300, light_theme().ground);
    const Rect room{5, 5, 300, 200};
    draw_roofline(canvas, light_theme(), room, r);
    check_labels(canvas, room);
    const auto whole_or_short =
        std::count_if(canvas.texts().begin(), canvas.texts().end(),
                      [](const auto& t) { return t.text.starts_with("a r") || t.text.starts_with("a…"); });
    const auto hinted = std::count_if(canvas.hints().begin(), canvas.hints().end(),
                                      [](const std::string& h) { return h.starts_with("a rung"); });
    const auto whole = std::count_if(canvas.texts().begin(), canvas.texts().end(), [](const auto& t) {
      return t.text.starts_with("a rung with a long name ") && t.text.find("…") == t.text.npos;
    });
    CHECK(whole_or_short > 0);
    CHECK(whole + hinted == count);  // nobody is forgotten
  }
}

TEST_CASE(
    "where points crowd but there is room about them, every name is whole, on a thin line to its point") {
  struct Rung {
    const char* name;
    double intensity, tera;
  };
  Roofline r = h200();
  r.points.clear();
  for (const auto& [name, intensity, tera] : std::initializer_list<Rung>{{"reg1d", 16, 12},
                                                                         {"reg2d", 28.5, 23},
                                                                         {"vectorized", 32, 28},
                                                                         {"async", 30, 47},
                                                                         {"warptile", 32, 49},
                                                                         {"mma", 53, 217},
                                                                         {"swizzle", 62, 175},
                                                                         {"ldmatrix", 62, 360},
                                                                         {"stages", 62, 410},
                                                                         {"stores", 62, 415}})
    r.points.push_back({name, intensity, tera * 1e12, color::shared, r.points.empty(), "measured"});
  SvgCanvas canvas(700, 400, light_theme().ground);
  draw_roofline(canvas, light_theme(), {5, 5, 640, 330}, r);
  for (const RooflinePoint& p : r.points) {
    CAPTURE(p.name);
    CHECK(shows(canvas, p.name));
  }
  check_labels(canvas, {5, 5, 640, 330});
}

TEST_CASE("in the right column every name is there, and at full size every figure too") {
  SvgCanvas small(300, 200, light_theme().ground), large(1000, 700, light_theme().ground);
  draw_roofline(small, light_theme(), {10, 10, 280, 170}, h200());
  for (const char* name : {"naive", "shared", "reg2d", "async", "TFLOP/s", "FLOP / byte"}) {
    CAPTURE(name);
    CHECK(shows(small, name));
  }
  draw_roofline(large, light_theme(), {10, 10, 960, 640}, h200());
  for (const char* text : {"HBM 4.80 TB/s", "L2 10.0 TB/s", "L1 / shared 33.5 TB/s", "FP32 67.0 TFLOP/s",
                           "BF16 tensor 989 TFLOP/s", "ridge 14.0", "ridge 206"}) {
    CAPTURE(text);
    CHECK(shows(large, text));
  }
}

TEST_CASE("ticks are decades, those of throughput in TFLOP/s") {
  SvgCanvas canvas(1000, 700, light_theme().ground);
  draw_roofline(canvas, light_theme(), {10, 10, 960, 640}, h200());
  for (const char* tick : {"0.1", "1", "10", "100", "1000"}) CHECK(shows(canvas, tick));
}

TEST_CASE("a point under the pointer tells its numbers, its roof and where they come from") {
  const Rect room{10, 10, 600, 400};
  RooflineHit hit;
  const std::string told = told_at(h200(), room, place_of(h200(), room, 8, 6.1e12), &hit);
  CHECK(told ==
        "shared\n6.10 TFLOP/s at 8.00 FLOP / byte\n15.9 % of what HBM allows here: 38.4 TFLOP/s\nmeasured");
  CHECK(hit.point == 1);
  CHECK(hit.clicked);
}

TEST_CASE("slopes, ceilings and ridges tell their figures with their source") {
  const Rect room{10, 10, 600, 400};
  CHECK(told_at(h200(), room, place_of(h200(), room, 2, 20e12)) ==
        "L2: 10.0 TB/s\nrecorded: NVIDIA H200, 2026-11-21");
  CHECK(told_at(h200(), room, place_of(h200(), room, 600, 67e12)) == "FP32: 67.0 TFLOP/s\ndata sheet");
  CHECK(told_at(h200(), room, place_of(h200(), room, 989.4 / 4.8, 989.4e12)) ==
        "ridge of HBM and BF16 tensor: 206 FLOP / byte");
  CHECK(told_at(h200(), room, place_of(h200(), room, 600, 5e12)) == "");
}

TEST_CASE("points without a figure are left out, and without roofs nothing is drawn") {
  Roofline r = h200();
  r.points[0].flops = std::nan("");
  r.points[1].intensity = 0;
  SvgCanvas canvas(1000, 700, light_theme().ground), empty(1000, 700, light_theme().ground);
  draw_roofline(canvas, light_theme(), {10, 10, 600, 400}, r);
  CHECK_FALSE(shows(canvas, "naive"));
  CHECK_FALSE(shows(canvas, "shared"));
  CHECK(shows(canvas, "async"));
  r.slopes.clear();
  draw_roofline(empty, light_theme(), {10, 10, 600, 400}, r);
  CHECK(empty.texts().empty());
}

TEST_CASE("a segment that cuts a corner passes through, one that ends before does not") {
  const Rect r{10, 10, 10, 10};
  CHECK(passes_through({5, 15}, {15, 5}, r));
  CHECK(passes_through({0, 0}, {40, 40}, r));
  CHECK_FALSE(passes_through({0, 0}, {9, 9}, r));
  CHECK_FALSE(passes_through({0, 25}, {40, 25}, r));
}
