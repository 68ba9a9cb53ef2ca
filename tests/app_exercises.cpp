// Exercise mode: every part that comes with the program is walked by keys alone in both languages and all
// four looks; every kind of answer is given, judged and kept; hints come one by one; a prediction stands.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/keeper.hpp"
#include "app/shell/views.hpp"
#include "book_window.hpp"
#include "engine_support.hpp"
#include "exercise_sample.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// A window with the sample exercise, kept in a folder of its own.
struct SampleWindow {
  explicit SampleWindow(Language language = Language::english)
      : app(opening_of("transpose", language), &runner) {
    write_sample(folder.path());
    begin(app);
  }
  void begin(App& window) {
    window.tell_stories({in_source("assets/stories"), folder / "stories"});
    window.give_exercises(folder / "answers", &judge);
    settle(window);
  }
  void enter(int part) {
    REQUIRE(app.open_book("exercises/sample", part));
    settle(app);
  }
  TemporaryFolder folder;
  EngineRunner runner;
  SampleJudge judge;
  App app;
};

// As one would at the keyboard, rightly where that can be told.
void answer_part(Keyboard& keys, const SceneWords& told) {
  App& app = keys.app;
  switch (app.part().kind) {
    case PartKind::number:
    case PartKind::predict:
      if (told.no_answer) return;
      keys.press("story/answer");
      REQUIRE(app.types_value());
      keys.type(told.answer), keys.enter();
      break;
    case PartKind::choice:
      keys.press("story/option/" + told.answer);
      break;
    case PartKind::several:
    case PartKind::order: {
      std::string number;
      for (const char c : told.answer + ",")
        if (c >= '0' && c <= '9')
          number += c;
        else if (!number.empty() && number != "0")
          keys.press("story/option/" + std::exchange(number, ""));
      if (!told.reason.empty()) keys.press("story/reason"), keys.type("because"), app.leave_field();
      keys.press("story/ok");
      break;
    }
    case PartKind::text:
      keys.press("story/answer"), keys.type("Each warp waits."), keys.enter();
      break;
    case PartKind::set:
    case PartKind::program:
      return;
  }
  if (app.story_reply().kind == StoryReply::Kind::none) settle(app), app.hand_in_part();
  CHECK((app.story_reply().kind == StoryReply::Kind::right));
}

// What "show me" points at is there: a control that gets the keyboard, or a part of the window in a frame.
void check_show_me(Keyboard& keys) {
  App& app = keys.app;
  if (app.part().shows.empty()) return;
  CAPTURE(app.part().shows);
  app.point_at_control();
  const std::string wanted = app.wanted_focus;
  keys.frame();
  if (wanted.empty())
    CHECK(app.framed);
  else
    CHECK(keys.screen.interaction().focus() == wanted);
  if (app.tab != "story") app.tab = "story", app.settings_are_for.clear();
  if (!app.wanted_frame().empty()) app.point_at_control();
  keys.frame();
}

}  // namespace

TEST_CASE("every part of every exercise is walked by keys alone, in both languages and all looks") {
  for (const Language language : walked_languages()) {
    EngineRunner runner;
    App app(opening_of("transpose", language), &runner);
    tell_shipped(app);
    app.give_exercises({});
    for (const Error& fault : app.exercises()->faults()) FAIL_CHECK(fault.text());
    if (app.exercises()->all().empty()) break;
    Keyboard keys(app, 1600, 900);
    app.open_list(ListPage::exercises);
    check_looks(app);
    std::size_t place = 0;
    for (const Exercise& exercise : app.exercises()->all()) {
      if (!walked(place++)) continue;
      CAPTURE(exercise.slug);
      app.open_list(ListPage::exercises), keys.frame();
      keys.press("list/exercise/" + exercise.slug);
      for (int part = 0; part < int(exercise.parts.size()); ++part) {
        CAPTURE(part);
        if (part > 0) app.story_scene_by(1);
        settle(app), keys.frame();
        REQUIRE(app.story_scene() == part);
        CHECK(app.run() != nullptr);
        const SceneWords told = app.scene_words();
        CHECK(told.complete);
        check_show_me(keys);
        while (app.part_record() == nullptr || app.part_record()->hints < int(app.part().hints.size())) {
          if (app.part().hints.empty()) break;
          keys.press("story/hint");
        }
        check_looks(app);
        answer_part(keys, told);
        settle(app);
        check_looks(app);
      }
    }
  }
  (void)use_language(Language::english, {}).ok();
}

TEST_CASE("every kind of answer is given by keys, judged and kept; all of it is drawn in all looks") {
  for (const Language language : {Language::english, Language::chinese}) {
    SampleWindow window(language);
    App& app = window.app;
    for (const Error& fault : app.exercises()->faults()) FAIL_CHECK(fault.text());
    Keyboard keys(app, 1600, 900);
    for (int part = 0; part < kSampleParts; ++part) {
      CAPTURE(part);
      window.enter(part);
      keys.frame();
      const SceneWords told = app.scene_words();
      CHECK(told.complete);
      check_show_me(keys);
      check_looks(app);
      answer_part(keys, told);
      settle(app);
      check_looks(app);
    }
    const auto progress = app.exercises()->progress(*app.exercises()->named("sample"));
    CHECK(progress.done == kSampleParts - 2);  // all but what is set and what is programmed
  }
  (void)use_language(Language::english, {}).ok();
}

TEST_CASE("a prediction stands once it was given; other parts may be tried again") {
  SampleWindow window;
  App& app = window.app;
  window.enter(kSamplePredict);
  app.answer_story("7");
  REQUIRE((app.story_reply().kind == StoryReply::Kind::wrong));
  CHECK(app.part_record()->locked);
  Screen screen(app, 1600, 900);
  screen.frame();
  CHECK_FALSE(screen.has("story/again"));
  window.enter(kSampleNumber);
  app.answer_story("7");
  screen.frame();
  CHECK(screen.has("story/again"));
  app.try_part_again(), screen.frame();
  CHECK(screen.has("story/answer"));
  app.answer_story(app.scene_words().answer);
  CHECK((app.story_reply().kind == StoryReply::Kind::right));
  CHECK(app.part_record()->attempts.size() == 2);
}

TEST_CASE("hints come one after the other; the explanation and what was right only after an attempt") {
  SampleWindow window;
  App& app = window.app;
  window.enter(kSampleNumber);
  const auto shows = [&](const std::string& text) {
    SvgCanvas canvas(1600, 900, app.theme().ground);
    draw_app(canvas, app, {0, 0, 1600, 900});
    const auto texts = canvas.texts();
    return std::any_of(texts.begin(), texts.end(),
                       [&](const auto& t) { return t.text.find(text) != std::string::npos; });
  };
  CHECK_FALSE(shows("alpha"));
  app.take_hint();
  CHECK(shows("alpha"));
  CHECK_FALSE(shows("beta"));
  app.take_hint(), app.take_hint(), app.take_hint();
  CHECK(shows("gamma"));
  CHECK(app.part_record()->hints == 3);
  CHECK_FALSE(shows("Epsilon"));
  app.answer_story("7");
  CHECK(shows("Epsilon"));
  CHECK(shows(tr("FORMULA")));
}

TEST_CASE("a part that asks to set the lab is done by the reader's own run") {
  SampleWindow window;
  App& app = window.app;
  window.enter(kSampleSet);
  CHECK((app.story_reply().kind == StoryReply::Kind::none));
  app.choose_rung("padded");
  settle(app);
  CHECK((app.story_reply().kind == StoryReply::Kind::right));
  CHECK(app.part_record()->attempts.back().answer.text.starts_with("padded"));
}

TEST_CASE("a program is judged outside the window's thread, and what the judge says is shown") {
  SampleWindow window;
  App& app = window.app;
  window.enter(kSampleProgram);
  app.open_part_program();  // from what the judge gives to start from, in a file of its own
  REQUIRE(app.shows_program());
  CHECK(std::filesystem::exists(window.folder / "answers/sample-write.cu"));
  Screen screen(app, 1600, 900);
  screen.frame();
  screen.click("program/exercise");
  CHECK_FALSE(app.shows_program());
  REQUIRE(app.exercise());
  CHECK(app.story_scene() == kSampleProgram);
  settle(app);
  app.hand_in_part();
  for (int i = 0; i < 200 && app.judging_program(); ++i) {
    app.tick(0.01);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  REQUIRE_FALSE(app.judging_program());
  CHECK((app.story_reply().kind == StoryReply::Kind::wrong));
  REQUIRE(app.program_sentences().size() == 2);
  CHECK(app.program_sentences()[1] == "element 3");
}

TEST_CASE("what was typed and answered is there after a restart, for this seed and no other") {
  SampleWindow window;
  App& app = window.app;
  Keeper keeper(app, window.folder / "settings.json", {});
  window.enter(kSampleNumber);
  app.begin_typing(App::Typing::Of::answer, "", ""), app.type_character(U'4');
  keeper.turn(0.1, false);
  window.enter(kSampleChoice);
  app.answer_story("1");
  keeper.turn(0.1, false);
  EngineRunner runner;
  AppState state = opening_of("transpose");
  state.home = true;
  App again(state, &runner, load_settings(window.folder / "settings.json", nullptr));
  window.begin(again);
  again.return_to_place(), again.go_on();
  settle(again);
  REQUIRE(again.exercise());
  CHECK(again.story_scene() == kSampleChoice);
  CHECK((again.story_reply().kind != StoryReply::Kind::none));
  REQUIRE(again.open_book("exercises/sample", kSampleNumber));
  CHECK(again.part_text() == "4");
  REQUIRE(again.choose_seed("K7QM-2T9X"));
  REQUIRE(again.open_book("exercises/sample", kSampleNumber));
  CHECK(again.part_text().empty());
  CHECK_FALSE(again.choose_seed("what?"));
  CHECK(again.exercise_fault.has_value());
}
