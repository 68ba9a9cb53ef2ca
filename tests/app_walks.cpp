// Random walks through the window with keys and pointer: nothing that can be typed, clicked, dragged or
// scrolled in any order brings it into a state that it cannot leave or write down.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>

#include "app/shell/scene.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Pointer {
  Vec2 at;
  bool down = false, pressed = false, released = false, right = false, shift = false;
  float wheel = 0;
};

// Draws nothing: counts what it is told, and answers hits by the areas of the frame before.
class WalkCanvas final : public Canvas {
 public:
  struct Area {
    std::string id;
    Rect rect;
  };
  WalkCanvas(Rect window, const Pointer& pointer, const std::string& hot, const std::string& active)
      : pointer_(pointer), hot_(hot), active_(active) {
    clips_.push_back(window);
  }
  std::vector<Area> areas;
  long drawn = 0;

  void fill_rect(Rect r, Color, float) override { count(r.x + r.y + r.w + r.h); }
  void stroke_rect(Rect r, Color, float, float) override { count(r.x + r.y + r.w + r.h); }
  void line(Vec2 a, Vec2 b, Color, float, float) override { count(a.x + a.y + b.x + b.y); }
  void polyline(std::span<const Vec2> points, Color, float) override { all(points); }
  void fill_polygon(std::span<const Vec2> points, Color) override { all(points); }
  void curve(Vec2 a, Vec2 b, Vec2 c, Vec2 d, Color, float) override {
    count(a.x + b.x + c.x + d.x + a.y + b.y + c.y + d.y);
  }
  void fill_circle(Vec2 c, float r, Color) override { count(c.x + c.y + r); }
  void stroke_circle(Vec2 c, float r, Color, float, float) override { count(c.x + c.y + r); }
  void text(Vec2 at, std::string_view, const TextStyle& style) override { count(at.x + at.y + style.size); }
  void grid(std::string_view, Rect r, int, int, std::span<const std::uint8_t>, Colormap, float) override {
    count(r.x + r.y + r.w + r.h);
  }
  void push_clip(Rect r) override { clips_.push_back(inside(r)); }
  void pop_clip() override { clips_.pop_back(); }
  void tooltip(std::string_view) override {}
  Hit hit(std::string_view id, Rect r, bool) override {
    areas.push_back({std::string(id), inside(r)});
    Hit hit;
    hit.pointer = pointer_.at, hit.shift = pointer_.shift;
    hit.hovered = id == hot_ && (active_.empty() || active_ == id);
    hit.held = id == active_ && pointer_.down;
    hit.pressed = hit.held && pointer_.pressed, hit.dragged = hit.held && !pointer_.pressed;
    hit.clicked = id == active_ && id == hot_ && pointer_.released;
    hit.double_clicked = hit.pressed && pointer_.shift;
    if (hit.held) hit.moved = {3, 2};
    hit.right_held = pointer_.right && hit.hovered, hit.right_pressed = hit.right_held;
    if (areas.back().rect.contains(pointer_.at)) hit.wheel = pointer_.wheel;
    return hit;
  }

 private:
  Rect inside(Rect r) const {
    const Rect c = clips_.back();
    const float x = std::max(r.x, c.x), y = std::max(r.y, c.y);
    return {x, y, std::max(0.f, std::min(r.right(), c.right()) - x),
            std::max(0.f, std::min(r.bottom(), c.bottom()) - y)};
  }
  void count(float sum) { drawn += std::isfinite(sum) ? 1 : -1'000'000; }  // no place is nowhere
  void all(std::span<const Vec2> points) {
    for (const Vec2 p : points) count(p.x + p.y);
  }
  const Pointer& pointer_;
  const std::string &hot_, &active_;
  std::vector<Rect> clips_;
};

// Answers for the first and the last rung of each lab at their default settings; refuses all else.
class WalkRunner final : public FakeRunner {
 public:
  void start(const Request& request) override {
    FakeRunner::start(request);
    const LabInfo& info = find_lab(request.lab)->info();
    const bool known = request.rung == info.rungs.front().slug || request.rung == info.rungs.back().slug;
    const auto usual = complete_params(info, request.rung, {});
    if (!known || !usual || *usual != request.params)
      return answer(bad_input("the walk has no run of {0}", {request.rung}));
    Run run = emulated_run(request.lab, request.rung, request.params);
    run.request = request;
    answer(std::move(run));
  }
};

// What the walks came to, all together.
struct Met {
  std::set<MenuKind> lists;
  std::set<App::Typing::Of> fields;
  std::set<std::string> labs;
  int wrong = 0, stages = 0, compared = 0, projector = 0, saved = 0;
};

class Walk {
 public:
  Walk(unsigned seed, const std::string& folder)
      : random_(seed), folder_(folder), app_(start(seed), &runner_) {
    window_ = pick(2) ? Rect{0, 0, 1280, 720} : Rect{0, 0, 1600, 900};
    const Run& saved = emulated("tiled");
    runner_.files[folder + "/run.npz"] = saved;
    app_.tick(1), frame();
  }

  // A screen blanked for a talk shows nothing; a presentation without its run, or the home, less than the
  // window.
  long least_drawn() const {
    if (app_.blank) return -1;
    if (app_.state().home) return 20;
    if (app_.state().projector) return app_.scene() ? 20 : 3;
    return 100;
  }

  void step() {
    const unsigned kind = pick(app_.takes_text() ? 16 : 12);
    if (kind < 2) return click(area_center());
    if (kind < 3) return click(anywhere());
    if (kind < 4) return drag();
    if (kind < 5) return wheel();
    if (kind < 6) return time(0.02 + 0.1 * double(pick(4)));
    if (kind < 10) return key();
    if (kind < 12) return on_purpose();
    write();
  }

  // What holds between any two things that a reader does.
  void check(Met& met) {
    const AppState& s = app_.state();
    met.lists.insert(app_.menu.kind), met.labs.insert(s.lab);
    if (app_.typing) met.fields.insert(app_.typing->of), met.wrong += app_.typing->wrong.has_value();
    met.stages += app_.has_steps(), met.compared += app_.compared() != nullptr;
    met.projector += s.projector, met.saved += !s.saved.empty();
    REQUIRE(app_.rung_index() >= 0);
    REQUIRE(complete_params(app_.info(), s.rung, s.params).ok());
    REQUIRE(s.step >= 0);
    if (app_.has_steps()) REQUIRE(s.step <= app_.last_step());
    if (app_.scene()) REQUIRE(app_.run()->request.lab == s.lab);
    REQUIRE(!empty_);
  }

  // What is on the stage can be written down and opened again.
  void check_end() {
    const std::string text = scene_text(app_.state(), app_.moment());
    App again({}, &runner_);
    REQUIRE_MESSAGE(again.open_text(text, "the scene"), text << (again.banner ? again.banner->text() : ""));
    CHECK(again.state().lab == app_.state().lab);
    CHECK(again.state().rung == app_.state().rung);
    CHECK(again.state().params == app_.state().params);
    for (int i = 0; i < 20 && app_.takes_keys(); ++i) app_.on_key({Key::escape});
    CHECK_FALSE(app_.takes_keys());  // Escape leads out of everything
  }
  const App& app() const { return app_; }

 private:
  static AppState start(unsigned seed) {
    AppState state;
    const LabInfo& info = labs()[seed % labs().size()]->info();
    state.lab = info.slug, state.rung = seed % 2 ? info.rungs.front().slug : info.rungs.back().slug;
    return state;
  }
  unsigned pick(unsigned count) { return unsigned(random_() % count); }
  bool flip() { return pick(2) == 0; }

  void frame() {
    std::string hot;
    for (const auto& area : areas_)
      if (area.rect.contains(pointer_.at)) hot = area.id;
    if (pointer_.pressed) active_ = hot;
    WalkCanvas canvas(window_, pointer_, hot, active_);
    const long least = least_drawn();  // a click may leave what is drawn for something else
    draw_app(canvas, app_, window_);
    areas_ = std::move(canvas.areas);
    empty_ = canvas.drawn <= std::min(least, least_drawn());
    if (pointer_.released) active_.clear();
    pointer_.pressed = pointer_.released = pointer_.right = false, pointer_.wheel = 0;
    app_.wanted_focus.clear();
    if (app_.to_clipboard) clipboard_ = *std::exchange(app_.to_clipboard, std::nullopt);
    if (std::exchange(app_.wants_clipboard, false)) app_.paste(clipboard_);
  }
  Vec2 anywhere() { return {window_.w * float(pick(1000)) / 1000, window_.h * float(pick(1000)) / 1000}; }
  Vec2 area_center() {
    if (areas_.empty()) return anywhere();
    return areas_[pick(unsigned(areas_.size()))].rect.center();
  }
  void move(Vec2 to) { pointer_.at = to, pointer_.shift = pick(6) == 0, app_.pointer_moved(), frame(); }
  void press(bool down) {
    if (down) app_.pointer_pressed(pointer_.at);
    pointer_.down = down, (down ? pointer_.pressed : pointer_.released) = true;
    frame();
  }
  void click(Vec2 at) {
    move(at);
    if (pick(8) == 0) return pointer_.right = true, frame();
    press(true), press(false);
  }
  void drag() {
    move(area_center()), press(true);
    for (unsigned i = 0; i < 1 + pick(3); ++i) pointer_.at = flip() ? area_center() : anywhere(), frame();
    press(false);
  }
  void wheel() {
    move(flip() ? area_center() : anywhere());
    pointer_.wheel = flip() ? 1.f : -2.f, frame();
  }
  void time(double seconds) { app_.tick(seconds), app_.blink(seconds), frame(); }
  void key() {
    KeyPress press;
    if (pick(3) == 0) {
      press.key = Key(pick(unsigned(Key::character)));
      press.ctrl = pick(4) == 0, press.shift = pick(4) == 0;
      if (press.key == Key::tab) app_.leave_field();
    } else {
      constexpr std::string_view letters = "CRTPL[]/?123456789FM+-0.,", controls = "ACOSVXYZ";
      press.ctrl = pick(3) == 0, press.shift = press.ctrl && pick(4) == 0;
      press.character = press.ctrl ? controls[pick(controls.size())] : letters[pick(letters.size())];
    }
    app_.on_key(press), frame();
  }
  // What few would come to by chance: a second run beside the first, a file opened, a value confirmed.
  void on_purpose() {
    const auto type_line = [&](const std::string& line) {
      app_.on_key({Key::character, 'A', true, false}), app_.paste(line), app_.on_key({Key::enter}), frame();
    };
    const unsigned kind = pick(8);
    if (kind < 2) {
      app_.open_menu(MenuKind::compare), frame();
      app_.on_key({flip() ? Key::up : Key::down}), app_.on_key({Key::enter}), frame();
      for (int i = 0; i < 3; ++i) time(0.1);
    } else if (kind == 2) {
      app_.open_menu(flip() ? MenuKind::open : MenuKind::open_beside), frame();
      type_line(folder_ + (flip() ? "/run.npz" : "/scene.json"));
    } else if (kind == 3) {
      app_.open_menu(MenuKind::save), type_line(folder_ + "/scene.json");
    } else if (kind == 4 && app_.has_timeline) {
      app_.search_timeline(), frame(), type_line("step");
    } else if (kind == 4 && pick(4) == 0) {  // few labs have a timeline to search
      app_.choose_lab("graphs");
      for (int i = 0; i < 3; ++i) time(0.1);
    } else if (kind == 4) {
      flip() ? app_.open_pictures() : app_.open_menu(flip() ? MenuKind::scene : MenuKind::find), frame();
    } else if (kind == 5) {
      app_.begin_typing(flip() ? App::Typing::Of::block : App::Typing::Of::warp, "", ""), frame();
      type_line(flip() ? "1" : "-7");
    } else if (!app_.info().parameters.empty()) {
      const Parameter& p = app_.info().parameters[pick(unsigned(app_.info().parameters.size()))];
      if (!app_.state().params.contains(p.name)) return;
      if (!has_slider(p)) return app_.open_choices(p.name), frame();
      app_.begin_typing(App::Typing::Of::parameter, p.name, ""), frame();
      type_line(flip() ? "64" : "1e9 lots");
    }
  }
  // Into a field: a number, words of two languages, a name in the folder, or keys that edit.
  void write() {
    if (pick(3) == 0)
      return app_.on_key({flip() ? Key::enter : Key(pick(unsigned(Key::character)))}), frame();
    constexpr std::u32string_view letters = U"0123456789 -.eaxn转置";
    if (pick(3) == 0) {
      app_.on_key({Key::character, 'A', true, false});
      app_.paste(folder_ + (flip() ? "/scene.json" : flip() ? "/run.npz" : "/none.json"));
    }
    for (unsigned i = 0; i < 1 + pick(5); ++i) app_.type_character(letters[pick(unsigned(letters.size()))]);
    frame();
  }

  std::mt19937 random_;
  std::string folder_;
  WalkRunner runner_;
  App app_;
  Rect window_;
  Pointer pointer_;
  std::vector<WalkCanvas::Area> areas_;
  std::string active_, clipboard_;
  bool empty_ = false;
};

}  // namespace

TEST_CASE("fifty random walks through the window end where it can be written down and opened again") {
  const TemporaryFolder folder;
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());  // where a scene without a folder goes
  Met met;
  for (unsigned seed = 0; seed < (kSanitized ? 25 : 50); ++seed) {
    CAPTURE(seed);
    Walk walk(seed, folder.path().string());
    for (int i = 0; i < 120; ++i) {
      CAPTURE(i);
      walk.step();
      walk.check(met);
    }
    walk.check_end();
  }
  std::filesystem::current_path(here);
  CHECK(met.lists.size() >= 8);   // nearly every one, and none
  CHECK(met.fields.size() == 4);  // a value, a search, the block, the warp
  CHECK(met.labs.size() == labs().size());
  for (const int times : {met.wrong, met.stages, met.compared, met.projector, met.saved}) CHECK(times > 20);
  REQUIRE(use_language(Language::english, {}).ok());
}
