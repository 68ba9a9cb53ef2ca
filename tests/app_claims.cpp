// Claims in the window: the list, each claim walked by keys alone, what was said of it kept; in both
// languages and all four looks nothing overlaps and nothing is cut off.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/views.hpp"
#include "book_window.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

App app_with_claims(Language language, Runner& runner) {
  AppState state = opening_of("transpose", language);
  state.home = true;
  App app(state, &runner);
  tell_shipped(app);
  app.tick(0.1);
  return app;
}

}  // namespace

TEST_CASE("every claim is walked by keys alone, in both languages and all looks, and nothing is cut off") {
  for (const Language language : walked_languages()) {
    EngineRunner runner;
    App app = app_with_claims(language, runner);
    Keyboard keys(app, 1600, 900);
    app.open_list(ListPage::claims);
    check_looks(app);
    REQUIRE(app.claims().size() > 10);
    keys.frame();
    keys.press("list/claim/" + app.claims().front().slug);
    for (int i = 0; i < int(app.claims().size()); ++i) {
      settle(app), keys.frame();
      REQUIRE(app.tells_claim());
      REQUIRE(app.claim_index() == i);
      CAPTURE(app.claims()[std::size_t(i)].slug);
      CHECK(app.stage_shows_scene());
      const SceneWords told = app.scene_words();
      CHECK(told.complete);
      check_looks(app);
      keys.press("story/option/" + told.answer);
      CHECK((app.story_reply().kind == StoryReply::Kind::right));
      settle(app);
      check_looks(app);
      keys.press("story/next");
    }
    CHECK(app.state().home);
    CHECK((app.state().page == ListPage::claims));
    CHECK(app.claims_done() == int(app.claims().size()));
    check_looks(app);
  }
  (void)use_language(Language::english, {}).ok();
}

TEST_CASE("what was said of a claim is kept, and its lab is left as it was") {
  EngineRunner runner;
  App app = app_with_claims(Language::english, runner);
  app.choose_lab("banks");
  settle(app);
  REQUIRE(app.enter_story_scene(2));
  settle(app);
  REQUIRE(app.open_book("claims/thirty_two_times"));
  settle(app);
  CHECK(app.stage_shows_scene());
  app.answer_story("1");
  CHECK((app.story_reply().kind == StoryReply::Kind::wrong));
  app.keep_place();
  const Settings kept = app.settings();
  CHECK(kept.place_book == "claims/thirty_two_times");
  REQUIRE(app.back());  // one step back is what was before the claim
  CHECK(app.story_scene() == 2);
  CHECK_FALSE(app.tells_claim());
  app.choose_lab("transpose"), settle(app), app.choose_lab("banks"), settle(app);
  CHECK(app.story_scene() == 2);
  AppState state = opening_of("transpose");
  state.home = true;
  App again(state, &runner, kept);
  tell_shipped(again);
  again.return_to_place(), again.go_on();
  settle(again);
  REQUIRE(again.tells_claim());
  CHECK(again.stage_shows_scene());
  CHECK((again.story_reply().kind == StoryReply::Kind::wrong));
  again.choose_lab("banks");  // out of the claim into the lab's own story
  CHECK_FALSE(again.tells_claim());
}

TEST_CASE("a claim is found by a word of it, and the list by its name") {
  EngineRunner runner;
  App app = app_with_claims(Language::english, runner);
  const auto choose = [&](const std::string& typed, const std::string& id) {
    app.open_menu(MenuKind::find);
    app.paste(typed);
    for (const MenuRow& row : menu_rows(app))
      if (row.id == id) return choose_row(app, row), true;
    return false;
  };
  REQUIRE(choose("32-way", "claim/thirty_two_times"));
  CHECK(app.state().book == "claims/thirty_two_times");
  CHECK((app.menu.kind == MenuKind::none));
  REQUIRE(choose("claims", "list/claims"));
  CHECK((app.state().page == ListPage::claims));
  app.on_key({Key::escape});  // from the list home
  CHECK(app.state().home);
  CHECK((app.state().page == ListPage::none));
}
