// A lecture: a clicker walks it, a student's click is taken back with one key, the notes are those of the
// scene at hand, what is enlarged is drawn anew, and a sheet of paper holds a scene whole.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/figure.hpp"
#include "app/shell/handout.hpp"
#include "app/shell/lens.hpp"
#include "app/shell/view_notes.hpp"
#include "app/shell/views.hpp"
#include "app/stories/tour.hpp"
#include "drawn_texts.hpp"
#include "story_window.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::filesystem::path six_labs() { return in_source("assets/tours/en/six_labs.md"); }

// The lecture that ships, as `lockstep tour` opens it.
struct Lecture {
  explicit Lecture(int scene = 0, Language language = Language::english)
      : app(opening_of("transpose", language), &runner) {
    tell_shipped(app);
    REQUIRE(app.open_tour(six_labs(), scene));
    app.set_projector(true);
    settle(app);
  }
  void key(Key key) { app.on_key({key}), settle(app); }
  void key(char character) {
    KeyPress press;
    press.character = character;
    app.on_key(press), settle(app);
  }
  EngineRunner runner;
  App app;
};

constexpr int kNaive = 7, kColumn = 5;  // "Rows in, columns out" and "Down a column", from 0

// What is drawn, in its order, without spaces and the ends of lines.
std::string words_in(const std::vector<SvgCanvas::DrawnText>& texts) {
  std::string all;
  for (const auto& text : texts) all += text.text;
  std::erase(all, ' ');
  return all;
}

bool tells(const std::string& drawn, std::string text) {
  std::erase(text, ' ');
  return drawn.find(text) != std::string::npos;
}

std::vector<SvgCanvas::DrawnText> notes_of(App& app, float width = 1000, float height = 640) {
  SvgCanvas canvas(width, height, {});
  draw_notes(canvas, app, {0, 0, width, height});
  return canvas.texts();
}

}  // namespace

TEST_CASE("a clicker's one key shows the answer and then the next scene, its other key the scene before") {
  Lecture lecture;
  App& app = lecture.app;
  REQUIRE(app.tour()->scenes.size() == 16);
  for (int i = 0; i < 16; ++i) {
    CAPTURE(i);
    CHECK(app.tour_scene() == i);
    CHECK(app.stage_shows_scene());
    CHECK(app.state().lab == app.tour()->scenes[std::size_t(i)].setup.lab);
    CHECK(app.story_reply().kind == StoryReply::Kind::none);
    lecture.key(Key::page_down);
    CHECK(app.tour_scene() == i);
    CHECK(app.story_reply().kind == StoryReply::Kind::shown);
    lecture.key(Key::page_down);
  }
  CHECK(app.tour_scene() == 15);
  lecture.key(Key::page_up);
  CHECK(app.tour_scene() == 14);
  CHECK(app.settings().stories.empty());  // the class has answered, not the reader
  CHECK(app.settings().tries.empty());
}

TEST_CASE("b and the full stop blank the room until the next key, arrows step or walk") {
  Lecture lecture(kNaive);
  App& app = lecture.app;
  for (const char key : {'B', '.'}) {
    lecture.key(key);
    CHECK(app.blank);
    lecture.key(Key::right);
    CHECK(!app.blank);
  }
  const int step = app.state().step;
  lecture.key(Key::right);
  CHECK(app.state().step == step + 1);
  app.arrows_walk_tour = true;
  lecture.key(Key::right);
  lecture.key(Key::right);
  CHECK(app.tour_scene() == kNaive + 1);
  lecture.key(Key::left);
  CHECK(app.tour_scene() == kNaive);
}

namespace {

// What students do to a scene.
struct Click {
  const char* name;
  void (*click)(App&);
};
const Click kClicks[] = {
    {"another rung", [](App& app) { app.choose_rung("padded"); }},
    {"another size", [](App& app) { app.set_param("n", Value{std::int64_t{64}}); }},
    {"another step", [](App& app) { app.step_by(3); }},
    {"another warp", [](App& app) { app.follow_warp(2); }},
    {"another block", [](App& app) { app.follow(1); }},
    {"a pinned element",
     [](App& app) {
       app.pin({{0, 5}});
     }},
    {"a comparison", [](App& app) { app.set_compare("copy"); }},
    {"another engine", [](App& app) { app.choose_engine(EngineKind::emulator); }},
    {"another speed", [](App& app) { app.set_speed(2); }},
    {"another lab", [](App& app) { app.choose_lab("banks"); }},
    {"the home", [](App& app) { app.go_home(); }},
    {"several of them",
     [](App& app) { app.choose_rung("tiled"), app.set_param("n", Value{std::int64_t{96}}), app.step_by(1); }},
};

}  // namespace

TEST_CASE("one key takes a student's click back: the window is as the scene set it; again, as it was left") {
  for (const Click& student : kClicks) {
    CAPTURE(student.name);
    Lecture lecture(kNaive);
    App& app = lecture.app;
    const AppState scene = app.state();
    const std::string moment = app.moment();
    CHECK(!app.off_tour_scene());
    student.click(app);
    settle(app);
    const AppState clicked = app.state();
    REQUIRE(!(clicked == scene));
    CHECK(app.off_tour_scene());
    lecture.key(Key::backspace);
    CHECK(app.state() == scene);
    CHECK(app.moment() == moment);
    CHECK(app.run()->request.lab == "transpose");
    CHECK(!app.off_tour_scene());
    lecture.key(Key::backspace);
    CHECK(app.state() == clicked);
    lecture.key(Key::backspace);
    CHECK(app.state() == scene);
  }
}

TEST_CASE("taken back before its run has come, a click leaves nothing of that run on the stage") {
  struct SlowRunner : EngineRunner {
    bool holds = false;
    std::optional<Outcome> poll() override { return holds ? std::nullopt : EngineRunner::poll(); }
  } runner;
  App app(opening_of("transpose", Language::english), &runner);
  tell_shipped(app);
  REQUIRE(app.open_tour(six_labs(), kNaive));
  app.set_projector(true);
  settle(app);
  const AppState scene = app.state();
  const std::string moment = app.moment();
  runner.holds = true;
  app.choose_rung("tiled");
  app.on_key({Key::left});
  while (!runner.busy()) app.tick(0.1);
  CHECK(runner.started.back().rung == "tiled");
  app.on_key({Key::backspace});
  runner.holds = false;
  app.tick(0.001);  // the click's run comes; the scene's own is not begun yet
  settle(app);
  CHECK(app.state() == scene);
  CHECK(app.run()->request.rung == "naive");
  CHECK(app.moment() == moment);
}

TEST_CASE("what was answered stays answered when the scene comes back") {
  Lecture lecture(kNaive);
  lecture.key(Key::page_down);
  lecture.app.choose_rung("tiled");
  settle(lecture.app);
  lecture.key(Key::backspace);
  CHECK(lecture.app.story_reply().kind == StoryReply::Kind::shown);
}

TEST_CASE("after a student's way into another lab the clicker goes on with the lecture") {
  Lecture lecture(kNaive);
  lecture.app.choose_lab("banks");
  settle(lecture.app);
  CHECK(!lecture.app.tells_tour());
  lecture.key(Key::page_down);
  CHECK(lecture.app.tells_tour());
  CHECK(lecture.app.tour_scene() == kNaive);
  CHECK(lecture.app.stage_shows_scene());
}

TEST_CASE("every control that a scene of the lecture points at is in the window") {
  Lecture lecture;
  App& app = lecture.app;
  app.set_projector(false);
  for (int i = 0; i < int(app.tour()->scenes.size()); ++i) {
    app.open_book("tours/six_labs", i);
    settle(app);
    const StoryScene& scene = app.told_scene();
    CAPTURE(scene.title);
    SvgCanvas canvas(1600, 900, {});
    draw_app(canvas, app, {0, 0, 1600, 900});
    std::set<std::string> landmarks;
    for (const auto& mark : canvas.landmarks()) landmarks.insert(mark.name);
    const auto is_there = [&](const std::string& name) {
      return std::any_of(landmarks.begin(), landmarks.end(),
                         [&](const std::string& mark) { return mark.starts_with(name); });
    };
    if (!scene.setup.frame.empty()) CHECK_MESSAGE(is_there(scene.setup.frame), scene.setup.frame);
    for (const std::string& hidden : scene.ask->hides) CHECK_MESSAGE(is_there(hidden), hidden);
    CHECK(app.tour_words().complete);
    CHECK(!app.tour_words().no_answer);
    if (scene.setup.at) CHECK(app.moment() == to_text(*scene.setup.at));
  }
}

TEST_CASE("the notes are those of the scene at hand, with its answer, and nothing lies on anything") {
  for (const Language language : {Language::english, Language::chinese}) {
    Lecture lecture(0, language);
    App& app = lecture.app;
    for (int i = 0; i < int(app.tour()->scenes.size()); ++i) {
      CAPTURE(i);
      app.open_book("tours/six_labs", i);
      settle(app);
      for (const auto& [width, height] : {std::pair{1000.f, 640.f}, {1280.f, 720.f}, {1920.f, 1080.f}}) {
        const auto texts = notes_of(app, width, height);
        const auto faults = faults_of(texts);
        CHECK_MESSAGE(faults.empty(), (faults.empty() ? "" : faults.front()));
        CHECK(app.notes_hidden == 0);  // all of it is in sight
        CHECK(std::none_of(texts.begin(), texts.end(),
                           [](const auto& t) { return t.text.ends_with("…") && t.text.size() > 3; }));
      }
      const auto drawn = words_in(notes_of(app));
      CHECK(tells(drawn, app.told_scene().title));
      for (const auto& line : app.tour_words().notes) CHECK(tells(drawn, plain(line.text)));
      const SceneWords& told = app.tour_words();
      const bool choice = app.told_scene().ask->kind == Ask::Kind::choice;
      CHECK(
          tells(drawn, choice ? plain(told.options[std::size_t(std::stoi(told.answer)) - 1]) : told.answer));
      const int other = (i + 1) % int(app.tour()->scenes.size());
      const InlineText& next = app.tour()->scenes[std::size_t(other)].notes.front().pieces;
      CHECK(!tells(drawn, next.front().text));
    }
  }
}

namespace {

struct Sheet {
  std::vector<SvgCanvas::DrawnText> texts;
  std::string svg;
};

Sheet sheet_of(App& app, const HandoutOptions& options) {
  SvgCanvas canvas(options.paper.width, options.paper.height, Color::hex(0xFFFFFF));
  const Status drawn = draw_handout_page(canvas, app, options);
  REQUIRE_MESSAGE(drawn.ok(), (drawn ? "" : drawn.error().text()));
  return {canvas.texts(), canvas.finish()};
}

}  // namespace

TEST_CASE("a scene of another lab opens at that lab's own step") {
  Lecture lecture(kColumn);
  const App& app = lecture.app;
  CHECK(app.state().step > 0);
  CHECK(app.state().step == app.scene()->opening_step(app.state().warp));
}

TEST_CASE("the notes say what comes next, that the stage was changed, and that the room is blank") {
  Lecture lecture(kColumn);
  App& app = lecture.app;
  CHECK(tells(words_in(notes_of(app)), "Next: the answer"));
  lecture.key(Key::page_down);
  CHECK(tells(words_in(notes_of(app)), "Next: The time to beat (transpose · copy)"));
  CHECK(!tells(words_in(notes_of(app)), "is not as the scene set it"));
  app.choose_lab("gemm");
  settle(app);
  const auto elsewhere = words_in(notes_of(app));
  CHECK(tells(elsewhere, "the stage is not as the scene set it: Backspace"));
  CHECK(tells(elsewhere, app.tour()->scenes[kColumn].title));
  app.blank = true;
  CHECK(tells(words_in(notes_of(app)), "the room sees a black screen"));
  app.lecture_seconds = 754;
  CHECK(tells(words_in(notes_of(app)), "12:34"));
  CHECK(notes_title(app) == "Notes · 6 of 16 · Down a column");
}

TEST_CASE("the clock goes on while the window waits, and the language can change in the middle") {
  Lecture lecture(kNaive);
  App& app = lecture.app;
  app.notes_wanted = true;
  CHECK(app.lecture_goes_on(61.2));
  CHECK(!app.lecture_goes_on(0.1));
  CHECK(clock_text(app.lecture_seconds) == "1:01");
  app.set_language(Language::chinese);
  settle(app);
  CHECK(app.tour()->language == "zh");
  CHECK(app.tour_scene() == kNaive);
  CHECK(app.stage_shows_scene());
  app.set_language(Language::english);
}

TEST_CASE("a damaged file opens nothing, and the banner says the line") {
  EngineRunner runner;
  App app(opening_of("transpose"), &runner);
  tell_shipped(app);
  CHECK(!app.open_tour("/nowhere/at/all.md"));
  CHECK(app.banner.has_value());
  CHECK(app.tour() == nullptr);
}

// --- the pointer that enlarges

TEST_CASE("under the lens everything is drawn anew two and a half times as large, around the pointer") {
  Lecture lecture(kNaive);
  App& app = lecture.app;
  const Rect window{0, 0, 1280, 720};
  for (const Vec2 pointer : {Vec2{640, 360}, Vec2{3, 3}, Vec2{1279, 700}}) {
    SvgCanvas usual(1280, 720, {}), large(1280, 720, {});
    draw_presentation(usual, app, window);
    draw_enlarged(large, app, window, pointer, {});
    REQUIRE(usual.texts().size() == large.texts().size());
    for (std::size_t i = 0; i < usual.texts().size(); ++i) {
      const Rect a = usual.texts()[i].rect, b = large.texts()[i].rect;
      CHECK(usual.texts()[i].text == large.texts()[i].text);
      CHECK(b.h == doctest::Approx(a.h * kLensScale).epsilon(0.001));
      CHECK(b.x == doctest::Approx(pointer.x + (a.x - pointer.x) * kLensScale).epsilon(0.001));
      CHECK(b.w == doctest::Approx(a.w * kLensScale).epsilon(0.01));
    }
    const Rect lens = lens_area(window, pointer);
    CHECK(lens.x >= 0);
    CHECK(lens.y >= 0);
    CHECK(lens.right() <= 1280);
    CHECK(lens.bottom() <= 720);
  }
}

TEST_CASE("Z opens the lens, Escape closes it before it leaves the presentation") {
  Lecture lecture;
  lecture.key('Z');
  CHECK(lecture.app.lens);
  lecture.key(Key::escape);
  CHECK(!lecture.app.lens);
  CHECK(lecture.app.state().projector);
  lecture.key(Key::escape);
  CHECK(!lecture.app.state().projector);
}

// --- on paper

TEST_CASE("a sheet holds its scene whole: nothing overlaps, nothing is cut or outside, on both papers" *
          doctest::test_suite("slow")) {
  for (const Language language : {Language::english, Language::chinese})
    for (const PaperSize& paper : kPapers)
      for (const bool solutions : {false, true}) {
        Lecture lecture(0, language);
        App& app = lecture.app;
        app.set_projector(false);
        for (int i = 0; i < int(app.tour()->scenes.size()); ++i) {
          app.open_book("tours/six_labs", i);
          settle(app);
          CAPTURE(i);
          CAPTURE(paper.name);
          CAPTURE(solutions);
          CAPTURE(int(language));
          HandoutOptions options;
          options.paper = paper, options.solutions = solutions, options.tour_name = "six_labs";
          const auto texts = sheet_of(app, options).texts;
          const auto faults = faults_of(texts);
          CHECK_MESSAGE(faults.empty(), (faults.empty() ? "" : faults.front()));
          for (const auto& text : texts) {
            if (visible(text).w <= 0 || visible(text).h <= 0) continue;
            CHECK_MESSAGE(text.rect.x >= 40, text.text);
            CHECK_MESSAGE(text.rect.right() <= paper.width - 40, text.text);
            CHECK_MESSAGE(text.rect.bottom() <= paper.height - 40, text.text);
          }
          const auto line = std::find_if(texts.begin(), texts.end(), [&](const auto& t) {
            return t.text == "lockstep tour six_labs --scene " + std::to_string(i + 1);
          });
          CHECK(line != texts.end());
        }
      }
}

TEST_CASE("the sheet for students asks and does not tell; the one for the teacher tells and says why") {
  Lecture lecture(kColumn);
  App& app = lecture.app;
  app.set_projector(false);
  HandoutOptions options;
  options.tour_name = "six_labs";
  const auto asked = words_in(sheet_of(app, options).texts);
  CHECK(tells(asked, plain(app.tour_words().question)));
  const auto& why = app.tour_words().why.front();
  CHECK(!tells(asked, plain(why.text)));
  CHECK(tells(asked, "Answer:"));
  const auto drawn = sheet_of(app, options).texts;
  const auto headline = [&](const char* text) {
    return std::any_of(drawn.begin(), drawn.end(),
                       [&](const auto& t) { return t.text == text && t.rect.h > 16; });
  };
  CHECK(!headline("32"));
  CHECK(headline("?"));
  options.solutions = true;
  const auto told = words_in(sheet_of(app, options).texts);
  CHECK(tells(told, plain(why.text)));
  CHECK(tells(told, "32 wavefronts"));
  CHECK(!tells(told, "Answer:"));
}
