// The lists that open over the window: what to compare with, what to do with a scene, what was found; and the
// one-line fields for a file's name. Plain data; view_menu.cpp draws it.
#pragma once
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

class App;

enum class MenuKind { none, compare, scene, picture, find, save, open, open_beside, save_picture };
inline bool has_field(MenuKind kind) { return kind >= MenuKind::find; }

struct MenuRow {
  std::string id;             // stable, "rung/padded"
  std::string title, detail;  // in the language in use
  std::string key;            // that does the same without the list
};

struct Menu {
  MenuKind kind = MenuKind::none;
  std::string text;               // of the field
  bool untouched = true;          // what stands in the field is a proposal: the first character replaces it
  int row = 0;                    // the one that Enter chooses
  std::vector<MenuRow> pictures;  // MenuKind::picture: found when it was opened
};

// The rows of the open menu, in order; for a field, those that match what is typed.
std::vector<MenuRow> menu_rows(const App& app);
std::string menu_title(MenuKind kind);

// Does what the row says; the menu closes unless that failed.
void choose_row(App& app, const MenuRow& row);

}  // namespace lockstep
