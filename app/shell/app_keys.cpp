// The keyboard: what each key does, and values that are typed.
#include <algorithm>
#include <utility>

#include "app.hpp"
#include "scene.hpp"

namespace lockstep {

namespace {

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += char(c);
  } else if (c < 0x800) {
    text += {char(0xc0 | c >> 6), char(0x80 | (c & 0x3f))};
  } else if (c < 0x10000) {
    text += {char(0xe0 | c >> 12), char(0x80 | (c >> 6 & 0x3f)), char(0x80 | (c & 0x3f))};
  } else {
    text += {char(0xf0 | c >> 18), char(0x80 | (c >> 12 & 0x3f)), char(0x80 | (c >> 6 & 0x3f)),
             char(0x80 | (c & 0x3f))};
  }
}

void drop_last_character(std::string& text) {
  while (!text.empty() && (text.back() & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

constexpr std::size_t kMostTyped = 4096;  // bytes of a path
constexpr std::size_t kMaxTyped = 200;    // of a parameter's value

}  // namespace

void App::type_character(char32_t c) {
  if (!typing && has_field(menu.kind) && c >= 32 && c != 127 && menu.text.size() < kMostTyped) {
    if (std::exchange(menu.untouched, false)) menu.text.clear();
    append_utf8(menu.text, c);
    menu.row = 0;
    return;
  }
  if (typing && c >= 32 && (c < 127 || (searching() && c > 127)) && typing->text.size() < kMaxTyped)
    append_utf8(typing->text, c);
}

void App::commit_typing() {
  if (!typing) return;
  const Typing typed = *typing;
  if (searching()) {
    TimelineView view = state_.timeline;
    view.search = typed.text;
    typing.reset();
    return look_at(view);
  }
  typing.reset();
  const auto setting = parse_setting(info(), typed.parameter + "=" + typed.text);
  if (!setting)
    banner = setting.error().message;
  else
    set_param(setting->first, setting->second);
}

void App::search_timeline() {
  commit_typing();
  typing = Typing{"", state_.timeline.search};
}

void App::open_menu(MenuKind kind) {
  commit_typing();
  help = chooser_open = false;
  menu = {kind, kind == MenuKind::save ? default_file_name(state_, ".json") : "", true, 0, {}};
}

void App::paste(const std::string& text) {
  if (!takes_text()) {
    open_text(text, tr("the text on the clipboard"));
    return;
  }
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  if (typing)
    for (const char c : line) type_character(static_cast<unsigned char>(c));
  else
    menu.text = (std::exchange(menu.untouched, false) ? "" : menu.text) + line.substr(0, kMostTyped);
}

bool App::on_menu_key(const KeyPress& key) {
  const auto rows = menu_rows(*this);
  const int count = int(rows.size());
  const auto move = [&](int by) { menu.row = count ? (menu.row + by + count) % count : 0; };
  switch (key.key) {
    case Key::escape:
      return close_menu(), true;
    case Key::enter:
      if (menu.row < count) choose_row(*this, rows[std::size_t(menu.row)]);
      return true;
    case Key::up:
      return move(-1), true;
    case Key::down:
      return move(1), true;
    case Key::tab:
      return move(key.shift ? -1 : 1), true;
    case Key::backspace:
      menu.untouched = false, menu.row = 0;
      return drop_last_character(menu.text), true;
    case Key::character:
      if (key.ctrl && key.character == 'V') wants_clipboard = true;
      if (!key.ctrl && key.character == 'C' && menu.kind == MenuKind::compare) close_menu();
      return true;
    default:
      return true;
  }
}

void App::nudge_parameter(int direction) {
  for (const Parameter& p : info().parameters) {
    const auto at = state_.params.find(p.name);
    if (p.name != focused_parameter || at == state_.params.end()) continue;
    if (!p.choices.empty()) {
      const auto choices = choices_in(info(), state_.rung, p);
      const auto next =
          std::find(choices.begin(), choices.end(), to_string(at->second)) - choices.begin() + direction;
      if (next < 0 || next >= std::ptrdiff_t(choices.size())) return;
      if (const auto setting = parse_setting(info(), p.name + "=" + choices[std::size_t(next)]))
        set_param(p.name, setting->second);
      return;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&at->second)) {
      const auto value = *whole + direction * multiple_beside(p, state_.rung, state_.params);
      if (double(value) >= p.min && double(value) <= p.max) set_param(p.name, value);
    }
  }
}

// The keys of a stage with a timeline.
bool App::on_timeline_key(const KeyPress& key) {
  if (!has_timeline) return false;
  const auto ask = [&](TimelineKey k) { return timeline_keys.push_back(k), true; };
  if (key.ctrl) switch (key.key) {
      case Key::left:
        return ask(TimelineKey::earlier);
      case Key::right:
        return ask(TimelineKey::later);
      case Key::up:
        return ask(TimelineKey::lane_up);
      case Key::down:
        return ask(TimelineKey::lane_down);
      default:
        return false;
    }
  if (key.key != Key::character) return false;
  switch (key.character) {
    case '+':
    case '=':
      return ask(TimelineKey::zoom_in);
    case '-':
      return ask(TimelineKey::zoom_out);
    case '0':
      return ask(TimelineKey::all);
    case '.':
      return ask(TimelineKey::next);
    case ',':
      return ask(TimelineKey::previous);
    case 'M':
      return ask(TimelineKey::measure);
    case 'F':
      return search_timeline(), true;
    default:
      return false;
  }
}

bool App::on_arrow(const KeyPress& key) {
  const int direction = key.key == Key::left || key.key == Key::down ? -1 : 1;
  if (!focused_parameter.empty()) {
    nudge_parameter(direction);
    return true;
  }
  const bool vertical = key.key == Key::up || key.key == Key::down;
  if (focused_splitter != Splitter::none && vertical == (focused_splitter == Splitter::card)) {
    move_splitter(focused_splitter, vertical ? -direction : direction);
    return true;
  }
  if (vertical) {  // the warp above or below, as the lists count
    if (const std::int64_t warp = shown_warp(); has_steps() && warp >= 0) follow_warp(warp - direction);
    return true;
  }
  playing_ = false;
  key.shift ? phase_by(direction) : step_by(direction);
  return true;
}

bool App::on_control(const KeyPress& key) {
  switch (key.character) {
    case 'Z':
      return key.shift ? forward() : back();
    case 'Y':
      return forward();
    case 'C':
      return key.shift ? copy_command() : copy_scene(), true;
    case 'V':
      return wants_clipboard = true;
    case 'S':
      return open_menu(MenuKind::save), true;
    case 'O':
      return open_menu(MenuKind::open), true;
    case 'E':
      return open_pictures(), true;
    default:
      return false;
  }
}

bool App::on_character(const KeyPress& key) {
  const auto rung_at = [&](int index) {
    if (index >= 0 && index < int(info().rungs.size())) choose_rung(info().rungs[std::size_t(index)].slug);
  };
  if (key.ctrl) return on_control(key);
  switch (key.character) {
    case 'C':
      comparing() ? set_compare("") : open_menu(MenuKind::compare);
      return true;
    case 'R':
      request_run();
      return true;
    case 'T':
      set_dark(!state_.dark);
      return true;
    case 'H':
      go_home();
      return true;
    case 'P':
      plain_source = !plain_source;
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
    case '/':
      if (!key.shift) return open_menu(MenuKind::find), true;
      [[fallthrough]];
    case '?':
      return help = !help, true;
    default:
      break;
  }
  if (key.character < '1' || key.character > '9') return false;
  rung_at(key.character - '1');
  return true;
}

// The nearest thing that can be closed, cancelled or left.
bool App::on_escape() {
  if (help || chooser_open) return help = chooser_open = false, true;
  if (banner) return banner.reset(), true;
  if (runner_ && runner_->busy()) return cancel(), true;
  if (state_.pinned) return pin({}), true;
  if (has_timeline &&
      (state_.timeline.brush || state_.timeline.selected || !state_.timeline.search.empty())) {
    TimelineView view = state_.timeline;
    view.brush.reset(), view.search.clear(), view.selected = 0;
    return look_at(view), true;
  }
  if (comparing()) return set_compare(""), true;
  return go_home(), true;
}

// What stands beside the stage in the window is not there, so Escape leaves at once.
std::optional<bool> App::on_presentation_key(const KeyPress& key) {
  if (key.key == Key::character && key.character == 'B' && !key.ctrl) return blank = true;
  if (key.key == Key::escape && !help && !banner) return set_projector(false), true;
  if (key.key == Key::f6) return true;
  return {};
}

void App::move_splitter(Splitter splitter, int direction) {
  constexpr float kWidth = 16, kShare = 0.04f;  // per key
  if (splitter == Splitter::rail)
    settings_.rail_width =
        std::clamp(settings_.rail_width + float(direction) * kWidth, kLeastRailWidth, kMostRailWidth);
  if (splitter == Splitter::lesson)
    settings_.lesson_width =
        std::clamp(settings_.lesson_width - float(direction) * kWidth, kLeastLessonWidth, kMostLessonWidth);
  if (splitter == Splitter::card)
    settings_.card_share = std::clamp(
        (settings_.card_share > 0 ? settings_.card_share : drawn_card_share) + float(direction) * kShare,
        kLeastCardShare, kMostCardShare);
}

bool App::on_key(const KeyPress& key) {
  notice.reset();
  if (std::exchange(blank, false)) return true;
  if (typing) {  // a value is being typed: the keyboard belongs to it
    if (key.key == Key::enter) commit_typing();
    if (key.key == Key::escape) typing.reset();
    if (key.key == Key::backspace && typing) drop_last_character(typing->text);
    if (key.ctrl && key.character == 'V') wants_clipboard = true;
    return true;
  }
  if (menu.kind != MenuKind::none) return on_menu_key(key);
  if (state_.home) return on_home_key(key);
  if (state_.projector)
    if (const auto taken = on_presentation_key(key)) return *taken;
  if (on_timeline_key(key)) return true;
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
    case Key::page_up:
      return playing_ = false, phase_by(-1), true;
    case Key::page_down:
      return playing_ = false, phase_by(1), true;
    case Key::f6:
      return ++tab_steps, true;
    case Key::f11:
      return set_projector(!state_.projector), true;
    case Key::escape:
      return on_escape();
    case Key::character:
      return on_character(key);
    default:
      return false;
  }
}

}  // namespace lockstep
