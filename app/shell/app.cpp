#include "app.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/platform/paths.hpp"
#include "program_desk.hpp"

namespace lockstep {
namespace {

constexpr double kQuietSeconds = 0.02;    // after a change of parameters, before a run starts
constexpr double kProgressSeconds = 0.5;  // before a run is told of, and between two times
constexpr double kMotionSeconds = 0.25;
constexpr std::size_t kUndoDepth = 200;
constexpr float kLabelSize = 10.5f;                                 // the smallest, in the window
constexpr std::array<float, 4> kPresentationSizes{18, 21, 28, 40};  // at 1280 x 720

}  // namespace

App::App(AppState state, Runner* runner, Settings settings)
    : state_(std::move(state)), runner_(runner), settings_(std::move(settings)) {
  lab_ = find_lab(state_.lab);
  if (!lab_) lab_ = labs().front();
  state_.lab = info().slug;
  if (rung_index() < 0) state_.rung = info().rungs.front().slug;
  if (const auto complete = complete_params(info(), state_.rung, state_.params)) state_.params = *complete;
  if (Status used = use_language(state_.language, assets_folder() / "locale"); !used)
    banner = used.error().message;
  if (runner_) changed(true), quiet_ = kQuietSeconds;
}

App::App(App&&) noexcept = default;
App::~App() = default;

// Of a step that is all warps', the followed one is picked out.
std::int64_t App::shown_warp() const {
  if (!has_steps() || !scene_->axis().steps_are_warps()) return state_.warp;
  return scene_->axis().warp_of(state_.step);
}

// In eighths, so that resizing the window makes few glyph atlases.
float App::presentation_scale() const {
  const float fits = std::min(float(view_width) / 1280, float(view_height) / 720);
  return std::max(0.5f, std::floor(fits * 8) / 8);
}

std::vector<float> App::type_scale() const {
  std::vector<float> sizes;
  if (!state_.projector) return sizes;
  for (const float size : kPresentationSizes) sizes.push_back(size * presentation_scale());
  return sizes;
}

Theme App::theme() const {
  Theme theme = state_.dark ? dark_theme() : light_theme();
  if (paper) theme.ground = theme.panel = *paper;
  if (!state_.projector) return theme;
  theme.type = presentation_scale() * kPresentationSizes[0] / kLabelSize;
  theme.dim = mix(theme.dim, theme.ink, 0.5f);
  theme.line = mix(theme.line, theme.ink, 0.25f);
  return theme;
}

Request App::request() const {
  Request r;
  r.lab = state_.lab, r.rung = state_.rung, r.params = state_.params, r.engine = state_.engine;
  r.block = state_.block, r.warp = state_.warp;
  if (names_device(state_.compare) && r.engine == EngineKind::automatic)  // device against device
    for (const std::string& device : recorded_devices())
      if (device != state_.compare.substr(1)) return r.engine = EngineKind::recording, r.device = device, r;
  return r;
}

// Call before a change. Changes with the same name in a row (dragging a slider, stepping) are taken back
// together.
void App::remember() {
  place_waits_ = false;
  undo_.push_back(state_);
  redo_.clear();
  if (undo_.size() > kUndoDepth) undo_.erase(undo_.begin());
}

void App::changed(bool needs_run) {
  if (!needs_run || !runner_ || !state_.saved.empty()) return;
  run_due_ = true;
  quiet_ = 0;
}

void App::choose_lab(const std::string& slug) {
  const Lab* lab = find_lab(slug);
  const bool tells_own = state_.book.empty();
  if (!lab || (slug == state_.lab && tells_own && !state_.home && !state_.program)) return;
  remember(), merged_.clear();
  const bool seen = !state_.home || visited_ || !desk_;
  state_.home = state_.program = false, state_.page = ListPage::none, state_.book.clear();
  if (slug == state_.lab && tells_own) return visited_ ? void() : begin_story();
  awaited_moment_.reset(), typing.reset();
  if (seen && tells_own) keep_place_of_lab();
  lab_ = lab;
  leave_saved();
  pending_.reset(), state_.compare.clear(), refresh_compared();
  const Request opening = opening_request(*lab);
  state_.lab = slug, state_.rung = opening.rung, state_.params = opening.params;
  state_.block = opening.block, state_.warp = opening.warp;
  state_.pinned.reset(), state_.timeline = {}, has_timeline = false;
  scene_.reset(), state_.step = 0, fresh_ = true, left_moment_.reset();
  state_.story_scene = -1, open_try = -1, settings_are_for.clear(), settle_story();
  if (const auto place = places_.find(slug); place != places_.end())
    return_to(place->second);
  else
    begin_story();
  changed(true);
}

void App::keep_place_of_lab() {
  if (!state_.saved.empty()) return;  // a file's run is no place of the reader's own
  Place& place = places_[state_.lab];
  place = {state_.rung, state_.params, state_.block, state_.warp, {}, state_.story_scene};
  const bool shown = has_steps() && run()->request.lab == state_.lab && run()->request.rung == state_.rung &&
                     run()->request.params == state_.params;
  if (shown) place.at = scene_->axis().key(state_.step);
}

void App::return_to(const Place& place) {
  state_.rung = place.rung, state_.params = place.params;
  state_.block = place.block, state_.warp = place.warp, state_.story_scene = place.story_scene;
  fresh_ = !place.at, awaited_moment_ = place.at;
}

// What a rung lacks, or had to round, is not forgotten on the way through it.
Params App::carried_to(const std::string& rung) {
  const bool untouched = state_.lab == carried_.lab && state_.params == carried_.arrived;
  Params meant = untouched ? carried_.meant : state_.params;
  if (state_.lab == carried_.lab) meant.insert(carried_.meant.begin(), carried_.meant.end());
  Params arrived = carried_params(info(), rung, meant);
  carried_ = {state_.lab, std::move(meant), arrived};
  return arrived;
}

void App::choose_rung(const std::string& slug) {
  if (slug == state_.rung || info().rung_index(slug) < 0) return;
  remember(), merged_.clear(), awaited_moment_.reset(), typing.reset();
  leave_saved();
  if (state_.compare == slug) state_.compare = state_.rung;  // the two change places
  state_.rung = slug, state_.params = carried_to(slug);
  state_.pinned.reset(), state_.timeline.selected = 0;
  changed(true);
}

Result<Params> App::params_with(const std::string& name, const Value& value) const {
  Params params = state_.params;
  params[name] = value;
  bool moves_others = false;  // what hangs on it moves along
  for (const Parameter& p : info().parameters) moves_others |= p.multiple_of == name;
  if (const auto sets = info().sets.find(state_.rung); sets != info().sets.end())
    moves_others |= sets->second.front().contains(name);
  if (moves_others) params = snapped(info(), state_.rung, params, name);
  return complete_params(info(), state_.rung, params);
}

// A value that cannot be taken does not stand beside one that was chosen another way.
void App::forget_wrong() {
  if (typing && !typing->focused) typing.reset();
}

void App::set_param(const std::string& name, Value value) {
  const auto complete = params_with(name, value);
  if (!complete) {
    banner = complete.error().message;
    return;
  }
  if (typing_of(Typing::Of::parameter, name)) forget_wrong();
  if (*complete == state_.params) return;
  if (merged_ != "param " + name) remember();
  merged_ = "param " + name;
  leave_saved();
  state_.params = *complete;
  state_.block = state_.warp = 0, state_.pinned.reset();  // another grid
  state_.timeline = {{}, {}, state_.timeline.search, 0, 0};
  changed(true);
}

// Settings that are legal together alone; nothing of them is taken where they are not.
void App::set_params(const Params& together) {
  Params params = state_.params;
  for (const auto& [name, value] : together) params[name] = value;
  const auto complete = complete_params(info(), state_.rung, params);
  if (!complete) {
    banner = complete.error().message;
    return;
  }
  if (*complete == state_.params) return;
  remember(), merged_.clear(), forget_wrong();
  leave_saved();
  state_.params = *complete;
  changed(true);
}

void App::choose_engine(EngineKind engine) {
  chooser_open = false;
  if (engine == state_.engine) return;
  remember(), merged_.clear();
  leave_saved();
  state_.engine = engine;
  changed(true);
}

void App::follow(std::int64_t block) {
  if (typing_of(Typing::Of::block)) forget_wrong();
  if (block == state_.block) return;
  remember(), merged_.clear();
  leave_saved();
  state_.block = block;
  changed(true);
}

int App::step_of_warp(std::int64_t warp) const {
  return has_steps() ? scene_->axis().step_of_warp(state_.step, warp) : -1;
}

// A warp of the followed block whose events found no room in the trace.
bool App::left_out(std::int64_t warp) const {
  if (!scene_ || run()->launches.empty()) return false;
  const Launch& launch = run()->launches.front();
  return launch.trace.dropped > 0 && warp >= 0 && warp * kWarpSize < launch.threads();
}

void App::follow_warp(std::int64_t warp) {
  if (has_steps() && !scene_->axis().steps_are_warps()) {
    if (warp < 0 || warp >= grid().warps || warp == state_.warp) return;
    remember(), merged_.clear();
    state_.warp = warp;
    return changed(left_out(warp));
  }
  const int step = step_of_warp(warp);
  if (step == state_.step) return;
  if (step < 0 && !left_out(warp)) return;
  remember(), merged_.clear();
  state_.warp = warp, motion_ = 1;
  if (step >= 0)
    state_.step = step, left_moment_.reset();
  else
    changed(true);
}

void App::go_to(int step, bool animate) {
  step = std::clamp(step, 0, last_step());
  if (step == state_.step) return;
  if (merged_ != "step") remember();
  merged_ = "step";
  const bool single = std::abs(step - state_.step) == 1;
  state_.step = step, left_moment_.reset();
  motion_ = animate && single && state_.motion ? 0.f : 1.f;
}

void App::step_by(int steps) { go_to(state_.step + steps, true); }

void App::phase_by(int phases) {
  if (!has_steps()) return;
  const auto& all = scene_->axis().phases();
  int current = 0;
  while (current + 1 < int(all.size()) && all[std::size_t(current + 1)].first <= state_.step) ++current;
  // Back from the middle of a phase goes to its own beginning first.
  if (phases < 0 && state_.step > all[std::size_t(current)].first) ++phases;
  go_to(all[std::size_t(std::clamp(current + phases, 0, int(all.size()) - 1))].first);
}

void App::set_dark(bool dark) {
  if (dark == state_.dark) return;
  remember(), merged_.clear();
  state_.dark = settings_.dark = dark;
}

void App::set_language(Language language) {
  if (language == state_.language) return;
  remember(), merged_.clear();
  state_.language = language;
  settings_.language = code_of(language);
  if (Status used = use_language(language, assets_folder() / "locale"); !used) banner = used.error().message;
  open_scenes_anew();
  if (desk_) tell_stories(story_folders_, story_sources_);
}

// In the language in use.
void App::open_scenes_anew() {
  for (auto* scene : {&scene_, &compared_})
    if (*scene) *scene = lab_->open((*scene)->shared_run());
  cards_.open_anew();
}

void App::set_projector(bool on) {
  if (on == state_.projector) return;
  remember(), merged_.clear();
  commit_typing(), close_menu();
  state_.projector = on, blank = lens = chooser_open = false;
  if (on && program_) program_->leave_text();
}

void App::pointer_moved() {
  constexpr double kAwakeSeconds = 2.5;
  if (state_.projector) awake_seconds_ = kAwakeSeconds;
}

void App::set_speed(double steps_per_second) {
  if (steps_per_second == state_.steps_per_second) return;
  if (merged_ != "speed") remember();
  merged_ = "speed";
  state_.steps_per_second = steps_per_second;
}

void App::pin(std::optional<std::pair<std::uint16_t, std::uint64_t>> element) {
  if (element == state_.pinned) return;
  remember(), merged_.clear();
  state_.pinned = element;
}

void App::look_at(const TimelineView& timeline) {
  if (timeline == state_.timeline) return;
  if (merged_ != "timeline") remember();
  merged_ = "timeline";
  state_.timeline = timeline;
}

// Everything as `state` says; what is shown follows.
void App::apply(const AppState& state) {
  awaited_moment_.reset(), left_moment_.reset(), typing.reset();
  const bool other_run = state.lab != state_.lab || state.rung != state_.rung ||
                         state.params != state_.params || state.engine != state_.engine ||
                         state.block != state_.block || state.saved != state_.saved;
  const bool other_compare = state.compare != state_.compare;
  const bool other_devices = other_compare && (names_device(state.compare) || names_device(state_.compare));
  const Language before = state_.language;
  // What is shown of another lab cannot be drawn by this one.
  if (state.lab != state_.lab) scene_.reset(), compared_.reset(), pending_.reset(), fresh_ = false;
  if (state.lab != state_.lab) open_try = -1, settings_are_for.clear();
  step_is_of_next_run_ = other_run;
  state_ = state;
  lab_ = find_lab(state_.lab);
  if (state_.language != before) {
    (void)use_language(state_.language, assets_folder() / "locale").ok();
    open_scenes_anew();
    if (desk_) tell_stories(story_folders_, story_sources_);
  }
  settle_story();
  merged_.clear();
  motion_ = 1;
  if (const auto saved = saved_.find(state_.saved); other_run && saved != saved_.end()) show(saved->second);
  changed(other_run || other_devices);
  if (other_compare) compared_.reset(), refresh_compared();
}

void App::restore(const AppState& state) {
  apply(state);
  settings_.dark = state_.dark;
  settings_.language = code_of(state_.language);
}

bool App::back() {
  if (undo_.empty()) return false;
  redo_.push_back(state_);
  const AppState state = undo_.back();
  undo_.pop_back();
  restore(state);
  return true;
}

bool App::forward() {
  if (redo_.empty()) return false;
  undo_.push_back(state_);
  const AppState state = redo_.back();
  redo_.pop_back();
  restore(state);
  return true;
}

void App::request_run() {
  if (!runner_) return;
  if (!state_.saved.empty()) remember(), merged_.clear(), leave_saved();
  run_due_ = true;
  quiet_ = kQuietSeconds;
}

void App::cancel() {
  run_due_ = second_due_ = second_running_ = false;
  if (runner_) runner_->cancel();
  show_pending();
}

void App::show(std::shared_ptr<const Run> run) {
  const std::unique_ptr<LabScene> before = std::exchange(scene_, lab_->open(std::move(run)));
  segments_.clear();
  for (const Phase& phase : scene_->axis().phases())
    segments_.push_back({phase.first, phase.count, scene_->phase_color(phase)});
  if (fresh_ && has_steps()) {
    state_.step = scene_->opening_step(state_.warp);
    if (const int step = state_.warp ? step_of_warp(state_.warp) : -1; step >= 0) state_.step = step;
    fresh_ = false;
  } else if (before && has_steps(*before) && has_steps() && !step_is_of_next_run_) {
    align_to(before->axis());
  }
  if (const auto moment = std::exchange(awaited_moment_, {})) {
    const auto step = step_named(*moment);
    if (!step && !moment_may_be_gone_) banner = step.error().message;
    state_.step = step ? *step : has_steps() ? scene_->opening_step(state_.warp) : 0;
  }
  step_is_of_next_run_ = moment_may_be_gone_ = false;
  state_.step = std::clamp(state_.step, 0, last_step());
  motion_ = 1;
}

// To the step of the same key. Where there is none, to its neighbour; until the reader moves, the key is kept
// for the next run that has it.
void App::align_to(const Axis& before) {
  const StepKey left = left_moment_.value_or(before.key(state_.step));
  const AlignedStep aligned = aligned_step(before, state_.step, scene_->axis());
  const int step = scene_->axis().step_of(left);
  state_.step = step >= 0 ? step : aligned.step;
  left_moment_ = step >= 0 ? std::nullopt : std::optional(left);
}

std::string App::moment() const {
  // A step that was taken back to waits for its run; the one on the stage may be shorter.
  const bool waits = step_is_of_next_run_ || state_.step > last_step();
  return has_steps() && !waits ? to_text(scene_->axis().key(state_.step)) : std::string();
}

Result<int> App::step_named(const StepKey& key) const {
  if (!has_steps()) return bad_input("the scene stands at '{0}', and this run has no steps", {to_text(key)});
  if (const int step = scene_->axis().step_of(key); step >= 0) return step;
  const StepKey other = scene_->axis().key(scene_->opening_step(state_.warp));
  return bad_input("the scene stands at '{0}', and this run has no such step; it has '{1}', for example",
                   {to_text(key), to_text(other)});
}

// After a failure: numbers of another rung or size must not stand under this one's name.
void App::drop_outdated_run() {
  if (!scene_ || (run()->request.rung == state_.rung && run()->request.params == state_.params)) return;
  scene_.reset();
}

void App::take_outcome(Runner::Outcome outcome) {
  if (std::exchange(second_running_, false)) return take_second(std::move(outcome));
  if (!outcome.run) {
    banner = outcome.run.error().message;
    drop_outdated_run();
    return;
  }
  banner.reset();
  if (outcome.request.lab != state_.lab) return;
  // A step that is waited for is one of the run that is still to begin.
  if (run_due_ && (awaited_moment_ || step_is_of_next_run_)) return;
  refresh_compared();
  if (second_due_ && scene_)
    pending_ = std::move(*outcome.run);
  else
    show(std::move(*outcome.run));
}

void App::play(bool on) {
  if (on && state_.step == last_step()) go_to(0);
  playing_ = on && last_step() > 0;
  play_clock_ = 0;
}

void App::play_on(double seconds) {
  if (!playing_) return;
  play_clock_ += seconds * state_.steps_per_second;
  const int due = int(play_clock_);
  play_clock_ -= due;
  if (due <= 0) return;
  if (state_.step + due >= last_step()) playing_ = false;
  go_to(state_.step + due, state_.steps_per_second <= 4);
}

App::Numbers App::numbers_are() const {
  if (!run()) return Numbers::none;
  if (!state_.saved.empty()) return Numbers::current;
  const bool first_running = runner_ && runner_->busy() && !second_running_;
  if (run_due_ || first_running || pending_) return Numbers::under_way;  // pending: waits for the second run
  const Request& of = run()->request;
  const bool same = of.lab == state_.lab && of.rung == state_.rung && of.params == state_.params &&
                    of.block == state_.block;
  return same ? Numbers::current : Numbers::of_another;
}

bool App::tick(double seconds) {
  progress_due_ = false;
  if (shows_program()) return program_->tick(seconds);
  bool moved = playing_;
  if (motion_ < 1) motion_ = std::min(1.f, motion_ + float(seconds / kMotionSeconds)), moved = true;
  play_on(seconds);
  if (awake_seconds_ > 0 && (awake_seconds_ -= seconds) <= 0) moved = true;
  if (!runner_) return moved;
  moved |= tick_cards();
  moved |= tick_story();
  if (run_due_ && !state_.home && (quiet_ += seconds) >= kQuietSeconds) start_run(), moved = true;
  if (auto outcome = runner_->poll()) take_outcome(std::move(*outcome)), moved = true;
  if (second_due_ && !run_due_ && !state_.home && !runner_->busy()) start_second(), moved = true;
  follow_progress(seconds);
  return moved;
}

void App::follow_progress(double seconds) {
  const int told = int(busy_seconds_ / kProgressSeconds);
  busy_seconds_ = runner_->busy() ? busy_seconds_ + seconds : 0;
  progress_due_ = busy_seconds_ > 0 && int(busy_seconds_ / kProgressSeconds) > told;
}

bool App::tells_progress() const { return runner_ && runner_->busy() && busy_seconds_ >= kProgressSeconds; }

bool App::wants_frames() const { return moves() || (!shows_program() && runner_ && runner_->busy()); }

bool App::moves() const {
  if (shows_program()) return program_->wants_frames();
  const bool cards_come = cards_asked_ ? !cards_.all_here() : state_.home && runner_;
  const bool cards_open = state_.home && cards_.waits_to_open();
  return playing_ || motion_ < 1 || awake_seconds_ > 0 || (desk_ && desk_->waiting()) || judging_.valid() ||
         (!state_.home && (run_due_ || second_due_)) || cards_come || cards_open;
}

}  // namespace lockstep
