// Fields: which one has the keyboard, what its keys do, and what becomes of what was typed.
#include <charconv>
#include <cmath>
#include <utility>

#include "app.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

constexpr double kBlinkSeconds = 0.5;   // on, and off
constexpr std::size_t kMaxTyped = 200;  // code points of a value

}  // namespace

TextEdit* App::field() {
  if (types_value()) return &typing->edit;
  return has_field(menu.kind) ? &menu.edit : nullptr;
}

void App::type_character(char32_t c) {
  TextEdit* const edit = field();
  if (!edit) return;
  edit->type(c);
  caret_clock_ = 0, menu.row = 0;
}

void App::paste(const std::string& text) {
  TextEdit* const edit = field();
  if (!edit) {
    open_text(text, tr("the text on the clipboard"));
    return;
  }
  edit->paste(text.substr(0, text.find_first_of("\r\n")));
  caret_clock_ = 0, menu.row = 0;
}

void App::begin_typing(Typing::Of of, const std::string& name, const std::string& text) {
  commit_typing();
  typing = Typing{of, name, TextEdit(text, kMaxTyped), {}, true, {}};
  caret_clock_ = 0;
}

void App::search_timeline() { begin_typing(Typing::Of::search, "", state_.timeline.search); }

void App::commit_typing() {
  if (!typing) return;
  if (typing->of == Typing::Of::answer) return typing.reset();  // only give_answer() takes it
  Typing typed = *std::exchange(typing, std::nullopt);          // what follows may begin another one
  if (const Status taken = take_typed(typed); !taken) {
    typed.wrong = taken.error().message;
    typing = std::move(typed);
  }
}

void App::leave_field() {
  if (!types_value()) return;
  if (typing->of == Typing::Of::answer && typing->edit.length() > 0) {
    typing->focused = false;
    return;
  }
  const bool emptied = typing->edit.length() == 0 && !searching();
  if (emptied) return typing.reset();  // the value that stood there stays
  commit_typing();
  if (typing) typing->focused = false;
}

void App::pointer_pressed(Vec2 at) {
  notice.reset();
  blank = false;
  if (typing && !typing->area.contains(at)) leave_field();
}

Status App::take_typed(const Typing& typed) {
  const std::string text = typed.edit.text();
  switch (typed.of) {
    case Typing::Of::search: {
      TimelineView view = state_.timeline;
      view.search = text;
      return look_at(view), Status(Unit{});
    }
    case Typing::Of::parameter: {
      const auto setting = parse_setting(info(), typed.name + "=" + text);
      if (!setting) return setting.error();
      const auto params = params_with(setting->first, setting->second);
      if (!params) return params.error();
      return set_param(setting->first, setting->second), Status(Unit{});
    }
    case Typing::Of::block:
    case Typing::Of::warp:
      return take_followed(typed);
    case Typing::Of::answer:
      break;
  }
  return Unit{};
}

App::Grid App::grid() const {
  if (!run() || run()->launches.empty()) return {};
  const Launch& launch = run()->launches.front();
  return {launch.blocks(), (launch.threads() + kWarpSize - 1) / kWarpSize};
}

Status App::take_followed(const Typing& typed) {
  const std::string text = typed.edit.text();
  const bool block = typed.of == Typing::Of::block;
  const std::int64_t count = block ? grid().blocks : grid().warps;
  std::int64_t number = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size() || number < 0 || number >= count)
    return block ? bad_input("this grid has no block '{0}': its blocks are 0 to {1}",
                             {text, std::to_string(count - 1)})
                 : bad_input("this block has no warp '{0}': its warps are 0 to {1}",
                             {text, std::to_string(count - 1)});
  block ? follow(number) : follow_warp(number);
  return Unit{};
}

bool App::caret_shown() const {
  return !state_.motion || std::fmod(caret_clock_, 2 * kBlinkSeconds) < kBlinkSeconds;
}

bool App::blink(double seconds) {
  if (!takes_text() || !state_.motion) return false;
  const bool shown = caret_shown();
  caret_clock_ += seconds;
  return caret_shown() != shown;
}

// The keys of every field. What else it is told (Enter, Escape, up, down, Tab) is for whoever opened it.
bool App::on_field_key(TextEdit& edit, const KeyPress& key) {
  using enum TextEdit::Move;
  caret_clock_ = 0;
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
      return edit.erase_left(key.ctrl), menu.row = 0, true;
    case Key::del:
      return edit.erase_right(key.ctrl), menu.row = 0, true;
    case Key::character:
      return key.ctrl ? on_field_control(edit, key) : true;  // the letter itself comes as text
    case Key::space:
      return true;
    default:
      return false;
  }
}

bool App::on_field_control(TextEdit& edit, const KeyPress& key) {
  const auto to_the_clipboard = [&](std::string text) {
    if (!text.empty()) to_clipboard = std::move(text);
  };
  switch (key.character) {
    case 'A':
      edit.select_all();
      break;
    case 'C':
      to_the_clipboard(edit.selected());
      break;
    case 'X':
      to_the_clipboard(edit.cut());
      break;
    case 'V':
      wants_clipboard = true;
      break;
    case 'Z':
      key.shift ? edit.redo() : edit.undo();
      break;
    case 'Y':
      edit.redo();
      break;
    default:
      break;
  }
  return true;
}

}  // namespace lockstep
