// The timeline widget, drawn without a screen: what is on it, and what pointer and keys do.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/timeline.hpp"

using namespace lockstep;

namespace {

constexpr Rect kArea{20, 20, 900, 260};

enum Kind : std::uint16_t { call, kernel, gap };

std::vector<TimelineKind> kinds() {
  return {
      {"call", Color::hex(0x8D959C), false}, {"kernel", color::hbm, false}, {"gap", color::trouble, true}};
}

// One chain in two streams: a call launches each kernel, gaps lie between them.
Timeline decode_step(int kernels = 7) {
  Timeline t;
  t.add_lane("CPU", "Launched one by one");
  t.add_lane("stream A", "Launched one by one");
  t.add_lane("stream B", "Launched one by one");
  const char* const names[] = {"norm", "qkv", "attention", "proj", "mlp"};
  std::uint32_t before = 0;
  for (int i = 0; i < kernels; ++i) {
    const std::int64_t at = i * 20000;
    const auto from = t.add(t.lanes[0], "cudaLaunchKernel", at, at + 3200, call);
    const bool aside = i % 3 == 2;
    const auto k = t.add(t.lanes[aside ? 2 : 1], names[i % 5], at + 5000, at + 17000, kernel);
    if (!aside) t.add(t.lanes[1], "gap", at + 17000, at + 25000, gap);
    t.edges.push_back({from, k, 0});
    if (before) t.edges.push_back({before, k, 1});
    before = k;
  }
  t.nest();
  return t;
}

TimelinePicture picture_of(const Timeline& t) {
  TimelinePicture p;
  p.id = "stage/timeline", p.timeline = &t, p.kinds = kinds();
  return p;
}

struct Drawn {
  TimelineHit hit;
  std::vector<SvgCanvas::DrawnText> texts;
  std::vector<SvgCanvas::DrawnHit> hits;
  std::vector<std::string> tooltips;
  std::string svg;
  bool says(const std::string& text) const {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const auto& t) { return t.text.find(text) != std::string::npos; });
  }
  int count(const std::string& text) const {
    return int(std::count_if(texts.begin(), texts.end(), [&](const auto& t) { return t.text == text; }));
  }
};

Drawn draw(const TimelinePicture& picture, const TimelineView& view = {},
           const std::optional<SvgCanvas::Pointer>& pointer = {}, std::vector<TimelineKey> keys = {},
           const Theme& theme = light_theme(), Rect area = kArea) {
  std::vector<SvgCanvas::DrawnHit> areas;
  if (pointer) areas = draw(picture, view, {}, {}, theme, area).hits;
  SvgCanvas canvas(area.right() + 20, area.bottom() + 20, theme.ground);
  if (pointer) canvas.put_pointer(*pointer, areas);
  Drawn d;
  d.hit = draw_timeline(canvas, theme, area, picture, view, keys);
  d.texts = canvas.texts(), d.hits = canvas.hits(), d.tooltips = canvas.tooltips(), d.svg = canvas.finish();
  return d;
}

// Filled rectangles of the picture in this colour: left and right.
std::vector<std::pair<float, float>> rects(const std::string& svg, const std::string& fill) {
  std::vector<std::pair<float, float>> all;
  for (std::size_t at = 0; (at = svg.find("<rect", at)) != svg.npos; ++at) {
    const std::string element = svg.substr(at, svg.find("/>", at) - at);
    if (element.find("fill=\"" + fill + "\"") == element.npos) continue;
    const auto number = [&](const char* name) {
      const auto found = element.find(std::string(" ") + name + "=\"");
      return std::strtof(element.c_str() + found + std::string(name).size() + 3, nullptr);
    };
    all.emplace_back(number("x"), number("x") + number("width"));
  }
  return all;
}

bool overlap(Rect a, Rect b) {
  return a.x < b.right() - 0.5f && b.x < a.right() - 0.5f && a.y < b.bottom() - 0.5f &&
         b.y < a.bottom() - 0.5f;
}

constexpr const char* kHbm = "#0072b2";

// The middle of the lanes at a time of the whole, in the row of this lane.
Vec2 at_time(const Timeline& t, double ns, const char* lane_name) {
  const Drawn d = draw(picture_of(t));
  const Rect lanes = d.hits.front().rect;
  const TimeRange whole = whole_range(picture_of(t));
  const auto label =
      std::find_if(d.texts.begin(), d.texts.end(), [&](const auto& text) { return text.text == lane_name; });
  REQUIRE(label != d.texts.end());
  return {lanes.x + 4 + (lanes.w - 8) * float((ns - whole.start_ns) / (whole.end_ns - whole.start_ns)),
          label->rect.center().y};
}

}  // namespace

TEST_CASE("lanes have their names, the group stands once, wide bars carry their spans' names") {
  const Timeline t = decode_step();
  const Drawn d = draw(picture_of(t));
  for (const char* text : {"CPU", "stream A", "stream B", "Launched one by one"}) CHECK(d.count(text) == 1);
  CHECK(d.count("norm") == 2);
  CHECK(d.count("attention") == 1);
  CHECK(d.says("0 µs"));
  CHECK(d.says("100 µs"));
  CHECK_FALSE(d.says("gap"));
  CHECK(rects(d.svg, kHbm).size() == 7);
  if (const char* file = std::getenv("LOCKSTEP_PICTURE")) {
    TimelinePicture p = picture_of(t);
    p.now_ns = 65000, p.now_spans = {8};
    TimelineView view;
    view.brush = {{22000, 61000}}, view.selected = 3;
    std::ofstream(file) << draw(p, view, {}, {}, dark_theme()).svg;
    std::ofstream(std::string(file) + ".light.svg") << draw(p, view).svg;
  }
}

TEST_CASE("no label lies over another, at any zoom, size and theme") {
  const Timeline t = decode_step(60);
  for (const float width : {300.f, 620.f, 1400.f})
    for (const float height : {70.f, 160.f, 500.f})
      for (const double end : {1'200'000.0, 400'000.0, 52'000.0, 900.0})
        for (const bool brush : {false, true}) {
          Theme theme = light_theme();
          theme.type = width > 1000 ? 1.5f : 1;
          TimelineView view;
          view.shown = {{0, end}};
          if (brush) view.brush = {{end / 4, end / 2}}, view.search = "qkv";
          const Drawn d = draw(picture_of(t), view, {}, {}, theme, {10, 10, width, height});
          for (std::size_t i = 0; i < d.texts.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
              CAPTURE(d.texts[i].text);
              CAPTURE(d.texts[j].text);
              CHECK_FALSE(overlap(d.texts[i].rect, d.texts[j].rect));
            }
        }
}

TEST_CASE("bars below 3 px become one, and where nothing is there is no bar") {
  Timeline t;
  TimelineLane& lane = t.add_lane("stream");
  for (int i = 0; i < 5000; ++i) t.add(lane, "k", i * 10, i * 10 + 8, kernel);
  t.add(lane, "k", 99'990, 100'000, kernel);
  t.nest();
  const Drawn d = draw(picture_of(t));
  const auto bars = rects(d.svg, kHbm);
  const Rect lanes = d.hits.front().rect;
  CHECK(bars.size() > 100);
  CHECK(bars.size() <= std::size_t(lanes.w / 3) + 2);
  for (const auto& [left, right] : bars) {
    CHECK((left < lanes.center().x + 3 || left > lanes.right() - 10));
    CHECK(right - left >= 1);
  }
}

TEST_CASE("a merged bar has the colour of what most of its time is, and says how many it holds") {
  Timeline t;
  TimelineLane& lane = t.add_lane("stream");
  for (int i = 0; i < 10000; ++i) {
    t.add(lane, "k", i * 10, i * 10 + 7, kernel);
    t.add(lane, "c", i * 10 + 7, i * 10 + 10, call);
  }
  t.nest();
  CHECK(rects(draw(picture_of(t)).svg, "#8d959c").empty());
  const Drawn d = draw(picture_of(t), {}, SvgCanvas::Pointer{at_time(t, 50000, "stream")});
  REQUIRE(d.tooltips.size() == 1);
  CHECK(d.tooltips[0].find("spans in") != std::string::npos);
  CHECK(d.tooltips[0].find("kernel") != std::string::npos);
  CHECK_FALSE(d.hit.hovered);
}

TEST_CASE("hover tells name, length and start, or what the lab tells; a click chooses the span") {
  const Timeline t = decode_step();
  const Vec2 norm = at_time(t, 11000, "stream A");
  Drawn d = draw(picture_of(t), {}, SvgCanvas::Pointer{norm});
  REQUIRE(d.hit.hovered);
  CHECK(t.names[t.at(*t.find(*d.hit.hovered)).name] == "norm");
  REQUIRE(d.tooltips.size() == 1);
  CHECK(d.tooltips[0].find("norm\n12.0 µs, from 5.00 µs on") == 0);
  TimelinePicture picture = picture_of(t);
  picture.tell = [](const TimelineSpan& span) { return "id " + std::to_string(span.id); };
  d = draw(picture, {}, SvgCanvas::Pointer{norm, true});
  CHECK(d.tooltips[0] == "id " + std::to_string(*d.hit.hovered));
  CHECK(d.hit.chosen == d.hit.hovered);
  CHECK(d.hit.view.selected == *d.hit.hovered);
  d = draw(picture, d.hit.view, SvgCanvas::Pointer{at_time(t, 1000, "stream B"), true});
  CHECK_FALSE(d.hit.chosen);
  CHECK(d.hit.view.selected == 0);
  REQUIRE(d.hit.clicked_ns);
  CHECK(*d.hit.clicked_ns == doctest::Approx(1000).epsilon(0.05));
}

TEST_CASE("the wheel zooms around the pointer, with Shift it moves; a drag moves what is under it along") {
  const Timeline t = decode_step();
  const TimelinePicture p = picture_of(t);
  const double whole = whole_range(p).end_ns;
  SvgCanvas::Pointer pointer{at_time(t, 40000, "CPU"), false, 3};
  const TimelineView closer = draw(p, {}, pointer).hit.view;
  REQUIRE(closer.shown);
  const TimeRange shown = *closer.shown;
  CHECK(shown.end_ns - shown.start_ns == doctest::Approx(whole * 0.512));
  // What was under the pointer still is.
  CHECK((40000 - shown.start_ns) / (shown.end_ns - shown.start_ns) ==
        doctest::Approx(40000 / whole).epsilon(1e-3));
  pointer.wheel = -20;
  CHECK_FALSE(draw(p, closer, pointer).hit.view.shown);  // all of it again
  pointer.wheel = -1, pointer.shift = true;
  const TimelineView later = draw(p, closer, pointer).hit.view;
  CHECK(later.shown->start_ns > shown.start_ns);
  CHECK(later.shown->end_ns - later.shown->start_ns == doctest::Approx(shown.end_ns - shown.start_ns));
  SvgCanvas::Pointer drag{pointer.at};
  drag.held = true, drag.moved = {-50, 0};
  const TimelineView dragged = draw(p, closer, drag).hit.view;
  const float px = draw(p).hits.front().rect.w - 8;
  CHECK(dragged.shown->start_ns - shown.start_ns ==
        doctest::Approx(50 / px * (shown.end_ns - shown.start_ns)));
}

TEST_CASE("a view never leaves the time that there is, whatever is asked of it") {
  const Timeline t = decode_step();
  const TimelinePicture p = picture_of(t);
  const TimeRange whole = whole_range(p);
  for (const TimeRange asked : {TimeRange{-1e9, 5}, TimeRange{1e6, 1e18}, TimeRange{7, 7}, TimeRange{9, 2},
                                TimeRange{std::nan(""), 4}}) {
    TimelineView view;
    view.shown = asked;
    const TimeRange shown = shown_range(p, view);
    CHECK(shown.start_ns >= whole.start_ns);
    CHECK(shown.end_ns <= whole.end_ns);
    CHECK(shown.end_ns - shown.start_ns >= 10);
  }
  TimelineView view;
  for (int i = 0; i < 100; ++i) view = zoomed(p, view, 50000, 0.5);
  CHECK(view.shown->end_ns - view.shown->start_ns == doctest::Approx(10));
  CHECK(view.shown->start_ns <= 50000);
  CHECK(view.shown->end_ns >= 50000);
}

TEST_CASE("the brush measures its length, counts spans but no gaps, and adds up the time inside it by kind") {
  const Timeline t = decode_step();
  const Measure m = measure_of(t, {10000, 50000}, kinds());
  CHECK(m.length_ns == 40000);
  CHECK(m.spans == 5);                // two calls, three kernels
  CHECK(m.ns_by_kind[call] == 6400);  // of 20..23.2 and 40..43.2
  CHECK(m.ns_by_kind[kernel] == 7000 + 12000 + 5000);
  CHECK(m.ns_by_kind[gap] == 8000 + 8000);
  CHECK(measure_of(t, {50000, 10000}, kinds()).ns_by_kind == m.ns_by_kind);
  CHECK(measure_of(t, {3300, 4900}, kinds()).spans == 0);
  TimelineView view;
  view.brush = {{10000, 50000}};
  CHECK(
      draw(picture_of(t), view).says("Δt 40.0 µs · spans: 5 · call 6.40 µs · kernel 24.0 µs · gap 16.0 µs"));
}

TEST_CASE("the right button, and Shift with the left one, draw a brush") {
  const Timeline t = decode_step();
  const TimelinePicture p = picture_of(t);
  SvgCanvas::Pointer press{at_time(t, 20000, "CPU"), true};
  press.shift = press.held = true;
  TimelineView view = draw(p, {}, press).hit.view;
  REQUIRE(view.brush);
  SvgCanvas::Pointer move{at_time(t, 60000, "CPU")};
  move.right_held = true;
  view = draw(p, view, move).hit.view;
  CHECK(view.brush->start_ns == doctest::Approx(20000).epsilon(1e-3));
  CHECK(view.brush->end_ns == doctest::Approx(60000).epsilon(1e-3));
  CHECK_FALSE(view.shown);
}

TEST_CASE("a search makes the others pale, counts, and next goes from match to match") {
  const Timeline t = decode_step(10);
  TimelineView view;
  view.search = "QKV";
  const Drawn d = draw(picture_of(t), view);
  CHECK(rects(d.svg, kHbm).size() == 2);
  CHECK(d.says("QKV · 2"));
  std::vector<std::string> seen;
  for (int i = 0; i < 2; ++i) {
    const auto hit = draw(picture_of(t), view, {}, {TimelineKey::next}).hit;
    REQUIRE(hit.chosen);
    view = hit.view;
    seen.push_back(t.names[t.at(*t.find(*hit.chosen)).name] + " " +
                   std::to_string(t.at(*t.find(*hit.chosen)).start_ns));
  }
  std::sort(seen.begin(), seen.end());
  CHECK(seen == std::vector<std::string>{"qkv 125000", "qkv 125000"});
}

TEST_CASE("every key does what it says") {
  const Timeline t = decode_step();
  const TimelinePicture p = picture_of(t);
  const auto press = [&](TimelineView view, TimelineKey key) { return with_key(p, view, key); };
  TimelineView view = press({}, TimelineKey::zoom_in);
  CHECK(view.shown->end_ns - view.shown->start_ns == doctest::Approx(whole_range(p).end_ns / 2));
  const double start = view.shown->start_ns;
  CHECK(press(view, TimelineKey::later).shown->start_ns > start);
  CHECK(press(view, TimelineKey::earlier).shown->start_ns < start);
  CHECK_FALSE(press(view, TimelineKey::zoom_out).shown);
  CHECK_FALSE(press(view, TimelineKey::all).shown);
  CHECK(press(view, TimelineKey::lane_down).first_lane == 1);
  CHECK(press(view, TimelineKey::lane_up).first_lane == 0);
  // Next and previous walk the lane of the selected span, past the gaps.
  view = {};
  view.selected = t.lanes[1].spans[0].id;
  view = press(view, TimelineKey::next);
  CHECK(t.names[t.at(*t.find(view.selected)).name] == "qkv");
  CHECK(press(view, TimelineKey::previous).selected == t.lanes[1].spans[0].id);
  // From the beginning of one span to the end of another, then nothing.
  view = {};
  view.selected = t.lanes[1].spans[0].id;
  view = press(press(press(view, TimelineKey::measure), TimelineKey::next), TimelineKey::measure);
  REQUIRE(view.brush);
  CHECK(*view.brush == TimeRange{5000, 37000});
  CHECK_FALSE(press(view, TimelineKey::measure).brush);
}

TEST_CASE("edges are drawn between spans in view, and not where there are too many") {
  const Timeline t = decode_step();
  const auto lines = [](const Drawn& d, const Theme& theme) {
    int count = 0;
    char dim[16];
    std::snprintf(dim, sizeof dim, "#%02x%02x%02x", theme.dim.r, theme.dim.g, theme.dim.b);
    for (const char* element : {"<line", "<path"})
      for (std::size_t at = 0; (at = d.svg.find(element, at)) != d.svg.npos; ++at)
        count +=
            d.svg.substr(at, d.svg.find("/>", at) - at).find(std::string("stroke=\"") + dim) != d.svg.npos;
    return count;
  };
  // Seven launches; of the six dependencies, those from stream to stream.
  CHECK(lines(draw(picture_of(t)), light_theme()) == 7 + 4);
  TimelineView view;
  view.shown = {{0, 19000}};
  CHECK(lines(draw(picture_of(t), view), light_theme()) == 1);
  const Timeline many = decode_step(150);
  CHECK(lines(draw(picture_of(many), {}, {}, {}, light_theme(), {0, 0, 3000, 300}), light_theme()) == 0);
}

TEST_CASE("lanes that find no room are counted, and a click goes to them and back") {
  Timeline t;
  for (int l = 0; l < 40; ++l)
    t.add(t.add_lane("lane " + std::to_string(l)), "k", l * 10, l * 10 + 100, kernel);
  t.nest();
  const TimelinePicture p = picture_of(t);
  const Drawn d = draw(p);
  REQUIRE(d.says("more lanes"));
  CHECK(d.says("lane 0"));
  CHECK_FALSE(d.says("lane 39"));
  const auto more =
      std::find_if(d.hits.begin(), d.hits.end(), [](auto& h) { return h.id.ends_with("/more"); });
  REQUIRE(more != d.hits.end());
  TimelineView view;
  for (int i = 0; i < 10 && !draw(p, view).says("lane 39"); ++i)
    view = draw(p, view, SvgCanvas::Pointer{more->rect.center(), true}).hit.view;
  CHECK(draw(p, view).says("lane 39"));
  CHECK(draw(p, view).says("to the first lane"));
}

TEST_CASE("times are written in their unit, ticks are round and told apart") {
  CHECK(span_text(850) == "850 ns");
  CHECK(span_text(12400) == "12.4 µs");
  CHECK(span_text(3.06e6) == "3.06 ms");
  CHECK(span_text(0) == "0 ns");
  for (const TimeRange range :
       {TimeRange{0, 34}, TimeRange{0, 206'400}, TimeRange{5e9, 5e9 + 30}, TimeRange{-2000, 4000},
        TimeRange{3'000'000, 3'000'900}, TimeRange{0, 7.2e12}}) {
    const auto ticks = time_ticks(range, 8);
    CHECK(ticks.size() >= 2);
    CHECK(ticks.size() <= 8);
    for (std::size_t i = 1; i < ticks.size(); ++i) CHECK(ticks[i].text != ticks[i - 1].text);
  }
  CHECK(time_ticks({0, 200'000}, 5)[1].text == "50 µs");
  CHECK(time_ticks({1'000'000, 1'000'500}, 6)[1].text == "1.0001 ms");
}

TEST_CASE("an empty timeline, a lane without spans and an area without room draw no bar and do not fail") {
  Timeline t;
  t.nest();
  CHECK(rects(draw(picture_of(t)).svg, kHbm).empty());
  t.add_lane("CPU"), t.nest();
  CHECK(draw(picture_of(t)).says("CPU"));
  for (const TimelineKey key : {TimelineKey::zoom_in, TimelineKey::next, TimelineKey::measure})
    draw(picture_of(t), {}, {}, {key});
  const Timeline full = decode_step();
  CHECK(draw(picture_of(full), {}, {}, {}, light_theme(), {0, 0, 60, 10}).texts.empty());
}
