#include "menu.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <utility>

#include "app.hpp"
#include "find.hpp"
#include "program_runner.hpp"

namespace lockstep {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The rungs, first the one that this one was made of, then the next one, then those further away.
std::vector<int> by_nearness(const App& app) {
  const int here = app.rung_index();
  std::vector<int> order(app.info().rungs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::abs(a - here) < std::abs(b - here); });
  return order;
}

std::vector<MenuRow> compare_rows(const App& app) {
  std::vector<MenuRow> rows;
  for (const int i : by_nearness(app)) {
    const RungInfo& rung = app.info().rungs[std::size_t(i)];
    if (rung.slug != app.state().rung || !app.state().saved.empty())
      rows.push_back({"rung/" + rung.slug, rung.slug, tr(rung.idea), ""});
  }
  // With one device there is nothing to put beside it.
  if (const auto devices = app.recorded_devices(); devices.size() > 1)
    for (const std::string& device : devices)
      rows.push_back(
          {"device/@" + device, short_device(device), tr("this rung, recorded on {0}", {device}), ""});
  for (const std::string& name : app.saved_runs())
    if (name != app.state().saved) rows.push_back({"saved/" + name, file_name(name), name, ""});
  if (app.runner()) rows.push_back({"open", tr("a saved run…"), tr("a file that ends in .npz"), ""});
  if (app.comparing()) rows.push_back({"leave", tr("one run alone"), "", "Esc"});
  return rows;
}

std::vector<MenuRow> scene_rows(const App& app) {
  std::vector<MenuRow> rows;
  const bool home = app.state().home || app.shows_program();  // no scene of its own
  if (app.shows_program())
    rows.push_back({"copy-command", tr("Copy the command that draws this picture"), "", ""});
  if (!home) {
    rows.push_back({"copy", tr("Copy the scene as text"), "", "Ctrl+C"});
    rows.push_back({"copy-command", tr("Copy the command that draws this picture"), "", "Ctrl+Shift+C"});
  }
  rows.push_back({"paste", tr("Open the scene on the clipboard"), "", "Ctrl+V"});
  if (!home) rows.push_back({"save", tr("Save the scene to a file…"), "", "Ctrl+S"});
  if (!home && app.run()) rows.push_back({"picture", tr("Save a picture…"), "", "Ctrl+E"});
  if (app.runner()) rows.push_back({"open", tr("Open a scene or a saved run…"), "", "Ctrl+O"});
  if (app.has_pages)
    rows.push_back({"page", tr("Read this as a page"), tr("text and figures, to print"), ""});
  if (app.tells_stories() && !app.settings().stories.empty())
    rows.push_back({"forget", tr("Forget story progress"), tr("of every lab"), ""});
  return rows;
}

bool holds(std::string_view text, std::string_view typed) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), typed.begin(), typed.end(), same) != text.end();
}

MenuRow word_row(const Word& word, bool on_screen) {
  return {"word/" + word.name, word.term, Glossary::sentence(word), on_screen ? tr("on screen") : "",
          word.name};
}

// The glossary's words that hold what is typed; those that are on screen now come first where nothing is.
std::vector<MenuRow> word_rows(const App& app) {
  std::vector<MenuRow> rows;
  const Glossary* glossary = app.glossary();
  if (!glossary) return rows;
  for (const std::size_t i : glossary->holding(app.menu.text())) {
    const Word& word = glossary->words()[i];
    const auto& seen = app.menu.words_on_screen;
    rows.push_back(word_row(word, std::find(seen.begin(), seen.end(), word.name) != seen.end()));
  }
  if (app.menu.text().empty())
    std::stable_partition(rows.begin(), rows.end(), [](const MenuRow& row) { return !row.key.empty(); });
  return rows;
}

// A word that begins with what is typed stands before the labs that speak of it.
std::vector<MenuRow> find_rows(const App& app) {
  std::vector<MenuRow> rows;
  const std::string typed = app.menu.text();
  std::vector<MenuRow> words = typed.empty() ? std::vector<MenuRow>{} : word_rows(app);
  for (MenuRow& row : words) row.key = tr("word");
  const auto named = [&](const MenuRow& row) { return holds(row.word, typed) || holds(row.title, typed); };
  const auto rest = std::stable_partition(words.begin(), words.end(), named);
  rows.assign(words.begin(), rest);
  if (!typed.empty() && app.exercises()) {
    if (holds(tr("Exercises"), typed)) rows.push_back({"list/exercises", tr("Exercises"), "", ""});
    for (const Exercise& exercise : app.exercises()->all())
      if (holds(exercise.title, typed) || holds(exercise.slug, typed))
        rows.push_back({"exercise/" + exercise.slug, exercise.title, tr("Exercises"), tr("exercise")});
  }
  if (!typed.empty() && !app.claims().empty() && holds(tr("Claims put to the test"), typed))
    rows.push_back({"list/claims", tr("Claims put to the test"), "", ""});
  for (const Story& claim : app.claims())
    if (!typed.empty() && (holds(claim.title, typed) || holds(claim.slug, typed)))
      rows.push_back({"claim/" + claim.slug, claim.title, tr("Claims put to the test"), tr("claim")});
  for (const Found& f : find_in_labs(typed))
    rows.push_back({"found/" + f.lab + "/" + f.rung + "/" + f.parameter, f.title, f.detail, ""});
  rows.insert(rows.end(), rest, words.end());
  return rows;
}

// The choices that hold what is typed.
std::vector<MenuRow> choice_rows(const App& app) {
  std::vector<MenuRow> rows;
  const auto value = app.state().params.find(app.menu.parameter);
  for (const Parameter& p : app.info().parameters) {
    if (p.name != app.menu.parameter || value == app.state().params.end()) continue;
    for (const std::string& choice : choices_in(app.info(), app.state().rung, p))
      if (const std::string title = tr(title_of(p, choice));
          holds(choice, app.menu.text()) || holds(title, app.menu.text()))
        rows.push_back({"choice/" + choice, title, "", choice == to_string(value->second) ? "✓" : ""});
  }
  return rows;
}

std::string title_of_parameter(const App& app, const std::string& name) {
  for (const Parameter& p : app.info().parameters)
    if (p.name == name) return tr(title_of(p));
  return name;
}

void choose_choice(App& app, const std::string& id) {
  const std::string parameter = app.menu.parameter, choice = id.substr(id.find('/') + 1);
  app.close_menu();
  if (const auto setting = parse_setting(app.info(), parameter + "=" + choice))
    app.set_param(setting->first, setting->second);
}

// What is typed, the programs that were opened before, and what one can begin with.
std::vector<MenuRow> program_rows(const App& app) {
  std::vector<MenuRow> rows;
  const std::string typed = app.menu.text();
  if (!typed.empty()) rows.push_back({"program/typed", tr("Open {0}", {typed}), "", "Enter"});
  for (const std::string& file : app.settings().programs)
    if (holds(file, typed)) rows.push_back({"program/recent/" + file, file_name(file), file, ""});
  if (app.runner() && app.runner()->programs())
    for (const auto& [name, about] : app.runner()->programs()->templates())
      if (holds(name, typed)) rows.push_back({"program/new/" + name, tr("New: {0}", {name}), tr(about), ""});
  return rows;
}

bool choose_program(App& app, const std::string& id) {
  constexpr std::string_view kRecent = "program/recent/", kNew = "program/new/";
  if (id.starts_with(kRecent)) return app.open_program(id.substr(kRecent.size()));
  if (id.starts_with(kNew)) return app.new_program(id.substr(kNew.size()));
  return app.open_program(app.menu.text());
}

MenuRow save_row(const App& app) {
  std::error_code unknown;
  const bool exists = std::filesystem::exists(app.menu.text(), unknown);
  return {"write", tr("Save"), exists ? tr("This file exists; it is replaced.") : "", "Enter"};
}

// A rung or parameter of a lab; what the current rung does not have is shown on the first that has it.
void go_to_found(App& app, const Found& found) {
  app.choose_lab(found.lab);
  if (!found.rung.empty()) app.choose_rung(found.rung);
  for (const Parameter& p : app.info().parameters) {
    if (found.parameter != p.name) continue;
    if (!app.state().params.contains(p.name) && !p.rungs.empty()) app.choose_rung(p.rungs.front());
    const auto value = app.state().params.find(p.name);
    if (value == app.state().params.end()) continue;
    app.wanted_focus =
        has_slider(p) ? "slider/" + p.name : "choice/" + p.name + "/" + to_string(value->second);
  }
}

void choose_found(App& app, const std::string& id) {
  for (const Found& f : find_in_labs(app.menu.text()))
    if (id == "found/" + f.lab + "/" + f.rung + "/" + f.parameter) return go_to_found(app, f);
}

void choose_compare(App& app, const std::string& id) {
  if (id == "open") return app.open_menu(MenuKind::open_beside);
  app.close_menu();
  if (id == "leave") return app.set_compare("");
  app.set_compare(id.substr(id.find('/') + 1));
}

void choose_scene(App& app, const std::string& id) {
  if (id == "save") return app.open_menu(MenuKind::save);
  if (id == "open") return app.open_menu(MenuKind::open);
  if (id == "picture") return app.open_pictures();
  app.close_menu();
  if (id == "copy") app.copy_scene();
  if (id == "copy-command") app.copy_command();
  if (id == "page") app.wanted_page = app.written_page();
  if (id == "paste") app.wants_clipboard = true;
  if (id == "forget") app.forget_stories();
}

// Under the field: what was typed stays there.
void close_or_say(App& app, bool done) {
  if (done) return app.close_menu();
  app.menu.wrong = std::exchange(app.banner, std::nullopt);
}

}  // namespace

std::vector<MenuRow> menu_rows(const App& app) {
  switch (app.menu.kind) {
    case MenuKind::none:
      return {};
    case MenuKind::compare:
      return compare_rows(app);
    case MenuKind::scene:
      return scene_rows(app);
    case MenuKind::picture:
      return app.menu.pictures;
    case MenuKind::find:
      return find_rows(app);
    case MenuKind::words:
      return word_rows(app);
    case MenuKind::choice:
      return choice_rows(app);
    case MenuKind::save:
    case MenuKind::save_picture:
      return {save_row(app)};
    case MenuKind::program:
      return program_rows(app);
    case MenuKind::open:
    case MenuKind::open_beside:
      return {{"read", tr("Open"), "", "Enter"}};
  }
  return {};
}

std::string menu_title(const App& app) {
  switch (app.menu.kind) {
    case MenuKind::none:
      return "";
    case MenuKind::compare:
      return tr("COMPARE WITH");
    case MenuKind::scene:
      return tr("SCENE");
    case MenuKind::picture:
      return tr("SAVE A PICTURE OF");
    case MenuKind::find:
      return tr("FIND A LAB, RUNG, PARAMETER OR WORD");
    case MenuKind::words:
      return tr("GLOSSARY");
    case MenuKind::choice:
      return title_of_parameter(app, app.menu.parameter);
    case MenuKind::save:
      return tr("SAVE THE SCENE AS");
    case MenuKind::open:
      return tr("OPEN A PROGRAM (.cu), A TOUR (.md), A SCENE (.json) OR A SAVED RUN (.npz)");
    case MenuKind::program:
      return tr("OPEN A CUDA PROGRAM (.cu)");
    case MenuKind::open_beside:
      return tr("COMPARE WITH A SAVED RUN (.npz)");
    case MenuKind::save_picture:
      return tr("SAVE THE PICTURE AS (.svg, .pdf or .png)");
  }
  return "";
}

void choose_row(App& app, const MenuRow& row) {
  switch (app.menu.kind) {
    case MenuKind::none:
      return;
    case MenuKind::compare:
      return choose_compare(app, row.id);
    case MenuKind::scene:
      return choose_scene(app, row.id);
    case MenuKind::picture:
      return app.open_save_picture(row.id.substr(row.id.find('/') + 1));
    case MenuKind::find:
      if (!row.word.empty()) return app.open_word(row.word);
      if (row.id == "list/exercises") return app.open_list(ListPage::exercises);
      if (row.id.starts_with("exercise/")) return app.close_menu(), void(app.open_exercise(row.id.substr(9)));
      if (row.id == "list/claims") return app.open_list(ListPage::claims);
      if (row.id.starts_with("claim/"))
        return app.close_menu(), void(app.open_book("claims/" + row.id.substr(6)));
      choose_found(app, row.id);
      return app.close_menu();
    case MenuKind::words:
      return app.close_menu();
    case MenuKind::choice:
      return choose_choice(app, row.id);
    case MenuKind::save:
      return close_or_say(app, app.save_scene(app.menu.text()));
    case MenuKind::save_picture:
      return close_or_say(app, app.save_picture(app.picture_panel, app.menu.text()));
    case MenuKind::program:
      return close_or_say(app, choose_program(app, row.id));
    case MenuKind::open:
      return close_or_say(app, app.open_file(app.menu.text()));
    case MenuKind::open_beside:
      return close_or_say(app, app.open_beside(app.menu.text()));
  }
}

}  // namespace lockstep
