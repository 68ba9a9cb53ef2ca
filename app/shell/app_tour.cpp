// A lecture: the tour that is open, its scene, and the stage as a student's click left it.
#include <algorithm>
#include <utility>

#include "app.hpp"
#include "app/stories/tour.hpp"

namespace lockstep {
namespace {

constexpr std::string_view kTours = "tours/";

// What belongs to the room and not to the scene.
AppState with_look_of(AppState state, const AppState& room) {
  state.dark = room.dark, state.motion = room.motion;
  state.projector = room.projector, state.language = room.language;
  return state;
}

}  // namespace

bool App::tells_tour() const { return tour_ && state_.book.starts_with(kTours); }

bool App::open_tour(const std::filesystem::path& file, int scene) {
  if (!desk_) return false;
  auto tour = load_tour(tour_in_language(file, code_of(state_.language)), desk_->stories());
  if (!tour) return failed(tour.error());
  return open_tour(std::move(*tour), scene);
}

bool App::open_tour(Story tour, int scene) {
  if (scene < 0 || scene >= int(tour.scenes.size())) return false;
  tour_ = std::make_unique<Story>(std::move(tour)), tour_glyphs_ = StoryDesk::glyphs_of(*tour_);
  tour_replies_.clear(), left_stage_.reset(), lecture_seconds = 0;
  return open_book(std::string(kTours) + tour_->slug, scene);
}

// In the language that is in use now. A tour that is not there in it, or is damaged there, stays as it is.
void App::read_tour_anew() {
  if (!tour_ || tour_->file.empty()) return;
  auto tour = load_tour(tour_in_language(tour_->file, code_of(state_.language)), desk_->stories());
  if (!tour || tour->scenes.size() != tour_->scenes.size()) return;
  *tour_ = std::move(*tour), tour_glyphs_ = StoryDesk::glyphs_of(*tour_);
}

int App::tour_scene() const { return tells_tour() ? story_scene() : entered_.scene; }

// A figure of another story's run would be asked for again and again, so what was computed last stays where
// the stage tells something else.
const SceneWords& App::tour_words() {
  if (tells_tour()) tour_words_ = scene_words();
  return tour_words_;
}

void App::tour_entered(int scene) {
  notes_scroll = 0;
  entered_ = {scene, state_.engine, state_.steps_per_second};
  left_stage_.reset();
}

void App::scroll_notes(float notches) {
  constexpr float kNotch = 40;
  notes_scroll = std::clamp(notes_scroll - notches * kNotch, 0.f, notes_hidden);
}

// True each second, where somebody looks at the clock.
bool App::lecture_goes_on(double seconds) {
  if (!tour_) return false;
  const double before = lecture_seconds;
  lecture_seconds += seconds;
  return notes_wanted && int(lecture_seconds) != int(before);
}

// Does the scene wait for an answer that one key can show?
bool App::tour_answer_comes() const {
  if (!tells_tour() || state_.home || !told_scene().ask) return false;
  return told_scene().ask->kind != Ask::Kind::set && story_reply().kind == StoryReply::Kind::none;
}

// A clicker has one key for "on": it shows the answer first, and then the next scene.
void App::tour_forward() {
  playing_ = false;
  if (!tells_tour() || state_.home) return void(open_book(std::string(kTours) + tour_->slug, tour_scene()));
  if (state_.projector && tour_answer_comes()) return show_story_answer();
  if (has_scene_by(1)) story_scene_by(1);
}

void App::tour_backward() {
  playing_ = false;
  if (!tells_tour() || state_.home) return void(open_book(std::string(kTours) + tour_->slug, tour_scene()));
  if (has_scene_by(-1)) story_scene_by(-1);
}

bool App::off_tour_scene() const {
  if (!tour_) return false;
  if (!tells_tour() || state_.home || !stage_shows_scene()) return true;
  if (state_.pinned || !state_.compare.empty() || state_.timeline != TimelineView{}) return true;
  if (state_.engine != entered_.engine || state_.steps_per_second != entered_.steps_per_second) return true;
  const bool opens = !told_scene().setup.at && has_steps() && numbers_are() == Numbers::current;
  return opens && state_.step != scene_->opening_step(state_.warp);
}

void App::return_to_tour_scene() {
  if (!tour_) return;
  playing_ = false;
  if (!off_tour_scene() && left_stage_) {
    const AppState left = with_look_of(*std::exchange(left_stage_, std::nullopt), state_);
    remember();
    apply(left);
    notice = msg("back to where you were");
    return;
  }
  if (!off_tour_scene()) return;
  const AppState left = state_;
  const Entered entered = entered_;
  if (!open_book(std::string(kTours) + tour_->slug, tour_scene())) return;
  if (state_.engine != entered.engine) state_.engine = entered.engine, changed(true);
  state_.steps_per_second = entered.steps_per_second;
  entered_ = entered, left_stage_ = left;
  notice = msg("the scene as it was; Backspace goes back to where you were");
}

std::optional<bool> App::on_tour_key(const KeyPress& key) {
  if (!tour_ || shows_program() || key.ctrl) return {};
  const bool walks = state_.projector || tells_tour();
  const bool arrow = arrows_walk_tour && state_.projector && !key.shift;
  switch (key.key) {
    case Key::backspace:
      return return_to_tour_scene(), true;
    case Key::page_down:
      if (walks) return tour_forward(), true;
      break;
    case Key::page_up:
      if (walks) return tour_backward(), true;
      break;
    case Key::right:
    case Key::down:
      if (arrow) return tour_forward(), true;
      break;
    case Key::left:
    case Key::up:
      if (arrow) return tour_backward(), true;
      break;
    case Key::character:
      if (key.character == 'N') return notes_wanted = !notes_wanted, true;
      break;
    default:
      break;
  }
  return {};
}

}  // namespace lockstep
