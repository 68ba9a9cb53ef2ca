// Links to scenes: what the address of the page says opens the same moment, and a wrong one is refused with
// the reason.
#include <doctest/doctest.h>

#include "app/shell/scene_link.hpp"
#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

AppState opening(const LabInfo& lab, const RungInfo& rung) {
  AppState state;
  state.lab = lab.slug, state.rung = rung.slug;
  state.params = *complete_params(lab, rung.slug, {});
  return state;
}

}  // namespace

TEST_CASE("a link holds every lab, rung and setting, and opens what it was made of") {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      AppState state = opening(lab->info(), rung);
      state.block = 3, state.warp = 2, state.dark = true, state.language = Language::chinese,
      state.story_scene = 4;
      state.pinned = {std::uint16_t(1), std::uint64_t(513)};
      const std::string text = scene_link(state, "write out, warp 4");
      CAPTURE(text);
      CHECK(text.find_first_of(" \"<>{}") == text.npos);
      const auto link = parse_scene_link("https://example.org/app/#" + text);
      REQUIRE(link.ok());
      REQUIRE(link->scene);
      CHECK(link->story_scene == 4);
      CHECK(link->scene->block == 3);
      CHECK(link->scene->warp == 2);
      CHECK(link->scene->dark == true);
      CHECK(link->scene->language == Language::chinese);
      CHECK(link->scene->pinned == state.pinned);
      REQUIRE(link->scene->at);
      App app(AppState{}, nullptr);
      REQUIRE(app.open_link(text));
      CHECK(app.state().lab == state.lab);
      CHECK(app.state().rung == state.rung);
      CHECK(app.state().params == state.params);
    }
}

TEST_CASE("no setting of a lab is called as a word of links is") {
  for (const Lab* lab : labs())
    for (const Parameter& parameter : lab->info().parameters) {
      CAPTURE(lab->info().slug);
      CAPTURE(parameter.name);
      CHECK_FALSE(is_word_of_link(parameter.name));
    }
}

TEST_CASE("home, lists, exercises and claims have links of their own") {
  AppState state;
  state.home = true;
  CHECK(parse_scene_link(scene_link(state, ""))->home);
  state.page = ListPage::claims;
  CHECK(parse_scene_link(scene_link(state, ""))->page == ListPage::claims);
  state.home = false, state.book = "exercises/mfu", state.story_scene = 2;
  const auto exercise = parse_scene_link(scene_link(state, ""));
  REQUIRE(exercise.ok());
  CHECK(exercise->book == "exercises/mfu");
  CHECK(exercise->story_scene == 2);
}

TEST_CASE("a copied scene is a link too") {
  const AppState state = opening(labs().front()->info(), labs().front()->info().rungs.front());
  std::string text = scene_text(state), encoded;
  for (const char c : text) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%%%02X", unsigned(static_cast<unsigned char>(c)));
    encoded += hex;
  }
  const auto link = parse_scene_link("#" + encoded);
  REQUIRE(link.ok());
  REQUIRE(link->scene);
  CHECK(link->scene->rung == state.rung);
}

TEST_CASE("a wrong link is refused, and nothing changes") {
  for (const char* wrong :
       {"transpose", "transpose/naive?n", "transpose/naive?n=x", "transpose/naive?block=-1",
        "transpose/naive?story=0", "transpose/naive?theme=pink", "transpose/naive?n=%4",
        "transpose/naive?n=%zz", "transpose/naive?pin=1", "nothing/here", "transpose/nothing",
        "exercises/../../etc/1", "exercises/mfu/0", "claims/nothing",
        "transpose/naive?timeline=%7B%22shown%22%3A1%7D", "%7B%22schema%22%3A2%7D"}) {
    CAPTURE(std::string(wrong));
    App app(state_of("naive", 64), nullptr);
    const AppState before = app.state();
    CHECK_FALSE(app.open_link(wrong));
    CHECK(app.banner);
    CHECK(app.state() == before);
  }
  CHECK_FALSE(parse_scene_link("transpose/naive?n=" + std::string(9000, '1')).ok());
}

TEST_CASE("a lab's name, a rung's and a link of the page are words that lockstep opens") {
  const auto said = [](const char* word) { return run_program({word}).err; };
  CHECK(said("nothing").find("there is no command 'nothing'") != std::string::npos);
  for (const char* word :
       {"transpose/nothing", "#transpose/nothing", "https://example.org/app/#transpose/nothing"}) {
    CAPTURE(word);
    CHECK(said(word).find("'nothing'") != std::string::npos);
    CHECK(said(word).find("command") == std::string::npos);
  }
  CHECK(said("transpose?n=x").find("n = x") != std::string::npos);  // its first rung
}

TEST_CASE("in a page what is copied is its address") {
  App app(state_of("naive", 64), nullptr);
  app.copy_scene();
  CHECK(app.to_clipboard->starts_with("{"));
  app.page_address = "https://example.org/app/";
  app.copy_scene();
  CHECK(app.to_clipboard->starts_with("https://example.org/app/#transpose/naive?n=64"));
}

TEST_CASE("a page has no compiler, and says what has one") {
  App app(state_of("naive", 64), nullptr);
  app.page_address = "https://example.org/app/";
  CHECK_FALSE(app.open_file("/opened/my.cu"));
  REQUIRE(app.banner);
  CHECK(app.banner->text().find("lockstep my.cu") != std::string::npos);
}

TEST_CASE("what is on screen has a written page, which the window asks for where there are pages") {
  App app(AppState{}, nullptr);
  const auto rows = [&] {
    app.open_menu(MenuKind::scene);
    return menu_rows(app);
  };
  const auto is_page = [](const MenuRow& row) { return row.id == "page"; };
  const auto before = rows();
  CHECK(std::none_of(before.begin(), before.end(), is_page));
  app.has_pages = true;
  for (const Lab* lab : labs()) {
    app.choose_lab(lab->info().slug);
    const auto now = rows();
    const auto row = std::find_if(now.begin(), now.end(), is_page);
    REQUIRE(row != now.end());
    choose_row(app, *row);
    CHECK(app.wanted_page == "en/labs/" + lab->info().slug + ".html");
    CHECK(app.menu.kind == MenuKind::none);
  }
  app.set_language(Language::chinese);
  CHECK(app.written_page().starts_with("zh/labs/"));
  app.set_language(Language::english);
  app.go_home();
  CHECK(app.written_page() == "en/index.html");
}
