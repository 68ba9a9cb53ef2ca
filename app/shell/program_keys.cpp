// The keys of a reader's program: those of its editor while one types, else those of the steps.
#include <charconv>

#include "app.hpp"
#include "app/draw/language.hpp"
#include "field_keys.hpp"
#include "program_desk.hpp"

namespace lockstep {

TextEdit* ProgramDesk::field() {
  if (bar != Bar::none) return &bar_edit;
  return typed_field ? &text_of(*typed_field) : nullptr;
}

void ProgramDesk::open_bar(Bar which) {
  const std::string selected = edit.selected();
  const bool word = which == Bar::find && !selected.empty() && selected.find('\n') == selected.npos;
  bar = which, bar_missed = false, typed_field.reset();
  bar_edit = TextEdit(word ? selected : which == Bar::find ? bar_edit.text() : "");
}

// From where the selection begins: what is typed on extends what was found.
void ProgramDesk::search(bool backward) {
  bar_missed = bar_edit.length() > 0 && !edit.find(bar_edit.text(), backward);
}

void ProgramDesk::type_character(char32_t c) {
  if (TextEdit* const line = field()) {
    line->type(c);
    if (bar == Bar::find) edit.place(edit.selection().first, false), search(false);
    return;
  }
  if (!focused) return;
  edit.type(c);
  edited();
}

void ProgramDesk::paste(const std::string& text) {
  if (TextEdit* const line = field()) return line->paste(text.substr(0, text.find_first_of("\r\n")));
  if (!focused) return;
  edit.paste(text);
  edited();
}

bool ProgramDesk::on_field_key(TextEdit& line, const KeyPress& key) {
  ClipboardWish wish;
  const bool taken = edit_by_key(line, key, wish);
  if (!wish.copied.empty()) to_clipboard = std::move(wish.copied);
  wants_clipboard |= wish.paste;
  return taken;
}

bool ProgramDesk::on_bar_key(const KeyPress& key) {
  if (key.key == Key::escape || key.key == Key::tab) {
    focused = bar != Bar::shape;
    return bar = Bar::none, true;
  }
  if (key.ctrl && key.key == Key::character && (key.character == 'F' || key.character == 'G'))
    return open_bar(key.character == 'F' ? Bar::find : Bar::line), true;
  if (bar == Bar::find && (key.key == Key::up || key.key == Key::down || key.key == Key::enter))
    return search(key.key == Key::up || key.shift), true;
  if (bar == Bar::shape) return on_shape_key(key);
  if (key.key != Key::enter) return on_field_key(bar_edit, key), true;
  return on_line_bar_enter();
}

bool ProgramDesk::on_line_bar_enter() {
  int line = 0;
  const std::string text = bar_edit.text();
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  bar_missed = error != std::errc{} || stop != text.data() + text.size() || line < 1 || line > edit.lines();
  if (bar_missed) return true;
  edit.go_to_line(line - 1), edit.move(CodeEdit::Move::line_begin, false);
  return bar = Bar::none, focused = true;
}

bool ProgramDesk::on_editor_control(const KeyPress& key) {
  switch (key.character) {
    case 'A':
      return edit.select_all(), true;
    case 'C':
      if (!edit.selection().empty()) to_clipboard = edit.selected();
      return true;
    case 'X':
      if (!edit.selection().empty()) to_clipboard = edit.cut();
      return true;
    case 'V':
      return wants_clipboard = true;
    case 'Z':
      return key.shift ? edit.redo() : edit.undo(), true;
    case 'Y':
      return edit.redo(), true;
    default:
      return true;
  }
}

bool ProgramDesk::on_editor_key(const KeyPress& key) {
  using enum CodeEdit::Move;
  switch (key.key) {
    case Key::left:
      return edit.move(key.ctrl ? word_left : left, key.shift), true;
    case Key::right:
      return edit.move(key.ctrl ? word_right : right, key.shift), true;
    case Key::up:
      return edit.move(up, key.shift), true;
    case Key::down:
      return edit.move(down, key.shift), true;
    case Key::home:
      return edit.move(key.ctrl ? begin : line_begin, key.shift), true;
    case Key::end:
      return edit.move(key.ctrl ? end : line_end, key.shift), true;
    case Key::page_up:
      return edit.move_lines(-rows_shown, key.shift), true;
    case Key::page_down:
      return edit.move_lines(rows_shown, key.shift), true;
    case Key::enter:
      return key.ctrl ? run_now() : edit.enter(), true;
    case Key::tab:
      return edit.tab(key.shift), true;
    case Key::backspace:
      return edit.erase_left(key.ctrl), true;
    case Key::del:
      return edit.erase_right(key.ctrl), true;
    case Key::escape:
      return focused = false, true;
    case Key::space:
      return true;  // it comes as text
    case Key::character:
      return key.ctrl ? on_editor_control(key) : true;
    default:
      return false;
  }
}

// Without the editor's keyboard: as in a lab, with launches where a lab has rungs.
static bool on_step_key(ProgramDesk& desk, const KeyPress& key) {
  const int direction = key.key == Key::left || key.key == Key::up ? -1 : 1;
  switch (key.key) {
    case Key::left:
    case Key::right:
      return desk.play(false), key.shift ? desk.phase_by(direction) : desk.step_by(direction), true;
    case Key::up:
    case Key::down:
      return desk.follow_warp(desk.view().warp + direction), true;
    case Key::home:
      return desk.go_to(0), true;
    case Key::end:
      return desk.go_to(desk.last_step()), true;
    case Key::page_up:
    case Key::page_down:
      return desk.phase_by(key.key == Key::page_up ? -1 : 1), true;
    case Key::space:
      return desk.play(!desk.playing()), true;
    case Key::enter:
      return desk.focused = true;
    case Key::f6:
      desk.tab = ProgramDesk::Tab((int(desk.tab) + 1) % 3), desk.drawer_scroll = 0;
      return true;
    case Key::character:
      break;
    default:
      return false;
  }
  if (key.ctrl) return false;
  if (key.character == 'R') return desk.run_now(), true;
  if (key.character == '[') return desk.choose_launch(desk.launch() - 1), true;
  if (key.character == ']') return desk.choose_launch(desk.launch() + 1), true;
  if (key.character == 'B') return desk.focus_field(ProgramDesk::Field::block), true;
  if (key.character == 'A') return desk.focus_field(ProgramDesk::Field::arguments), true;
  if (key.character == 'S' && desk.scene() && !desk.scene()->arrays().empty()) {
    const auto& arrays = desk.scene()->arrays();
    return desk.open_shape(arrays[std::size_t(desk.shape_turn++) % arrays.size()]), true;
  }
  if (key.character < '1' || key.character > '9') return false;
  return desk.choose_launch(key.character - '1'), true;
}

bool ProgramDesk::on_key(const KeyPress& key) {
  const bool control = key.ctrl && key.key == Key::character;
  if (control && key.character == 'S') {
    if (const Status saved = save(); !saved)
      note = saved.error().message;
    else
      note = msg("saved as {0}", {file_.string()});
    return true;
  }
  if (control && (key.character == 'O' || key.character == 'E')) return false;  // the window's
  if (bar != Bar::none) return on_bar_key(key);
  if (control && key.character == 'F') return open_bar(Bar::find), true;
  if (control && key.character == 'G') return open_bar(Bar::line), true;
  if (typed_field) return on_fields_key(key);
  if (!focused) return on_step_key(*this, key);
  const std::uint64_t before = edit.version();
  const bool taken = on_editor_key(key);
  edited();
  if (edit.version() == before) caret_moved();
  return taken;
}

}  // namespace lockstep
