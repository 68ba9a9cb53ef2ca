// Everything that is written can be read: each text against what was painted under it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

#include "app/shell/views.hpp"
#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr double kWanted = 4.5;  // WCAG AA

std::string hex(Color c) {
  char text[8];
  std::snprintf(text, sizeof text, "%02X%02X%02X", c.r, c.g, c.b);
  return text;
}

// Keeps what was painted, in order, and looks up what lies under each text.
class ContrastCanvas final : public Canvas {
 public:
  ContrastCanvas(float width, float height, Color ground) : ground_(ground) {
    clips_.push_back({0, 0, width, height});
  }
  std::set<std::string> faults;
  int texts = 0;

  void fill_rect(Rect r, Color c, float) override { paint(r, c, {}); }
  void fill_polygon(std::span<const Vec2> points, Color c) override {
    Rect box{points[0].x, points[0].y, 0, 0};
    for (const Vec2 p : points) {
      const float right = std::max(box.right(), p.x), bottom = std::max(box.bottom(), p.y);
      box.x = std::min(box.x, p.x), box.y = std::min(box.y, p.y);
      box.w = right - box.x, box.h = bottom - box.y;
    }
    paint(box, c, {points.begin(), points.end()});
  }
  void fill_circle(Vec2 center, float radius, Color c) override {
    std::vector<Vec2> around;
    for (int i = 0; i < 24; ++i) {
      const float a = float(i) * 6.2831853f / 24;
      around.push_back({center.x + radius * std::cos(a), center.y + radius * std::sin(a)});
    }
    fill_polygon(around, c);
  }
  void grid(std::string_view, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
            Colormap colors, float) override {
    if (columns <= 0 || rows <= 0) return;
    Grid grid{r, columns, rows, {}};
    for (const std::uint8_t v : values) grid.cells.push_back(colors[v]);
    painted_.push_back({clipped(r), grid});
  }
  void text(Vec2 at, std::string_view utf8, const TextStyle& style) override {
    const float width = measure(utf8, style);
    const float left = style.align == Align::left     ? at.x
                       : style.align == Align::center ? at.x - width / 2
                                                      : at.x - width;
    for (const float part : {0.1f, 0.5f, 0.9f}) check({left + width * part, at.y}, utf8, style);
    ++texts;
  }
  void push_clip(Rect r) override { clips_.push_back(clipped(r)); }
  void pop_clip() override { clips_.pop_back(); }
  Hit hit(std::string_view, Rect, bool) override { return {}; }
  void stroke_rect(Rect, Color, float, float) override {}
  void line(Vec2, Vec2, Color, float, float) override {}
  void polyline(std::span<const Vec2>, Color, float) override {}
  void curve(Vec2, Vec2, Vec2, Vec2, Color, float) override {}
  void stroke_circle(Vec2, float, Color, float, float) override {}
  void tooltip(std::string_view) override {}

 private:
  struct Shape {
    Color color;
    std::vector<Vec2> corners;  // convex; none: the whole area
  };
  struct Grid {
    Rect r;
    int columns, rows;
    std::vector<Color> cells;
  };
  struct Painted {
    Rect area;
    std::variant<Shape, Grid> what;
  };

  Rect clipped(Rect r) const {
    const Rect c = clips_.back();
    const float x = std::max(r.x, c.x), y = std::max(r.y, c.y);
    return {x, y, std::max(0.f, std::min(r.right(), c.right()) - x),
            std::max(0.f, std::min(r.bottom(), c.bottom()) - y)};
  }
  void paint(Rect r, Color c, std::vector<Vec2> corners) {
    if (c.a > 0) painted_.push_back({clipped(r), Shape{c, std::move(corners)}});
  }
  static bool inside(const std::vector<Vec2>& corners, Vec2 p) {
    int left = 0, right = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec2 a = corners[i], b = corners[(i + 1) % corners.size()];
      const float side = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
      left += side > 0, right += side < 0;
    }
    return left == 0 || right == 0;
  }
  static Color over(Color below, Color above) {
    const Color opaque{above.r, above.g, above.b, 255};
    return mix(below, opaque, float(above.a) / 255);
  }
  static Color color_at(const Grid& grid, Vec2 p) {
    const int col = std::clamp(int((p.x - grid.r.x) / grid.r.w * float(grid.columns)), 0, grid.columns - 1),
              row = std::clamp(int((p.y - grid.r.y) / grid.r.h * float(grid.rows)), 0, grid.rows - 1);
    return grid.cells[std::size_t(row) * std::size_t(grid.columns) + std::size_t(col)];
  }
  Color under(Vec2 p) const {
    Color c = ground_;
    for (const Painted& painted : painted_) {
      if (!painted.area.contains(p)) continue;
      if (const auto* grid = std::get_if<Grid>(&painted.what)) {
        c = over(c, color_at(*grid, p));
      } else if (const Shape& shape = std::get<Shape>(painted.what);
                 shape.corners.empty() || inside(shape.corners, p)) {
        c = over(c, shape.color);
      }
    }
    return c;
  }
  void check(Vec2 p, std::string_view utf8, const TextStyle& style) {
    if (!clips_.back().contains(p)) return;
    const Color ground = under(p), ink = over(ground, style.color);
    if (contrast(ink, ground) >= kWanted) return;
    char ratio[16];
    std::snprintf(ratio, sizeof ratio, "%.2f", contrast(ink, ground));
    faults.insert("'" + std::string(utf8) + "' " + hex(ink) + " on " + hex(ground) + ": " + ratio);
  }

  Color ground_;
  std::vector<Rect> clips_;
  std::vector<Painted> painted_;
};

std::set<std::string> faults_of(App& app, float width = 1600, float height = 900) {
  ContrastCanvas canvas(width, height, app.theme().ground);
  draw_app(canvas, app, {0, 0, width, height});
  CHECK(canvas.texts > 20);
  return canvas.faults;
}

App app_of(const LabInfo& lab, const std::string& rung, bool dark) {
  AppState state;
  state.lab = lab.slug, state.rung = rung, state.params = *complete_params(lab, rung, {}), state.dark = dark;
  App app(state, nullptr);
  app.show(emulated_run(lab.slug, rung, state.params));
  return app;
}

// Where it opens, at the beginning, at the end, and between.
std::vector<int> some_steps(const App& app) {
  return {app.state().step, 0, app.last_step() / 3, app.last_step()};
}

}  // namespace

TEST_CASE("every text of every lab and rung reads at 4.5 to 1, in both themes" *
          doctest::test_suite("slow")) {
  std::set<std::string> faults;
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs)
      for (const bool dark : {false, true}) {
        App app = app_of(lab->info(), rung.slug, dark);
        for (const int step : some_steps(app)) {
          app.go_to(step);
          for (const std::string& fault : faults_of(app))
            faults.insert(lab->info().slug + "/" + rung.slug + (dark ? " dark: " : " light: ") + fault);
        }
      }
  for (const std::string& fault : faults) MESSAGE(fault);
  CHECK(faults.empty());
}

TEST_CASE("tabs, lists, fields and help read at 4.5 to 1, in both themes") {
  for (const bool dark : {false, true}) {
    App app = app_of(find_lab("transpose")->info(), "padded", dark);
    std::set<std::string> faults;
    const auto draw = [&] { faults.merge(faults_of(app)); };
    for (const char* tab : {"settings", "numbers", "occupancy", "try"}) app.tab = tab, draw();
    for (const MenuKind kind : {MenuKind::compare, MenuKind::scene, MenuKind::find, MenuKind::save})
      app.open_menu(kind), draw();
    app.open_menu(MenuKind::open), app.menu.edit = TextEdit("/nowhere.json");
    app.on_key({Key::enter}), draw();
    app.close_menu(), app.tab = "settings";
    app.begin_typing(App::Typing::Of::parameter, "n", "none"), app.commit_typing(), draw();
    app.typing.reset();
    app.chooser_open = true, draw(), app.chooser_open = false;
    app.set_param("n", std::int64_t(100)), app.tab = "numbers", draw();  // numbers of another setting
    app.help = true, draw();
    for (const std::string& fault : faults) MESSAGE((dark ? "dark: " : "light: ") << fault);
    CHECK(faults.empty());
  }
}
