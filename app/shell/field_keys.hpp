// The keys of every field of one line.
#pragma once
#include <string>

#include "app.hpp"

namespace lockstep {

// What a key asks of the clipboard, which the window has.
struct ClipboardWish {
  std::string copied;  // to be put there
  bool paste = false;
};
// False: not a key of the field (Enter, Escape, up, down, Tab, ...).
bool edit_by_key(TextEdit& edit, const KeyPress& key, ClipboardWish& wish);

}  // namespace lockstep
