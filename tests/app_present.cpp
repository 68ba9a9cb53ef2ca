// The presentation is legible from the last row and shows each lab's picture; and no panel of the window has
// a title over nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "drawn_texts.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// What was drawn that is not text, and the titles.
class ShapesCanvas final : public Canvas {
 public:
  struct Title {
    std::string text;
    Rect rect;
  };
  std::vector<Rect> shapes;
  std::vector<Title> titles;

  void fill_rect(Rect r, Color, float) override { add(r); }
  void stroke_rect(Rect r, Color, float, float) override { add(r); }
  void line(Vec2 a, Vec2 b, Color, float, float) override { add(around({{a, b}})); }
  void polyline(std::span<const Vec2> points, Color, float) override { add(around(points)); }
  void fill_polygon(std::span<const Vec2> points, Color) override { add(around(points)); }
  void curve(Vec2 a, Vec2, Vec2, Vec2 b, Color, float) override { add(around({{a, b}})); }
  void fill_circle(Vec2 c, float r, Color) override { add({c.x - r, c.y - r, 2 * r, 2 * r}); }
  void stroke_circle(Vec2 c, float r, Color color, float, float) override { fill_circle(c, r, color); }
  void text(Vec2 at, std::string_view utf8, const TextStyle& style) override {
    const bool title = style.font == Font::words_semibold && style.align == Align::left;
    if (title)
      titles.push_back(
          {std::string(utf8), {at.x, at.y - style.size / 2, measure(utf8, style), in_scale(style).size}});
  }
  void grid(std::string_view, Rect r, int, int, std::span<const std::uint8_t>, Colormap, float) override {
    add(r);
  }
  void push_clip(Rect) override {}
  void pop_clip() override {}
  Hit hit(std::string_view, Rect, bool) override { return {}; }
  void tooltip(std::string_view) override {}

 private:
  static Rect around(std::span<const Vec2> points) {
    Vec2 low = points[0], high = points[0];
    for (const Vec2& p : points)
      low = {std::min(low.x, p.x), std::min(low.y, p.y)},
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    return {low.x, low.y, high.x - low.x, high.y - low.y};
  }
  void add(Rect r) { shapes.push_back(r); }
};

struct ShownAt {
  float width = 1280, height = 720;
  Language language = Language::english;
  bool presentation = true;
};

App app_of(const LabInfo& lab, const std::string& rung, const ShownAt& look) {
  AppState state;
  state.lab = lab.slug, state.rung = rung, state.params = *complete_params(lab, rung, {});
  state.language = look.language, state.projector = look.presentation;
  App app(state, nullptr);
  app.show(emulated_run(lab.slug, rung, state.params));
  return app;
}

void compare_with_first(App& app, const LabInfo& lab) {
  const std::string& first = lab.rungs.front().slug;
  app.compare(emulated_run(lab.slug, first, *complete_params(lab, first, {})));
}

std::string first_of(const std::vector<std::string>& faults) { return faults.empty() ? "" : faults.front(); }

// Text below the presentation's least size.
std::vector<std::string> small_texts(const std::vector<SvgCanvas::DrawnText>& texts, float least) {
  std::vector<std::string> small;
  for (const auto& t : texts)
    if (t.rect.h < least - 0.01f) small.push_back(t.text);
  return small;
}

// How much of the stage lies between its outermost shapes, legends' squares left out.
float share_of_stage(const ShapesCanvas& canvas, Rect area, float type) {
  float left = area.right(), right = area.x, top = area.bottom(), bottom = area.y;
  for (const Rect& r : canvas.shapes) {
    const bool square = r.w < 12 * type && r.h < 12 * type;
    if (square || !area.contains(r.center()) || r.w > area.w * 0.99f) continue;
    left = std::min(left, r.x), right = std::max(right, r.right());
    top = std::min(top, r.y), bottom = std::max(bottom, r.bottom());
  }
  return right > left && bottom > top ? (right - left) * (bottom - top) / (area.w * area.h) : 0;
}

bool holds(Rect outer, Rect inner) {
  return outer.x <= inner.x && outer.y <= inner.y && outer.right() >= inner.right() &&
         outer.bottom() >= inner.bottom();
}

// Titles of a panel with nothing drawn below them before the next title of their column.
std::vector<std::string> titles_over_nothing(const ShapesCanvas& canvas, Rect area, float type) {
  std::vector<std::string> empty;
  const auto any = [&](auto of_shape) {
    return std::any_of(canvas.shapes.begin(), canvas.shapes.end(), of_shape);
  };
  for (const auto& title : canvas.titles) {
    const Rect& at = title.rect;
    const bool label = any([&](const Rect& r) { return r.h < 140 * type && holds(r, at); });
    if (at.h < 13 * type || !area.contains({at.x, at.center().y}) || label) continue;
    float end = std::min(area.bottom() + 1, at.bottom() + 300 * type);
    for (const auto& next : canvas.titles)
      if (next.rect.h >= 13 * type && std::abs(next.rect.x - at.x) < 40 && next.rect.y > at.bottom())
        end = std::min(end, next.rect.y);
    const float right = at.x + std::max(at.w, 420 * type);
    if (!any([&](const Rect& r) {
          return r.right() > at.x && r.x < right && r.y >= at.bottom() - 2 && r.y < end &&
                 r.bottom() <= area.bottom() + 1;
        }))
      empty.push_back(title.text);
  }
  return empty;
}

void check_presentation(App& app, const ShownAt& look) {
  SvgCanvas texts(look.width, look.height, app.theme().ground);
  draw_app(texts, app, {0, 0, look.width, look.height});
  ShapesCanvas shapes;
  draw_app(shapes, app, {0, 0, look.width, look.height});
  const std::string fault = first_of(faults_of(texts.texts())),
                    small = first_of(small_texts(texts.texts(), 18 * app.presentation_scale()));
  CAPTURE(app.state().lab);
  CAPTURE(app.state().rung);
  CAPTURE(app.state().step);
  CAPTURE(app.comparing());
  CAPTURE(int(look.language));
  CHECK(fault == "");
  CHECK(small == "");
  const float kPicture = app.comparing() ? 0.18f : 0.22f;  // names take more of a half
  CHECK(share_of_stage(shapes, app.stage_area, app.theme().type) >= kPicture);
}

}  // namespace

TEST_CASE(
    "presented at 1280 x 720, no text of any rung is below 18 px, cut or on another, and its picture is "
    "there" *
    doctest::test_suite("slow")) {
  for (const Language language : {Language::english, Language::chinese})
    for (const Lab* lab : labs())
      for (const RungInfo& rung : lab->info().rungs) {
        const ShownAt look{1280, 720, language};
        App app = app_of(lab->info(), rung.slug, look);
        check_presentation(app, look);
        app.go_to(0), check_presentation(app, look);
        app.go_to(app.last_step()), check_presentation(app, look);
      }
}

TEST_CASE("two rungs presented side by side are as legible as one, in every lab") {
  for (const ShownAt& look : {ShownAt{}, ShownAt{1600, 900}, ShownAt{1280, 720, Language::chinese}})
    for (const Lab* lab : labs()) {
      App app = app_of(lab->info(), lab->info().rungs.back().slug, look);
      compare_with_first(app, lab->info());
      check_presentation(app, look);
    }
}

namespace {

// What stands below the sentence of a presentation of 1280 x 720.
std::string presented_code(App& app) {
  SvgCanvas canvas(1280, 720, {});
  draw_app(canvas, app, {0, 0, 1280, 720});
  std::string code;
  for (const auto& t : canvas.texts())
    if (t.rect.y > 630) code += t.text;
  return code;
}

}  // namespace

TEST_CASE(
    "the line of code that is presented does the step's work, and is not the one that gives a tile back") {
  for (const auto& [rung, work] : {std::pair{"flash3", "multiply<"}, {"backward_wgmma", "add_weighted<"}}) {
    App app = app_of(find_lab("attention")->info(), rung, {});
    int with_work = 0;
    for (int step = 0; step <= app.last_step(); ++step) {
      app.go_to(step);
      const std::string code = presented_code(app);
      CAPTURE(code);
      CHECK(code.find("arrive(empty") == std::string::npos);
      with_work += code.find(work) != std::string::npos;
    }
    CHECK(with_work > 0);
  }
}

TEST_CASE("what is assigned on the next line is presented with what it is assigned to") {
  App app = app_of(find_lab("gemm")->info(), "specialized", {});
  app.go_to(app.last_step());
  const std::string code = presented_code(app);
  CAPTURE(code);
  CHECK(code.find("/ 2] = ") != std::string::npos);
  CHECK(code.find("make_float2") != std::string::npos);
}

TEST_CASE("a presentation has four sizes of text, which grow with the window") {
  App app = app_of(find_lab("banks")->info(), "strided", {});
  for (const auto& [width, height, scale] : {std::tuple{1280.f, 720.f, 1.f},
                                             {1600.f, 900.f, 1.25f},
                                             {1920.f, 1080.f, 1.5f},
                                             {1920.f, 720.f, 1.f}}) {
    SvgCanvas canvas(width, height, {});
    draw_app(canvas, app, {0, 0, width, height});
    for (const auto& t : canvas.texts()) {
      const float size = t.rect.h / scale;
      CAPTURE(t.text);
      CHECK((size == 18 || size == 21 || size == 28 || size == 40));
    }
  }
}

TEST_CASE("every title on the stage has a drawing below it: every rung, size and mode, alone and compared" *
          doctest::test_suite("slow")) {
  for (const auto& [width, height] :
       {std::pair{1280.f, 720.f}, {1600.f, 900.f}, {1920.f, 1080.f}, {3840.f, 2160.f}})
    for (const bool presentation : {false, true})
      for (const Lab* lab : labs())
        for (const RungInfo& rung : lab->info().rungs) {
          App app = app_of(lab->info(), rung.slug, {width, height, Language::english, presentation});
          for (const bool compared : {false, true}) {
            if (compared) compare_with_first(app, lab->info());
            ShapesCanvas canvas;
            draw_app(canvas, app, {0, 0, width, height});
            const std::string empty = first_of(titles_over_nothing(canvas, app.stage_area, app.theme().type));
            CAPTURE(lab->info().slug);
            CAPTURE(rung.slug);
            CAPTURE(app.view_width);
            CAPTURE(presentation);
            CAPTURE(compared);
            CHECK(empty == "");
          }
        }
}

namespace {

// What must stand on the stage of a lab at 1280 x 720: words of the picture that carries its lesson.
struct Carrying {
  const char* lab;
  std::vector<const char*> in_window, presented;
};
const std::vector<Carrying>& carrying_pictures() {
  static const std::vector<Carrying> all{
      {"gemm", {"Bytes so far", "HBM", "L2", "L1", "registers"}, {"HBM", "L2", "registers"}},
      {"attention", {"K", "V", "Q", "l"}, {"K, V", "Q", "HBM", "registers"}},
      {"timing", {"WHAT EACH STOPWATCH INCLUDES", "CUDA events"}, {"CUDA events", "CPU clock, no wait"}},
      {"scheduler", {"Throughput against warps", "eligible"}, {"Throughput against warps", "eligible"}},
      {"occupancy", {"How many blocks each resource allows", "registers"}, {"registers", "shared memory"}},
      {"graphs", {"CPU", "One by one", "As one graph"}, {"CPU", "One by one", "As one graph"}}};
  return all;
}

bool is_drawn(const std::vector<SvgCanvas::DrawnText>& texts, Rect stage, const std::string& word) {
  return std::any_of(texts.begin(), texts.end(), [&](const auto& t) {
    return t.text.starts_with(word) && stage.contains(t.rect.center());
  });
}

}  // namespace

TEST_CASE("at 1280 x 720 each lab's carrying picture is on the stage, in the window and presented") {
  for (const Carrying& carrying : carrying_pictures())
    for (const bool presentation : {false, true})
      for (const RungInfo& rung : find_lab(carrying.lab)->info().rungs) {
        App app =
            app_of(find_lab(carrying.lab)->info(), rung.slug, {1280, 720, Language::english, presentation});
        SvgCanvas canvas(1280, 720, app.theme().ground);
        draw_app(canvas, app, {0, 0, 1280, 720});
        CAPTURE(std::string(carrying.lab));
        CAPTURE(rung.slug);
        CAPTURE(presentation);
        for (const std::string word : presentation ? carrying.presented : carrying.in_window) {
          CAPTURE(word);
          CHECK(is_drawn(canvas.texts(), app.stage_area, word));
        }
      }
}

TEST_CASE("keys of the presentation: b blanks, any key comes back, Page Up and Down walk, Escape leaves") {
  App app(state_of("tiled", 128), nullptr);
  app.show(emulated("tiled", 128));
  app.compare(emulated("padded", 128));
  const auto press = [&](Key key, char c = 0) { app.on_key({key, c, false, false}); };
  press(Key::f11);
  REQUIRE(app.state().projector);
  press(Key::character, 'B');
  CHECK(app.blank);
  SvgCanvas black(1280, 720, {});
  draw_app(black, app, {0, 0, 1280, 720});
  CHECK(black.texts().empty());
  const int step = app.state().step;
  press(Key::right);
  CHECK_FALSE(app.blank);
  CHECK(app.state().step == step);  // the key that brings it back does nothing else
  app.go_to(0), press(Key::page_down);
  CHECK(app.state().step == app.scene()->axis().phases()[1].first);
  press(Key::page_up);
  CHECK(app.state().step == 0);
  press(Key::escape);
  CHECK_FALSE(app.state().projector);
  CHECK(app.comparing());
  press(Key::character, 'B');
  CHECK_FALSE(app.blank);
}

TEST_CASE(
    "who has only the mouse leaves the presentation by a cross that stands there while the pointer moves") {
  App app(state_of("tiled", 128), nullptr);
  app.show(emulated("tiled", 128)), app.set_projector(true);
  const auto lines = [&] {
    ShapesCanvas canvas;
    draw_app(canvas, app, {0, 0, 1280, 720});
    return std::count_if(canvas.shapes.begin(), canvas.shapes.end(),
                         [](const Rect& r) { return r.x > 1229 && r.bottom() < 72; });
  };
  CHECK(lines() == 0);
  app.pointer_moved();
  CHECK(lines() == 2);
  CHECK_FALSE(app.tick(1));
  CHECK(lines() == 2);
  CHECK(app.tick(2));  // it goes: one more frame
  CHECK(lines() == 0);
  CHECK_FALSE(app.wants_frames());
  Screen screen(app, 1280, 720);
  screen.click("present/leave");
  CHECK_FALSE(app.state().projector);
}

TEST_CASE("the way out by mouse lies on nothing else") {
  for (const auto& [width, height] : {std::pair{1280.f, 720.f}, {1600.f, 900.f}, {3840.f, 2160.f}})
    for (const Lab* lab : labs()) {
      App app = app_of(lab->info(), lab->info().rungs.back().slug, {width, height});
      Screen screen(app, width, height);
      const Rect cross = screen.area("present/leave");
      for (const auto& area : screen.interaction().areas()) {
        CAPTURE(area.id);
        if (area.id != "present/leave") CHECK_FALSE(overlap(area.rect, cross));
      }
      SvgCanvas texts(width, height, app.theme().ground);
      draw_app(texts, app, {0, 0, width, height});
      for (const auto& t : texts.texts()) CHECK_FALSE(overlap(visible(t), cross));
    }
}
