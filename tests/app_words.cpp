// Words for identifiers: what a reader of the window reads is no name of the source.
#include <doctest/doctest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

App app_at(const LabInfo& lab, const std::string& rung) {
  AppState state;
  state.lab = lab.slug, state.rung = rung, state.params = *complete_params(lab, rung, {});
  App app(state, nullptr);
  app.show(emulated_run(lab.slug, rung, state.params));
  return app;
}

// The identifiers with an underscore in it; "m_w" is mathematics, "__global__", "gemm/async" and "03_tiled"
// are names.
std::vector<std::string> identifiers_in(const std::string& text) {
  std::vector<std::string> all;
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && part(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const std::size_t underscore = word.find('_');
    const bool file = std::isdigit(static_cast<unsigned char>(word[0]));  // "03_tiled"
    const bool named = file || (at > 0 && text[at - 1] == '/') || (end < text.size() && text[end] == '/') ||
                       (end < text.size() && text.compare(end, 3, ".cu") == 0);
    if (underscore != word.npos && underscore >= 2 && !named) all.push_back(word);
    at = end + 1;
  }
  return all;
}

// What the rung, its kernels and their arrays are called.
std::set<std::string> names_of(const App& app) {
  std::set<std::string> names;
  for (const RungInfo& rung : app.info().rungs) names.insert(rung.slug);
  for (const Launch& launch : app.run()->launches) {
    names.insert(launch.kernel);
    for (const ViewInfo& view : launch.views) names.insert(view.name);
  }
  return names;
}

std::vector<std::string> identifiers_on_screen(App& app) {
  SvgCanvas canvas(1600, 900, app.theme().ground);
  draw_app(canvas, app, {0, 0, 1600, 900});
  Rect code, other_code;
  for (const auto& hit : canvas.hits())
    if (hit.id == "code")
      code = hit.rect;
    else if (hit.id == "stage/triton")
      other_code = hit.rect;
  const std::set<std::string> names = names_of(app);
  std::vector<std::string> found;
  for (const auto& text : canvas.texts()) {
    if (code.contains(text.rect.center()) || other_code.contains(text.rect.center())) continue;
    for (const std::string& word : identifiers_in(text.text))
      if (!names.contains(word)) found.push_back(word + " in '" + text.text + "'");
  }
  return found;
}

void check_words(App& app) {
  for (const char* tab : {"settings", "numbers", "occupancy", "try"}) {
    app.tab = tab;
    const auto found = identifiers_on_screen(app);
    const std::string first = found.empty() ? "" : found.front();
    CAPTURE(tab);
    CAPTURE(first);
    CHECK(found.size() == 0);
  }
}

}  // namespace

TEST_CASE("no lab shows an identifier where a reader looks for a word: every rung, every tab, compared too" *
          doctest::test_suite("slow")) {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      App app = app_at(lab->info(), rung.slug);
      CAPTURE(lab->info().slug);
      CAPTURE(rung.slug);
      check_words(app);
      const std::string& other = lab->info().rungs.front().slug;
      app.compare(emulated_run(lab->info().slug, other, *complete_params(lab->info(), other, {})));
      check_words(app);
    }
}

TEST_CASE("every parameter and choice that is an identifier has a title") {
  for (const Lab* lab : labs())
    for (const Parameter& p : lab->info().parameters) {
      CAPTURE(lab->info().slug);
      CAPTURE(p.name);
      CHECK_FALSE(p.title.empty());
      CHECK(identifiers_in(p.title).empty());
      for (const std::string& choice : p.choices) CHECK(identifiers_in(title_of(p, choice)).empty());
      CHECK(identifiers_in(p.help).empty());
    }
}

TEST_CASE("what a rung adds is said in a few words that fit below its name") {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      if (lab->info().rungs.size() < 2) continue;
      CAPTURE(lab->info().slug);
      CAPTURE(rung.slug);
      CHECK_FALSE(rung.adds.empty());
      CHECK(rung.adds.size() <= 26);
    }
}

TEST_CASE("the list of what to compare with begins with the rungs beside this one") {
  App app(state_of("padded"), nullptr);
  app.show(emulated("padded"));
  app.open_menu(MenuKind::compare);
  const auto rows = menu_rows(app);
  REQUIRE(rows.size() >= 3);
  CHECK(rows[0].title == "tiled");
  CHECK(rows[1].title == "swizzled");
  CHECK(rows[2].title == "naive");
}
