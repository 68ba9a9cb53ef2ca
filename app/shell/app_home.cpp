// The home: how it is reached and left, its keys, its cards' runs, and the place where the reader goes on.
#include <algorithm>
#include <cmath>

#include "app.hpp"
#include "program_desk.hpp"
#include "scene.hpp"

namespace lockstep {

void App::go_home() {
  if (state_.home) return;
  remember(), merged_.clear();
  playing_ = false, help = chooser_open = false;
  close_menu();
  state_.home = true;
}

void App::go_on() {
  if (!state_.home) return;
  remember(), merged_.clear();
  state_.home = false;
}

std::string App::place_text() const {
  if (state_.program && program_) return program_->name();
  std::string text = tr(info().title) + " · " + state_.rung;
  int step = 0, steps = 0;
  if (has_steps()) step = state_.step + 1, steps = last_step() + 1;
  if (place_waits_) step = settings_.place_step, steps = settings_.place_steps;
  if (step < 1 || steps < step) return text;
  return tr("{0}, step {1} of {2}", {text, std::to_string(step), std::to_string(steps)});
}

void App::keep_place() {
  // A saved run is a file that may be gone; without a run the moment has no name yet.
  if (!visited_ || !state_.saved.empty() || !has_steps() || run()->request.lab != state_.lab) return;
  AppState state = state_;
  state.dark = state.projector = false, state.language = Language::english;  // the settings keep them
  if (names_saved_run(state.compare)) state.compare.clear();
  settings_.place = scene_text(state, moment());
  settings_.place_step = state_.step + 1, settings_.place_steps = last_step() + 1;
}

// A place that this program no longer has is none.
void App::return_to_place() {
  const auto scene = parse_scene(settings_.place, "place");
  if (settings_.place.empty() || !scene) return;
  const bool home = state_.home;
  if (open_scene(*scene)) visited_ = place_waits_ = true;
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
  return std::string_view("TL/?").find(key.character) != std::string_view::npos && on_character(key);
}

}  // namespace lockstep
