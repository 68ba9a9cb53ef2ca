// The story in the window: every shipped scene is walked by keys alone, its answers are judged by the run,
// and what was answered is still there after a restart.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/text_metrics.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "drawn_texts.hpp"
#include "stories_support.hpp"
#include "story_window.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

void check_texts(App& app) {
  for (const bool presented : {false, true})
    for (const auto& [width, height] :
         {std::pair{1280.f, 720.f}, {1600.f, 900.f}, {1920.f, 1080.f}, {3840.f, 2160.f}}) {
      const float scrolled = app.right_scroll;
      app.set_projector(presented);
      SvgCanvas canvas(width, height, app.theme().ground);
      draw_app(canvas, app, {0, 0, width, height});
      app.right_scroll = scrolled;
      const auto texts = canvas.texts();
      const auto faults = faults_of(texts);
      const std::string first = faults.empty() ? "" : faults.front();
      CAPTURE(app.view_width);
      CAPTURE(presented);
      CAPTURE(first);
      CHECK(faults.size() == 0);
      const float least = presented ? 18 * app.presentation_scale() - 0.01f : 9.5f;
      CHECK(std::all_of(texts.begin(), texts.end(), [&](const auto& t) { return t.rect.h >= least; }));
    }
  app.set_projector(false);
}

void answer_by_keys(Keyboard& keys, const SceneWords& told, const StoryScene& scene) {
  const bool answerable = !told.no_answer && scene.ask->kind != Ask::Kind::set;
  if (!answerable) return keys.press("story/show");
  if (scene.ask->kind == Ask::Kind::choice) return keys.press("story/option/" + told.answer);
  keys.press("story/answer");
  REQUIRE(keys.app.types_value());
  keys.type(told.answer);
  keys.enter();
}

void walk(App& app, const Story& story) {
  Keyboard keys(app, 1600, 900);
  for (int i = 0; i < int(story.scenes.size()); ++i) {
    CAPTURE(i);
    const StoryScene& scene = story.scenes[std::size_t(i)];
    settle(app), keys.frame();
    REQUIRE(app.story_scene() == i);
    CHECK(app.stage_shows_scene());
    if (scene.setup.at && app.has_steps()) CHECK(app.moment() == to_text(*scene.setup.at));
    const SceneWords told = app.scene_words();
    CHECK(told.complete);
    check_texts(app);
    if (scene.ask) {
      answer_by_keys(keys, told, scene);
      const bool shown = told.no_answer || scene.ask->kind == Ask::Kind::set;
      CHECK((app.story_reply().kind == (shown ? StoryReply::Kind::shown : StoryReply::Kind::right)));
      check_texts(app);
    }
    const bool last = i + 1 == int(story.scenes.size());
    const bool ends = last && !lab_after(app.lab());
    if (scene.ask) CHECK(keys.screen.interaction().focus() == (ends ? "tab/story" : "story/next"));
    if (!last) keys.press("story/next");
  }
}

// At this scene of the yardstick's story, everything computed.
struct At {
  explicit At(int scene) : app(opening_of("transpose"), &runner) {
    tell_shipped(app);
    settle(app);
    REQUIRE(app.enter_story_scene(scene));
    settle(app);
  }
  EngineRunner runner;
  App app;
};

}  // namespace

TEST_CASE("every scene of every story is walked by keys alone, in both languages, and nothing is cut off") {
  for (const Language language : walked_languages()) {
    const StoryShelf shelf = load_stories(shipped(), language == Language::chinese ? "zh" : "en");
    REQUIRE(!shelf.stories.empty());
    for (const Story& story : shelf.stories) {
      if (!walked(std::size_t(&story - shelf.stories.data()))) continue;
      CAPTURE(story.file.string());
      EngineRunner runner;
      App app(opening_of(story.lab, language), &runner);
      tell_shipped(app);
      REQUIRE(app.story());
      app.on_key({Key::page_down});  // enters the first scene
      walk(app, *app.story());
      CHECK(app.story_progress(story.lab).finished());
    }
  }
  (void)use_language(Language::english, {}).ok();
}

TEST_CASE("an answer off by more than its tolerance is refused with its reason") {
  At at(0);
  at.app.answer_story("0.55");  // 10 % of 0.447 are allowed
  CHECK((at.app.story_reply().kind == StoryReply::Kind::wrong));
  CHECK(plain(at.app.scene_words().reply_why).find("10 %") != std::string::npos);
  At near(0);
  near.app.answer_story("0.48");
  CHECK((near.app.story_reply().kind == StoryReply::Kind::right));
}

TEST_CASE("a tempting answer is told what made it tempting") {
  At at(1);
  at.app.answer_story("4");
  CHECK((at.app.story_reply().kind == StoryReply::Kind::wrong));
  CHECK(plain(at.app.scene_words().reply_why).find("the addresses are others") != std::string::npos);
  CHECK(at.app.scene_words().answer == "32 sectors");
}

TEST_CASE("what is no answer leaves the question open and says so") {
  At at(1);
  at.app.answer_story("many");
  CHECK((at.app.story_reply().kind == StoryReply::Kind::none));
  REQUIRE(at.app.answer_fault);
  CHECK(tr(*at.app.answer_fault).find("'many' is not a number") != std::string::npos);
}

TEST_CASE("entering a scene puts its step on the stage, and is one step back") {
  At at(0);
  const AppState before = at.app.state();
  REQUIRE(at.app.enter_story_scene(4));
  settle(at.app);
  CHECK(at.app.state().rung == "tiled");
  CHECK(at.app.moment() == "read tile, warp 4");
  REQUIRE(at.app.back());
  CHECK((at.app.state() == before));
}

TEST_CASE("a lab that opens for the first time opens with its story; then as it was left") {
  EngineRunner runner;
  AppState state = opening_of("transpose");
  state.home = true;
  App app(state, &runner);
  tell_shipped(app);
  app.tick(0.1);
  app.choose_lab("banks");
  settle(app);
  CHECK(app.story_scene() == 0);
  CHECK(app.stage_shows_scene());
  REQUIRE(app.enter_story_scene(2));
  settle(app);
  app.choose_lab("transpose");
  settle(app);
  CHECK(app.stage_shows_scene());
  app.choose_lab("banks");
  settle(app);
  CHECK(app.story_scene() == 2);
  CHECK(app.stage_shows_scene());
  for (int i = 0; i < 4; ++i) REQUIRE(app.back());
  CHECK(app.state().home);
}

TEST_CASE("a question that asks to set the lab is done once the reader's own run fulfils it") {
  EngineRunner runner;
  App app(opening_of("banks"), &runner);
  tell_shipped(app);
  const Story& story = *app.story();
  int scene = 0;
  while (!story.scenes[std::size_t(scene)].ask ||
         story.scenes[std::size_t(scene)].ask->kind != Ask::Kind::set)
    REQUIRE(++scene < int(story.scenes.size()));
  REQUIRE(app.enter_story_scene(scene));
  settle(app);
  CHECK((app.story_reply().kind == StoryReply::Kind::none));
  app.choose_rung("strided");  // the figure that is asked for is no figure of this rung
  settle(app);
  CHECK((app.story_reply().kind == StoryReply::Kind::none));
  REQUIRE(app.enter_story_scene(scene));
  settle(app);
  app.set_param("divide", std::int64_t{32});
  settle(app);
  CHECK((app.story_reply().kind == StoryReply::Kind::right));
}

TEST_CASE("a figure of another run reads … until that run is there, and no frame waits for it") {
  class Late : public EngineRunner {
   public:
    void start_soon(std::vector<Request> requests) override { late = std::move(requests); }
    std::vector<Request> late;
  } runner;
  App app(opening_of("transpose"), &runner);
  tell_shipped(app);
  settle(app);
  REQUIRE(app.enter_story_scene(3));
  settle(app);
  CHECK(plain(app.scene_words().why.front().text).find("instead of …") != std::string::npos);
  REQUIRE(runner.late.size() == 1);
  CHECK(runner.late.front().rung == "naive");
  runner.EngineRunner::start_soon(runner.late);
  settle(app);
  CHECK(plain(app.scene_words().why.front().text).find("…") == std::string::npos);
}

TEST_CASE("what was answered is there after a restart, until it is forgotten") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "lockstep-story/settings.json";
  {
    At at(0);
    at.app.answer_story("0.447");
    at.app.enter_story_scene(1);
    settle(at.app);
    at.app.answer_story("4");
    REQUIRE(save_settings(at.app.settings(), file).ok());
  }
  std::optional<Message> notice;
  EngineRunner runner;
  App app(opening_of("transpose"), &runner, load_settings(file, &notice));
  CHECK(!notice);
  tell_shipped(app);
  CHECK(app.story_progress("transpose").done == 2);
  CHECK(app.story_scene() == 2);  // where the reader goes on
  app.go_home();
  SvgCanvas home(1600, 900, app.theme().ground);
  draw_app(home, app, {0, 0, 1600, 900});
  const auto drawn = home.texts();
  CHECK(std::any_of(drawn.begin(), drawn.end(), [](const auto& text) { return text.text == "2 of 8"; }));
  CHECK(faults_of(drawn).empty());
  app.go_on();
  app.enter_story_scene(1);
  settle(app);
  CHECK((app.story_reply().kind == StoryReply::Kind::wrong));
  CHECK(app.story_reply().said == "4");
  app.forget_stories();
  CHECK(app.story_progress("transpose").done == 0);
  std::filesystem::remove_all(file.parent_path());
}

TEST_CASE("no note of the picture tells the number that the question asks for, until it is answered") {
  At at(4);
  REQUIRE(at.app.scene_words().answer == "32 wavefronts");
  for (const bool presented : {false, true}) {
    at.app.set_projector(presented);
    const auto tells = [&] {
      SvgCanvas canvas(1600, 900, at.app.theme().ground);
      draw_app(canvas, at.app, {0, 0, 1600, 900});
      const auto texts = canvas.texts();
      return std::any_of(texts.begin(), texts.end(),
                         [](const auto& t) { return t.text.find("wavefronts: 32") != std::string::npos; });
    };
    CHECK_FALSE(tells());
    if (presented) continue;
    const Settings open = at.app.settings();
    at.app.answer_story("32");
    CHECK(tells());
    at.app.settings() = open;
  }
}

TEST_CASE("once a question is answered its verdict is in sight, where the card has to scroll as well" *
          doctest::test_suite("slow")) {
  int scrolled = 0;
  for (const Lab* lab : labs()) {
    EngineRunner runner;
    App app(opening_of(lab->info().slug), &runner);
    tell_shipped(app);
    settle(app);
    for (int i = 0; app.story() && i < int(app.story()->scenes.size()); ++i) {
      REQUIRE(app.enter_story_scene(i));
      settle(app);
      if (!app.told_scene().ask) continue;
      Screen screen(app, 1280, 720);
      screen.frame();
      app.show_story_answer();
      settle(app), screen.frame(), screen.frame();
      CAPTURE(app.told_scene().title);
      for (const auto& [name, card] : app.panel_areas)
        if (name == "story") CHECK(app.reply_lines.second - app.right_scroll <= card.h);
      scrolled += app.right_scroll > 0;
    }
  }
  CHECK(scrolled > 0);
}

TEST_CASE("in the presentation the question stands where the sentence is, until it is answered") {
  At at(1);
  at.app.set_projector(true);
  const auto shows = [&](const std::string& text) {
    SvgCanvas canvas(1280, 720, at.app.theme().ground);
    draw_app(canvas, at.app, {0, 0, 1280, 720});
    for (const auto& drawn : canvas.texts())
      if (drawn.text.find(text) != std::string::npos) return true;
    return false;
  };
  CHECK(shows("How many sectors do they touch?"));
  at.app.on_key({Key::enter});
  CHECK(!shows("How many sectors do they touch?"));
  CHECK(shows("32 sectors"));
  at.app.on_key({Key::page_down});
  settle(at.app);
  CHECK(at.app.story_scene() == 2);
}
