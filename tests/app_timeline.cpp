// A stage's timeline in the window: its view is state, its keys reach it, scenes and commands hold it.
#include <doctest/doctest.h>

#include <imgui.h>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/compat.hpp"
#include "app/shell/fonts.hpp"
#include "app/shell/scene.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

TimelineView some_view() {
  TimelineView view;
  view.shown = {{1000.5, 64000}}, view.brush = {{500, -250}};
  view.search = "say \"norm\"", view.selected = 7, view.first_lane = 2;
  return view;
}

// A window that holds nothing but a timeline of ten kernels of 80 ns, with its pointer.
class TimelineScreen {
 public:
  TimelineScreen() : context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr, io.DisplaySize = {1000, 200}, io.DeltaTime = 1.f / 60;
    build_fonts(1, "");
    TimelineLane& lane = timeline_.add_lane("stream");
    for (int i = 0; i < 10; ++i) timeline_.add(lane, "k", i * 100, i * 100 + 80);
    timeline_.nest();
    picture_.id = "t", picture_.timeline = &timeline_, picture_.label_width = 0;
    frame();
  }
  ~TimelineScreen() { ImGui::DestroyContext(context_); }
  TimelineScreen(const TimelineScreen&) = delete;
  TimelineScreen& operator=(const TimelineScreen&) = delete;

  void frame() {
    ImGui::NewFrame();
    ImGuiCanvas canvas(1, interaction, nullptr);
    hit = draw_timeline(canvas, light_theme(), {0, 0, 988, 60}, picture_, view);
    view = hit.view;
    canvas.finish({}, {}, {}, 1, {0, 0, 1000, 200});
    ImGui::Render();
    if (hit.chosen) chosen.push_back(*hit.chosen);
  }
  // 980 px show 980 ns.
  void move(float ns) { compat::mouse_position(ImGui::GetIO(), 4 + ns, 18), frame(); }
  void press(int button, bool down) { compat::mouse_button(ImGui::GetIO(), button, down), frame(); }
  void wheel(float notches) { compat::mouse_wheel(ImGui::GetIO(), 0, notches), frame(); }

  TimelineView view;
  TimelineHit hit;
  std::vector<std::uint32_t> chosen;
  Interaction interaction;

 private:
  ImGuiContext* context_;
  Timeline timeline_;
  TimelinePicture picture_;
};

KeyPress key(char c) { return {Key::character, c, false, false}; }

}  // namespace

TEST_CASE("a scene keeps what of a timeline is looked at; a plain view is left out") {
  AppState state = state_of("tiled");
  CHECK(scene_text(state).find("timeline") == std::string::npos);
  state.timeline = some_view();
  const auto scene = parse_scene(scene_text(state), "scene");
  REQUIRE(scene.ok());
  REQUIRE(scene->timeline);
  CHECK(*scene->timeline == some_view());
  App app(state_of("tiled"), nullptr);
  REQUIRE(app.open_scene(*scene));
  CHECK(app.state().timeline == some_view());
  REQUIRE(app.open_text(scene_text(state_of("tiled")), "scene"));
  CHECK(app.state().timeline == TimelineView{});
}

TEST_CASE("the copied command holds the view, and what it holds is read again") {
  AppState state = state_of("tiled");
  state.timeline = some_view();
  const std::string command = shot_command(state, {}, "x.png");
  CHECK(command.find("--timeline") != std::string::npos);
  const auto view = parse_timeline(timeline_text(some_view()), "it");
  REQUIRE(view.ok());
  CHECK(*view == some_view());
  CHECK(timeline_text({}).empty());
  CHECK(shot_command(state_of("tiled"), {}, "x.png").find("--timeline") == std::string::npos);
}

TEST_CASE("a view that makes no sense is refused with its cause") {
  for (const char* text :
       {"[]", "{", R"({"shown":[1]})", R"({"shown":[5,5]})", R"({"shown":[9,2]})", R"({"brush":[1e300,0]})",
        R"({"brush":["a","b"]})", R"({"search":3})", R"({"selected":-1})", R"({"first_lane":1e30})"}) {
    CAPTURE(text);
    const auto view = parse_timeline(text, "--timeline");
    REQUIRE_FALSE(view.ok());
    CHECK(view.error().text().find("--timeline") != std::string::npos);
  }
  const auto shot = run_program({"shot", "transpose", "--engine", "emulator", "--set", "n=64", "--timeline",
                                 "{", "-o", "/tmp/never.png"});
  CHECK(shot.exit == 2);
  CHECK(shot.err.find("--timeline") != std::string::npos);
}

TEST_CASE("zooming is one step back, however many notches it took") {
  App app(state_of("tiled"), nullptr);
  TimelineView view;
  for (int i = 0; i < 5; ++i) {
    view.shown = {{0, 100.0 - i}};
    app.look_at(view);
  }
  CHECK(app.back());
  CHECK(app.state().timeline == TimelineView{});
  CHECK(app.forward());
  CHECK(app.state().timeline == view);
}

TEST_CASE("the timeline's keys reach a stage that has one, and no other") {
  App app(state_of("tiled"), nullptr);
  CHECK_FALSE(app.on_key(key('+')));
  CHECK(app.timeline_keys.empty());
  app.has_timeline = true;
  for (const char c : std::string("+-0.,M")) CHECK(app.on_key(key(c)));
  CHECK(app.on_key({Key::left, 0, true, false}));
  CHECK(app.on_key({Key::down, 0, true, false}));
  using K = TimelineKey;
  CHECK(app.timeline_keys == std::vector<K>{K::zoom_in, K::zoom_out, K::all, K::next, K::previous, K::measure,
                                            K::earlier, K::lane_down});
  // A stage without one takes them away.
  SvgCanvas canvas(1600, 900, app.theme().ground);
  app.show(emulated("tiled"));
  draw_app(canvas, app, {0, 0, 1600, 900});
  CHECK_FALSE(app.has_timeline);
  CHECK(app.timeline_keys.empty());
}

TEST_CASE("F types a search in any alphabet, Enter keeps it, Escape leaves the one before") {
  App app(state_of("tiled"), nullptr);
  app.has_timeline = true;
  const auto type = [&](std::u32string text) {
    for (const char32_t c : text) app.type_character(c);
  };
  CHECK(app.on_key(key('F')));
  CHECK(app.takes_text());
  type(U"核no");
  app.on_key({Key::backspace});
  app.on_key({Key::enter});
  CHECK(app.state().timeline.search == "核n");
  app.on_key(key('F'));
  type(U"x");
  app.on_key({Key::escape});
  CHECK_FALSE(app.typing);
  CHECK(app.state().timeline.search == "核n");
  app.on_key({Key::escape});  // nothing is typed: the search itself
  CHECK(app.state().timeline == TimelineView{});
}

TEST_CASE("another lab or other settings begin with the whole timeline; a search stays with the lab") {
  App app(state_of("tiled"), nullptr);
  app.look_at(some_view());
  app.set_param("n", std::int64_t{128});
  CHECK_FALSE(app.state().timeline.shown);
  CHECK(app.state().timeline.selected == 0);
  CHECK(app.state().timeline.search == some_view().search);
  app.choose_lab("banks");
  CHECK(app.state().timeline == TimelineView{});
}

TEST_CASE("a click chooses, a drag moves and chooses nothing") {
  TimelineScreen screen;
  screen.move(340), screen.move(340);
  screen.press(0, true), screen.press(0, false);
  CHECK(screen.chosen == std::vector<std::uint32_t>{4});
  CHECK(screen.view.selected == 4);
  screen.wheel(3);  // 980 * 0.8^3 = 502 ns are shown
  REQUIRE(screen.view.shown);
  const TimeRange before = *screen.view.shown;
  for (int i = 0; i < 30; ++i) screen.frame();  // no double click
  CHECK(before.end_ns - before.start_ns == doctest::Approx(980 * 0.512));
  screen.press(0, true);
  screen.move(380), screen.move(440);
  screen.press(0, false);
  CHECK(screen.view.shown->start_ns == doctest::Approx(before.start_ns - 100 * 0.512));
  CHECK(screen.chosen.size() == 1);
  screen.move(600);  // let go: nothing follows
  CHECK(screen.view.shown->start_ns == doctest::Approx(before.start_ns - 100 * 0.512));
}

TEST_CASE("the right button measures from press to release, and so does Shift with the left one") {
  TimelineScreen screen;
  for (const bool shift : {false, true}) {
    screen.view = {}, screen.interaction.shift = shift;
    screen.move(100), screen.move(100);
    screen.press(shift ? 0 : 1, true);
    screen.move(300), screen.move(520);
    screen.press(shift ? 0 : 1, false);
    screen.move(800);
    REQUIRE(screen.view.brush);
    CHECK(screen.view.brush->start_ns == doctest::Approx(100));
    CHECK(screen.view.brush->end_ns == doctest::Approx(520));
    CHECK_FALSE(screen.view.shown);
    CHECK(screen.chosen.empty());
  }
}
