// The lists that open over the window: what to compare with, what to do with a scene, what was found, the
// choices of a setting; and the one-line fields for a file's name. Plain data; view_menu.cpp draws it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/draw/text_edit.hpp"
#include "app/model/run.hpp"

namespace lockstep {

class App;

enum class MenuKind {
  none,
  compare,
  scene,
  picture,
  find,
  words,
  choice,
  save,
  open,
  open_beside,
  save_picture,
  program
};
inline bool has_field(MenuKind kind) { return kind >= MenuKind::find; }

struct MenuRow {
  std::string id;             // stable, "rung/padded"
  std::string title, detail;  // in the language in use
  std::string key;            // that does the same without the list
  std::string word = {};      // of the glossary: it is explained beside the list while it is chosen
};

struct Menu {
  MenuKind kind = MenuKind::none;
  TextEdit edit = TextEdit();                // of the field
  int row = 0;                               // the one that Enter chooses
  std::optional<Message> wrong;              // why what was typed cannot be taken
  std::string parameter;                     // whose choices are listed
  Rect anchor;                               // the control that the list belongs to. Set while drawing
  std::vector<MenuRow> pictures;             // MenuKind::picture: found when it was opened
  std::vector<std::string> words_on_screen;  // when it was opened
  std::string text() const { return edit.text(); }
};

// The rows of the open menu, in order; for a field, those that match what is typed.
std::vector<MenuRow> menu_rows(const App& app);
std::string menu_title(const App& app);

// Whether a setting's value is moved along a track; the others are chosen among words.
constexpr std::size_t kMostPills = 6;
inline bool has_slider(const Parameter& p) {
  return p.choices.empty() || (p.type == "int" && p.choices.size() > kMostPills);
}

// Does what the row says; the menu closes unless that failed.
void choose_row(App& app, const MenuRow& row);

}  // namespace lockstep
