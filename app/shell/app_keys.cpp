// The keyboard: what each key does, and values that are typed.
#include <algorithm>

#include "app.hpp"

namespace lockstep {

void App::type_character(char32_t c) {
  if (typing && c >= 32 && c < 127 && typing->text.size() < 24) typing->text += char(c);
}

void App::commit_typing() {
  if (!typing) return;
  const Typing typed = *typing;
  typing.reset();
  const auto setting = parse_setting(info(), typed.parameter + "=" + typed.text);
  if (!setting)
    banner = setting.error().message;
  else
    set_param(setting->first, setting->second);
}

void App::nudge_parameter(int direction) {
  for (const Parameter& p : info().parameters) {
    const auto at = state_.params.find(p.name);
    if (p.name != focused_parameter || at == state_.params.end()) continue;
    if (const auto* whole = std::get_if<std::int64_t>(&at->second)) {
      const auto value = *whole + direction * std::max<std::int64_t>(1, p.multiple);
      if (double(value) >= p.min && double(value) <= p.max) set_param(p.name, value);
    }
  }
}

bool App::on_arrow(const KeyPress& key) {
  const int direction = key.key == Key::left || key.key == Key::down ? -1 : 1;
  if (!focused_parameter.empty()) {
    nudge_parameter(direction);
    return true;
  }
  if (key.key == Key::up || key.key == Key::down) {  // the warp above or below, as the lists count
    if (const Step* now = current_step()) follow_warp(std::int64_t(now->instruction.warp) - direction);
    return true;
  }
  playing_ = false;
  key.shift ? phase_by(direction) : step_by(direction);
  return true;
}

bool App::on_character(const KeyPress& key) {
  const auto rung_at = [&](int index) {
    if (index >= 0 && index < int(info().rungs.size())) choose_rung(info().rungs[std::size_t(index)].slug);
  };
  if (key.ctrl) {
    if (key.character == 'Z') return key.shift ? forward() : back();
    return key.character == 'Y' && forward();
  }
  switch (key.character) {
    case 'R':
      request_run();
      return true;
    case 'T':
      set_dark(!state_.dark);
      return true;
    case 'L':
      set_language(state_.language == Language::english ? Language::chinese : Language::english);
      return true;
    case '[':
      rung_at(rung_index() - 1);
      return true;
    case ']':
      rung_at(rung_index() + 1);
      return true;
    case '?':
    case '/':
      if (key.character == '?' || key.shift) help = !help;
      return key.character == '?' || key.shift;
    default:
      break;
  }
  if (key.character < '1' || key.character > '9') return false;
  rung_at(key.character - '1');
  return true;
}

bool App::on_key(const KeyPress& key) {
  if (typing) {  // a value is being typed: the keyboard belongs to it
    if (key.key == Key::enter) commit_typing();
    if (key.key == Key::escape) typing.reset();
    if (key.key == Key::backspace && !typing->text.empty()) typing->text.pop_back();
    return true;
  }
  switch (key.key) {
    case Key::left:
    case Key::right:
    case Key::up:
    case Key::down:
      return on_arrow(key);
    case Key::home:
      return go_to(0), true;
    case Key::end:
      return go_to(last_step()), true;
    case Key::space:
      return play(!playing_), true;
    case Key::f11:
      return set_projector(!state_.projector), true;
    case Key::escape:
      if (help || chooser_open) return help = chooser_open = false, true;
      if (banner) return banner.reset(), true;
      if (runner_ && runner_->busy()) return cancel(), true;
      return pin({}), true;
    case Key::character:
      return on_character(key);
    default:
      return false;
  }
}

}  // namespace lockstep
