// The keyboard: what each key does.
#include <algorithm>
#include <utility>

#include "app.hpp"
#include "scene.hpp"

namespace lockstep {

void App::open_menu(MenuKind kind) {
  commit_typing();
  help = chooser_open = false;
  menu = {};
  menu.kind = kind;
  menu.words_on_screen = words_in_view;
  if (kind == MenuKind::save) menu.edit = TextEdit(default_file_name(state_, ".json"));
  caret_clock_ = 0;
}

void App::open_choices(const std::string& parameter) {
  const Rect anchor = menu.anchor;
  open_menu(MenuKind::choice);
  menu.parameter = parameter, menu.anchor = anchor;
  const auto rows = menu_rows(*this);
  const auto value = state_.params.find(parameter);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (value != state_.params.end() && rows[i].id == "choice/" + to_string(value->second)) menu.row = int(i);
}

void App::open_word(const std::string& name) {
  open_menu(MenuKind::words);
  const auto rows = menu_rows(*this);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].word == name) menu.row = int(i);
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
    case Key::character:
      if (!key.ctrl && key.character == 'C' && menu.kind == MenuKind::compare) return close_menu(), true;
      [[fallthrough]];
    default:
      return has_field(menu.kind) ? on_field_key(menu.edit, key) : true;
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
  if (code_focused && vertical) {
    code_scroll.top -= float(direction);  // the pane keeps it inside its text
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
    case 'G':
      if (glossary()) open_menu(MenuKind::words);
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
  if (typing) return typing.reset(), true;  // what was wrong is given up
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
  const bool plain = key.key == Key::character && !key.ctrl;
  if (plain && (key.character == 'B' || (key.character == '.' && !has_timeline))) return blank = true;
  if (plain && key.character == 'Z') return lens = !lens, true;
  if (key.key == Key::escape && !help && !banner && lens) return lens = false, true;
  if (key.key == Key::escape && !help && !banner) return set_projector(false), true;
  if (key.key == Key::f6) return true;
  if (key.key == Key::enter && story() && state_.story_scene >= 0) return show_story_answer(), true;
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
  if (types_value()) {  // the keyboard belongs to it
    if (key.key == Key::enter)
      return typing->of == Typing::Of::answer || typing->of == Typing::Of::reason ? give_answer()
                                                                                  : commit_typing(),
             true;
    if (key.key == Key::escape) return keep_typed_part(), typing.reset(), true;
    if (key.key == Key::tab) return leave_field(), true;
    return on_field_key(typing->edit, key), true;
  }
  if (menu.kind != MenuKind::none) return on_menu_key(key);
  if (const auto taken = on_tour_key(key)) return *taken;
  if (state_.home) return on_home_key(key);
  if (shows_program()) return on_program_key(key);
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
      return playing_ = false, story() ? story_scene_by(-1) : phase_by(-1), true;
    case Key::page_down:
      return playing_ = false, story() ? story_scene_by(1) : phase_by(1), true;
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
