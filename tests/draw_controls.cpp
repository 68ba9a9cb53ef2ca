// The window's controls, drawn without a screen.
#include <doctest/doctest.h>

#include <cmath>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/controls.hpp"

using namespace lockstep;

namespace {

// Counts what is drawn; nothing else.
class CountingCanvas final : public Canvas {
 public:
  int rects = 0, others = 0;
  std::vector<Rect> filled;
  void fill_rect(Rect r, Color, float) override { ++rects, filled.push_back(r); }
  void stroke_rect(Rect, Color, float, float) override { ++others; }
  void line(Vec2, Vec2, Color, float, float) override { ++others; }
  void polyline(std::span<const Vec2>, Color, float) override { ++others; }
  void fill_polygon(std::span<const Vec2>, Color) override { ++others; }
  void curve(Vec2, Vec2, Vec2, Vec2, Color, float) override { ++others; }
  void fill_circle(Vec2, float, Color) override { ++others; }
  void stroke_circle(Vec2, float, Color, float, float) override { ++others; }
  void text(Vec2, std::string_view, const TextStyle&) override { ++others; }
  void grid(std::string_view, Rect, int, int, std::span<const std::uint8_t>, Colormap, float) override {
    ++others;
  }
  void push_clip(Rect) override {}
  void pop_clip() override {}
  Hit hit(std::string_view, Rect, bool) override { return {}; }
  void tooltip(std::string_view) override {}
};

const Theme& theme() { return light_theme(); }
SvgCanvas page() { return SvgCanvas(800, 400, theme().ground); }

std::vector<Segment> phases(int count, int steps_each) {
  std::vector<Segment> all;
  for (int i = 0; i < count; ++i)
    all.push_back({i * steps_each, steps_each, i % 2 ? color::hbm : color::shared});
  return all;
}

std::vector<Pill> rungs(int count) {
  std::vector<Pill> all;
  for (int i = 0; i < count; ++i) all.push_back({"rung_" + std::to_string(i + 1), "", ""});
  return all;
}

std::vector<std::string> labels(const SvgCanvas& canvas) {
  std::vector<std::string> all;
  for (const auto& text : canvas.texts()) all.push_back(text.text);
  return all;
}

}  // namespace

TEST_CASE("the phase strip costs pixels, not phases") {
  const Rect strip{10, 10, 900, 11};
  for (const int count : {10, 1000, 1'000'000}) {
    CountingCanvas canvas;
    draw_phase_strip(canvas, theme(), "phases", strip, phases(count, 3), 3 * count, count);
    CAPTURE(count);
    CHECK(canvas.rects <= std::min(count, 300));  // 3 px each at least
    CHECK(canvas.rects >= std::min(count, 290));
  }
}

TEST_CASE(
    "few recorded settings are ticks on the slider; many that would run together a dotted line below it") {
  const Rect area{0, 0, 120, 22};
  for (const int count : {1, 3, 8, 60}) {
    std::vector<SliderMark> marks;
    for (int i = 0; i < count; ++i) marks.push_back({float(i) / 60, ""});
    CountingCanvas canvas;
    draw_slider(canvas, theme(), "n", area, 0.5f, marks, nullptr);
    int ticks = 0, dots = 0;
    for (const Rect& r : canvas.filled) ticks += r.w == 2 && r.h == 10, dots += r.w == 2 && r.h == 2;
    CAPTURE(count);
    CHECK(ticks == (count < 8 ? count : 0));
    CHECK(dots == (count < 8 ? 0 : count));
    for (const Rect& r : canvas.filled)
      if (r.w == 2 && r.h == 2) CHECK(r.y > area.center().y + 2);
  }
}

TEST_CASE("the phases fill the strip from end to end and never leave it") {
  const Rect strip{10, 10, 700, 11};
  for (const int count : {1, 7, 233, 5000}) {
    CountingCanvas canvas;
    draw_phase_strip(canvas, theme(), "phases", strip, phases(count, 2), 2 * count, 0);
    CHECK(canvas.filled.front().x == strip.x);
    CHECK(canvas.filled.back().right() == doctest::Approx(strip.right()).epsilon(0.001));
    for (std::size_t i = 1; i < canvas.filled.size(); ++i)
      CHECK(canvas.filled[i].x >= canvas.filled[i - 1].right() - 0.01f);
  }
}

TEST_CASE("a step is found in its phase") {
  const auto all = phases(5, 4);
  CHECK(segment_at(all, 0) == 0);
  CHECK(segment_at(all, 3) == 0);
  CHECK(segment_at(all, 4) == 1);
  CHECK(segment_at(all, 19) == 4);
  CHECK(segment_at(all, 20) == -1);
  CHECK(segment_at(all, -1) == -1);
  CHECK(segment_at({}, 0) == -1);
}

TEST_CASE("a click on the strip goes to the step under the pointer") {
  SvgCanvas before = page(), after = page();
  const auto all = phases(10, 1);
  draw_phase_strip(before, theme(), "phases", {0, 0, 100, 11}, all, 10, 0);
  after.put_pointer({{35, 5}, true}, before.hits());
  CHECK(draw_phase_strip(after, theme(), "phases", {0, 0, 100, 11}, all, 10, 0) == 3);
}

TEST_CASE("pills show their words, and stay inside their room wherever they fit") {
  for (const int count : {2, 6})
    for (float width = 30; width < 700; width += 13) {
      const Rect room{20, 0, width, 26};
      SvgCanvas canvas = page();
      if (!pills_fit(canvas, theme(), rungs(count), width)) continue;
      draw_pills(canvas, theme(), "rung", room, rungs(count), count - 1);
      CAPTURE(count);
      CAPTURE(width);
      CHECK(int(canvas.hits().size()) == count);
      for (const auto& hit : canvas.hits()) {
        CHECK(hit.rect.x >= room.x - 0.01f);
        CHECK(hit.rect.right() <= room.right() + 0.01f);
      }
      for (int i = 0; i < count; ++i)
        CHECK(labels(canvas)[std::size_t(i)] == rungs(count)[std::size_t(i)].label);
    }
  const SvgCanvas canvas = page();
  CHECK(pills_fit(canvas, theme(), rungs(6), 700));
  CHECK_FALSE(pills_fit(canvas, theme(), rungs(6), 200));
}

TEST_CASE("a pill that cannot be chosen says why and does nothing") {
  auto pills = rungs(3);
  pills[1].reason = "needs compute capability 9.0";
  SvgCanvas before = page(), after = page();
  draw_pills(before, theme(), "rung", {0, 0, 700, 26}, pills, 0);
  after.put_pointer({before.hits()[1].rect.center(), true}, before.hits());
  CHECK_FALSE(draw_pills(after, theme(), "rung", {0, 0, 700, 26}, pills, 0).has_value());
  REQUIRE(after.tooltips().size() == 1);
  CHECK(after.tooltips()[0] == "needs compute capability 9.0");
  CHECK_FALSE(after.hits()[1].focusable);
}

TEST_CASE("a slider gives legal values only, and its positions are theirs") {
  for (double value : {32.0, 64.0, 4096.0})
    CHECK(slider_value(slider_position(value, 32, 4096), 32, 4096, 32) == value);
  for (float p = 0; p <= 1; p += 0.01f) {
    const double value = slider_value(p, 33, 1000, 32);
    CHECK(std::fmod(value, 32) == 0);
    CHECK(value >= 64);
    CHECK(value <= 992);
  }
  CHECK(slider_value(-5, 1, 10, 1) == 1);
  CHECK(slider_value(7, 1, 10, 1) == 10);
}

TEST_CASE("a slider over a large range is logarithmic: the middle is the geometric mean") {
  CHECK(slider_value(0.5f, 1, 1'000'000, 1) == doctest::Approx(1000));
  CHECK(slider_value(0.5f, 1, 64, 1) == doctest::Approx(33));  // 64 times is still linear
}

TEST_CASE("a click on a slider's track gives the position under the pointer") {
  SvgCanvas before = page(), after = page();
  draw_slider(before, theme(), "slider", {0, 0, 212, 22}, 0.1f);
  after.put_pointer({{106, 11}, true}, before.hits());
  const auto moved = draw_slider(after, theme(), "slider", {0, 0, 212, 22}, 0.1f);
  REQUIRE(moved.has_value());
  CHECK(*moved == doctest::Approx(0.5));
}

TEST_CASE("provenance is a word and a shape of its own, and the whole of it fits its width") {
  std::vector<std::string> pictures;
  for (const char* words :
       {"measured", "recorded: NVIDIA H200, 2026-11-21", "emulated", "modelled, error 4 %"}) {
    SvgCanvas canvas = page();
    draw_badge(canvas, theme(), {200, 20}, words);
    REQUIRE(canvas.texts().size() == 1);
    CHECK(std::string(words).starts_with(canvas.texts()[0].text));
    CHECK(200 - badge_width(canvas, theme(), words) <= canvas.texts()[0].rect.x);
    std::string picture = canvas.finish();
    picture.erase(picture.find("<text"), picture.find("</text>") - picture.find("<text"));
    for (const std::string& other : pictures) CHECK(picture.size() != other.size());
    pictures.push_back(picture);
  }
}

TEST_CASE("a panel's title is shortened rather than cut off") {
  SvgCanvas canvas = page();
  const Rect inside = draw_panel(canvas, theme(), {10, 10, 90, 200}, "NUMBERS, WHOLE GRID");
  CHECK(canvas.texts()[0].rect.right() <= 100 - kPanelPadding + 0.5f);
  CHECK(inside.y > canvas.texts()[0].rect.bottom() - 2);
}

TEST_CASE("a button that is off cannot be reached") {
  SvgCanvas canvas = page();
  draw_button(canvas, theme(), "run", {0, 0, 80, 26}, "Run", ButtonLook::primary, false);
  CHECK(canvas.hits().empty());
}
