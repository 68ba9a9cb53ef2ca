// The way from the beginning, what there is to try in each lab, and the way to the settings and back: by keys
// alone.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/views.hpp"
#include "drawn_texts.hpp"
#include "story_window.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct PathWindow {
  explicit PathWindow(const std::string& lab, Language language = Language::english, Settings settings = {})
      : app(opening_of(lab, language), &runner, std::move(settings)) {
    tell_shipped(app);
    settle(app);
  }
  bool shows(const std::string& text) {
    SvgCanvas canvas(1600, 900, app.theme().ground);
    draw_app(canvas, app, {0, 0, 1600, 900});
    const auto has = [&](const auto& drawn) { return drawn.text.find(text) != std::string::npos; };
    return std::any_of(canvas.texts().begin(), canvas.texts().end(), has);
  }
  void check_texts() {
    for (const auto& [width, height] : {std::pair{1280.f, 720.f}, {1600.f, 900.f}}) {
      SvgCanvas canvas(width, height, app.theme().ground);
      draw_app(canvas, app, {0, 0, width, height});
      const auto faults = faults_of(canvas.texts());
      const std::string first = faults.empty() ? "" : faults.front();
      const float wide = width;
      CAPTURE(wide);
      CHECK_MESSAGE(faults.empty(), first);
    }
  }
  EngineRunner runner;
  App app;
};

void finish_story(Settings& settings, const Story& story) {
  settings.stories[story.slug].assign(story.scenes.size(), "?");
}

int scene_that_sets(const Story& story) {
  for (int i = 0; i < int(story.scenes.size()); ++i)
    if (const auto& ask = story.scenes[std::size_t(i)].ask; ask && ask->kind == Ask::Kind::set) return i;
  return -1;
}

}  // namespace

TEST_CASE(
    "the way from the beginning has six labs, about an hour, and leads through each; the others follow") {
  CHECK(path_labs().size() == 6);
  PathWindow window(path_labs().front()->info().slug);
  int minutes = 0;
  std::vector<std::string> walked;
  for (const Lab* lab : path_labs()) minutes += window.app.story_of(lab->info().slug)->minutes;
  CHECK(minutes >= 45);
  CHECK(minutes <= 75);
  for (const Lab* lab = path_labs().front(); lab; lab = lab_after(*lab)) {
    REQUIRE(std::find(walked.begin(), walked.end(), lab->info().slug) == walked.end());
    walked.push_back(lab->info().slug);
  }
  CHECK(walked.size() == labs().size());  // none is left out
  for (std::size_t i = 0; i < path_labs().size(); ++i) CHECK(walked[i] == path_labs()[i]->info().slug);
}

TEST_CASE("a story's last scene leads on to the next lab, whose story opens") {
  PathWindow window("threads");
  const Story& story = *window.app.story();
  REQUIRE(window.app.enter_story_scene(int(story.scenes.size()) - 1));
  settle(window.app);
  CHECK_FALSE(window.shows("Next: coalescing"));  // not before it is answered
  window.app.show_story_answer();
  CHECK(window.shows("Next: coalescing"));
  Keyboard keys(window.app, 1600, 900);
  keys.frame();
  keys.press("story/next");
  settle(window.app);
  CHECK(window.app.state().lab == "coalescing");
  CHECK(window.app.tab == "story");
  CHECK(window.app.story_scene() == 0);
  CHECK(window.app.stage_shows_scene());
}

TEST_CASE("the home says how far on the way its reader is, and goes on from there") {
  Settings settings;
  {
    PathWindow first("threads");
    for (const char* lab : {"threads", "coalescing"}) finish_story(settings, *first.app.story_of(lab));
  }
  PathWindow window("timing", Language::english, settings);
  window.app.go_home();
  CHECK(window.shows("2 of 6 labs done; next: banks"));
  window.check_texts();
  window.app.start_path();
  settle(window.app);
  CHECK(window.app.state().lab == "banks");
  CHECK(window.app.tab == "story");
  PathWindow fresh("timing");
  fresh.app.go_home();
  CHECK(fresh.shows("Start at the beginning"));
  CHECK(fresh.shows("6 labs, about an hour"));
}

TEST_CASE("a question that asks to set the lab leads to the settings and back") {
  PathWindow window("coalescing");
  const int scene = scene_that_sets(*window.app.story());
  REQUIRE(scene >= 0);
  REQUIRE(window.app.enter_story_scene(scene));
  settle(window.app);
  Keyboard keys(window.app, 1600, 900);
  keys.frame();
  keys.press("story/settings");
  CHECK(window.app.tab == "settings");
  CHECK(keys.screen.interaction().focus() == "settings/back");
  CHECK(window.shows("The lab is not set"));
  window.app.set_param("stride", std::int64_t{2}), window.app.set_param("offset", std::int64_t{4});
  settle(window.app);
  CHECK(window.shows("✓ The lab is set that way."));  // said where it is done
  keys.press("settings/back");
  CHECK(window.app.tab == "story");
  CHECK((window.app.story_reply().kind == StoryReply::Kind::right));
}

namespace {

void try_with_keys(Keyboard& keys, int index) {
  App& app = keys.app;
  keys.press("try/" + std::to_string(index + 1));
  settle(app), keys.frame(), keys.frame();
  REQUIRE(app.asks_try());
  REQUIRE(app.open_try == index);
  CHECK(app.stage_shows_scene());
  const StoryScene& scene = app.asked_scene();
  const SceneWords told = app.scene_words();
  if (scene.ask->kind == Ask::Kind::set || told.no_answer) return keys.press("story/show");
  if (scene.ask->kind == Ask::Kind::choice) return keys.press("story/option/" + told.answer);
  keys.press("story/answer");
  keys.type(told.answer);
  keys.enter();
  CHECK((app.story_reply().kind == StoryReply::Kind::right));
}

}  // namespace

TEST_CASE("everything there is to try is done by keys alone, in both languages, gets its tick, and fits") {
  for (const Language language : walked_languages()) {
    std::size_t place = 0;
    for (const Lab* lab : labs()) {
      if (!walked(place++)) continue;
      CAPTURE(lab->info().slug);
      PathWindow window(lab->info().slug, language);
      App& app = window.app;
      REQUIRE(app.tries());
      app.tab = "try";
      Keyboard keys(app, 1600, 900);
      keys.frame();
      for (int i = 0; i < int(app.tries()->scenes.size()); ++i) {
        CAPTURE(i);
        CHECK((app.try_reply(i).kind == StoryReply::Kind::none));
        try_with_keys(keys, i);
        CHECK((app.try_reply(i).kind != StoryReply::Kind::none));
        settle(app);
        window.check_texts();
      }
      CHECK(app.tries_progress(lab->info().slug).finished());
    }
  }
  (void)use_language(Language::english, {}).ok();
}

TEST_CASE("what was tried is there after a restart, can be tried again, and forgotten") {
  const auto file = std::filesystem::temp_directory_path() / "lockstep-tries/settings.json";
  {
    PathWindow window("banks");
    window.app.tab = "try";
    window.app.enter_try(0);
    settle(window.app);
    window.app.answer_story("2");  // wrong, and kept
    REQUIRE(save_settings(window.app.settings(), file).ok());
  }
  std::optional<Message> notice;
  PathWindow window("banks", Language::english, load_settings(file, &notice));
  CHECK((window.app.try_reply(0).kind == StoryReply::Kind::wrong));
  CHECK(window.app.story_progress("banks").done == 0);  // the story's own replies are others
  window.app.tab = "try";
  window.app.enter_try(0);
  settle(window.app);
  Keyboard keys(window.app, 1600, 900);
  keys.frame();
  keys.press("try/again");
  CHECK((window.app.try_reply(0).kind == StoryReply::Kind::none));
  window.app.show_story_answer();
  window.app.forget_stories();
  CHECK(window.app.tries_progress("banks").done == 0);
  std::filesystem::remove_all(file.parent_path());
}

TEST_CASE("what is to be set is done by the reader's own settings, also from the settings' tab") {
  PathWindow window("transpose");
  PathWindow banks("banks");
  App& app = banks.app;
  app.tab = "try";
  int sets = 0;
  while (app.tries()->scenes[std::size_t(sets)].ask->kind != Ask::Kind::set) ++sets;
  app.enter_try(sets);
  settle(app);
  app.go_to_settings();
  settle(app);
  CHECK(app.asks_try());
  app.set_param("pitch", std::int64_t{35});
  settle(app);
  CHECK((app.try_reply(sets).kind == StoryReply::Kind::right));
  app.back_from_settings();
  CHECK(app.tab == "try");
  CHECK(app.open_try == sets);
}
