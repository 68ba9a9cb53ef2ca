// The home: how it is reached and left, its keys, its cards' runs, and the place where the reader goes on.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app.hpp"
#include "program_desk.hpp"
#include "scene.hpp"

namespace lockstep {

void App::go_home() {
  if (state_.home && state_.page == ListPage::none) return;
  open_list(ListPage::none);
}

void App::open_list(ListPage page) {
  remember(), merged_.clear();
  playing_ = false, help = chooser_open = false;
  close_menu();
  state_.home = true, state_.page = page, home_scroll = 0;
}

void App::go_on() {
  if (!state_.home) return;
  remember(), merged_.clear();
  state_.home = false, state_.page = ListPage::none;
  if (std::exchange(typed_waits_, false)) return_to_typed();
}

std::string App::place_text() const {
  if (state_.program && program_) return program_->name();
  if (const Story* open = book()) return open->title;
  std::string text = tr(info().title) + " · " + state_.rung;
  int step = settings_.place_step, steps = settings_.place_steps;
  if (has_steps()) step = state_.step + 1, steps = last_step() + 1;
  if (step < 1 || steps < step) return text;
  return tr("{0}, step {1} of {2}", {text, std::to_string(step), std::to_string(steps)});
}

// Where the reader would go on. A run that is still to come has no step yet: then the place has the moment
// that it is to open at.
void App::keep_place() {
  if (!visited_ || place_waits_ || !state_.saved.empty()) return;  // a saved run's file may be gone
  AppState state = state_;
  state.dark = state.projector = false, state.language = Language::english;  // the settings keep them
  if (names_saved_run(state.compare)) state.compare.clear();
  const bool shown = has_steps() && run()->request.lab == state_.lab && !step_is_of_next_run_;
  const bool current = shown && run()->request.rung == state_.rung && run()->request.params == state_.params;
  std::string at = shown ? moment() : std::string();
  if (!current && left_moment_) at = to_text(*left_moment_);
  if (awaited_moment_) at = to_text(*awaited_moment_);
  if (at.empty() && !step_is_of_next_run_) state.step = -1;
  std::string place = scene_text(state, at);
  if (current)
    settings_.place_step = state_.step + 1, settings_.place_steps = last_step() + 1;
  else if (place != settings_.place)
    settings_.place_step = settings_.place_steps = 0;
  settings_.place = std::move(place);
  settings_.place_story_scene = tells_tour() ? -1 : state_.story_scene;
  settings_.place_book = tells_tour() ? "" : state_.book;
  keep_typed();
}

void App::keep_typed() {
  keep_typed_part();
  if (typed_waits_ && state_.home) return;
  typed_waits_ = false;
  settings_.typed_field.clear(), settings_.typed_text.clear();
  if (!typing || typing->of == Typing::Of::search) return;
  constexpr const char* kFields[] = {"parameter", "", "block", "warp", "answer", "reason", "code"};
  settings_.typed_field = kFields[std::size_t(typing->of)];
  if (typing->of == Typing::Of::parameter) settings_.typed_field += " " + typing->name;
  settings_.typed_text = typing->edit.text();
}

// A field that is no longer there has nothing to say.
void App::return_to_typed() {
  const std::string field = settings_.typed_field, name = field.substr(field.find(' ') + 1);
  const bool asks = story() && told_scene().ask && story_reply().kind == StoryReply::Kind::none;
  if (field == "answer" && asks) begin_typing(Typing::Of::answer, "", settings_.typed_text);
  if (field == "reason" && asks) begin_typing(Typing::Of::reason, "", settings_.typed_text);
  if (field == "block") begin_typing(Typing::Of::block, "", settings_.typed_text);
  if (field == "warp") begin_typing(Typing::Of::warp, "", settings_.typed_text);
  if (field.starts_with("parameter ") && state_.params.contains(name))
    begin_typing(Typing::Of::parameter, name, settings_.typed_text);
  if (typing) typing->edit.move(TextEdit::Move::end, false);
}

// A place that this program no longer has is none.
void App::return_to_place() {
  const auto scene = parse_scene(settings_.place, "place");
  if (settings_.place.empty() || !scene) return;
  const bool home = state_.home;
  if (open_scene(*scene)) visited_ = place_waits_ = typed_waits_ = moment_may_be_gone_ = true;
  state_.book = visited_ ? settings_.place_book : "";
  if (!book()) state_.book.clear();  // this program does not have it
  if (visited_ && story())
    state_.story_scene =
        std::clamp(settings_.place_story_scene, book() ? 0 : -1, int(story()->scenes.size()) - 1);
  banner.reset(), undo_.clear();
  state_.home = home;
}

// The runs are asked for once the home has been on screen: nothing that it waits for comes before its first
// frame.
bool App::tick_cards() {
  if (!runner_) return false;
  if (!state_.home) visited_ = true;
  constexpr int kFramesBefore = 3;
  if (state_.home && !cards_asked_ && ++home_frames_ >= kFramesBefore)
    runner_->start_background(HomeCards::requests()), cards_asked_ = true;
  const bool moved = state_.home && cards_.open_next();
  const bool cards_come = cards_asked_ && !cards_.all_here();
  if (!cards_come && !(desk_ && desk_->waiting())) return moved;
  auto outcome = runner_->poll_background();
  if (!outcome) return moved;
  take_background(std::move(*outcome));
  return true;
}

// A card's run, or one that a story's figures need.
void App::take_background(Runner::Outcome outcome) {
  if (desk_ && desk_->wants(outcome.request)) return desk_->take(outcome.request, std::move(outcome.run));
  if (outcome.run)
    cards_.take(std::move(*outcome.run));
  else
    cards_.take(outcome.request, outcome.run.error());
}

// To the nearest entry or card in that direction; one that lies askew counts as further away.
bool App::move_home_focus(Key direction) {
  if (home_stops.empty()) return false;
  const auto from = std::find_if(home_stops.begin(), home_stops.end(),
                                 [&](const HomeStop& stop) { return stop.id == home_focus; });
  if (from == home_stops.end()) return wanted_focus = home_stops.front().id, true;
  const bool sideways = direction == Key::left || direction == Key::right;
  const float sign = direction == Key::left || direction == Key::up ? -1.f : 1.f;
  const HomeStop* nearest = nullptr;
  float least = 0;
  for (const HomeStop& stop : home_stops) {
    const Vec2 a = from->area.center(), b = stop.area.center();
    const float along = sign * (sideways ? b.x - a.x : b.y - a.y);
    const float askew = std::abs(sideways ? b.y - a.y : b.x - a.x);
    if (along < 1 || (sideways && askew > stop.area.h / 2)) continue;
    const float distance = along + 2 * askew;
    if (!nearest || distance < least) nearest = &stop, least = distance;
  }
  if (nearest) wanted_focus = nearest->id;
  return true;
}

bool App::on_home_key(const KeyPress& key) {
  switch (key.key) {
    case Key::left:
    case Key::right:
    case Key::up:
    case Key::down:
      return move_home_focus(key.key);
    case Key::f11:
      return set_projector(!state_.projector), true;
    case Key::escape:
      if (state_.page != ListPage::none && !help && !banner) return go_home(), true;
      help = false, banner.reset();
      return true;
    case Key::character:
      break;
    default:
      return false;
  }
  if (key.ctrl)  // what copies and saves has nothing to copy here
    return std::string_view("ZYOV").find(key.character) != std::string_view::npos && on_control(key);
  if (key.character == 'H') return can_go_on() ? go_on() : void(), true;
  return std::string_view("TLG/?").find(key.character) != std::string_view::npos && on_character(key);
}

}  // namespace lockstep
