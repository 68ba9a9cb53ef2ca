#include "field_keys.hpp"

namespace lockstep {
namespace {

void edit_by_control(TextEdit& edit, const KeyPress& key, ClipboardWish& wish) {
  switch (key.character) {
    case 'A':
      return edit.select_all();
    case 'C':
      wish.copied = edit.selected();
      return;
    case 'X':
      wish.copied = edit.cut();
      return;
    case 'V':
      wish.paste = true;
      return;
    case 'Z':
      return key.shift ? edit.redo() : edit.undo();
    case 'Y':
      return edit.redo();
    default:
      return;
  }
}

}  // namespace

bool edit_by_key(TextEdit& edit, const KeyPress& key, ClipboardWish& wish) {
  using enum TextEdit::Move;
  switch (key.key) {
    case Key::left:
      return edit.move(key.ctrl ? word_left : left, key.shift), true;
    case Key::right:
      return edit.move(key.ctrl ? word_right : right, key.shift), true;
    case Key::home:
      return edit.move(begin, key.shift), true;
    case Key::end:
      return edit.move(end, key.shift), true;
    case Key::backspace:
      return edit.erase_left(key.ctrl), true;
    case Key::del:
      return edit.erase_right(key.ctrl), true;
    case Key::character:
      if (key.ctrl) edit_by_control(edit, key, wish);
      return true;  // the letter itself comes as text
    case Key::space:
      return true;
    default:
      return false;
  }
}

}  // namespace lockstep
