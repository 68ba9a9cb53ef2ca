#include "app.hpp"

#include <algorithm>
#include <cmath>

#include "app/platform/paths.hpp"

namespace lockstep {
namespace {

constexpr double kQuietSeconds = 0.06;  // after a change of parameters, before a run starts
constexpr double kMotionSeconds = 0.25;
constexpr std::size_t kUndoDepth = 200;

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

const Step* App::current_step() const {
  return state_.step >= 0 && state_.step < int(axis_.steps.size()) ? &axis_.steps[std::size_t(state_.step)]
                                                                   : nullptr;
}

Theme App::theme() const {
  Theme theme = state_.dark ? dark_theme() : light_theme();
  if (!state_.projector) return theme;
  theme.type = 1.5f;  // larger type, higher contrast
  theme.dim = mix(theme.dim, theme.ink, 0.5f);
  theme.line = mix(theme.line, theme.ink, 0.25f);
  return theme;
}

Request App::request() const {
  Request r;
  r.lab = state_.lab, r.rung = state_.rung, r.params = state_.params, r.engine = state_.engine;
  r.block = state_.block, r.warp = state_.warp;
  return r;
}

// Call before a change. Changes with the same name in a row (dragging a slider, stepping) are taken back
// together.
void App::remember() {
  undo_.push_back(state_);
  redo_.clear();
  if (undo_.size() > kUndoDepth) undo_.erase(undo_.begin());
}

void App::changed(bool needs_run) {
  if (!needs_run || !runner_) return;
  run_due_ = true;
  quiet_ = 0;
}

void App::choose_lab(const std::string& slug) {
  const Lab* lab = find_lab(slug);
  if (!lab || slug == state_.lab) return;
  remember(), merged_.clear();
  lab_ = lab;
  state_.lab = slug, state_.rung = info().rungs.front().slug;
  state_.params =
      complete_params(info(), state_.rung, {}).ok() ? *complete_params(info(), state_.rung, {}) : Params{};
  state_.block = state_.warp = 0, state_.pinned.reset();
  run_.reset(), axis_ = {}, state_.step = 0, fresh_ = true;
  changed(true);
}

void App::choose_rung(const std::string& slug) {
  if (slug == state_.rung || info().rung_index(slug) < 0) return;
  remember(), merged_.clear();
  Params kept;
  for (const auto& [name, value] : state_.params)
    if (complete_params(info(), slug, {{name, value}})) kept[name] = value;
  state_.rung = slug, state_.params = *complete_params(info(), slug, kept);
  state_.pinned.reset();
  changed(true);
}

void App::set_param(const std::string& name, Value value) {
  Params params = state_.params;
  params[name] = value;
  for (const Parameter& p : info().parameters)  // what hangs on it moves along
    if (p.multiple_of == name) params = snapped(info(), params);
  const auto complete = complete_params(info(), state_.rung, params);
  if (!complete) {
    banner = complete.error().message;
    return;
  }
  if (*complete == state_.params) return;
  if (merged_ != "param " + name) remember();
  merged_ = "param " + name;
  state_.params = *complete;
  state_.block = state_.warp = 0, state_.pinned.reset();  // another grid
  changed(true);
}

void App::choose_engine(EngineKind engine) {
  chooser_open = false;
  if (engine == state_.engine) return;
  remember(), merged_.clear();
  state_.engine = engine;
  changed(true);
}

void App::follow(std::int64_t block) {
  if (block == state_.block) return;
  remember(), merged_.clear();
  state_.block = block;
  changed(true);
}

// The step that does for `warp` what the current one does for its warp; -1 if there is none.
int App::step_of_warp(std::int64_t warp) const {
  const Step* now = current_step();
  if (!now || now->barrier) return -1;
  const WarpInstruction& i = now->instruction;
  for (int s = 0; s <= last_step(); ++s) {
    const Step& step = axis_.steps[std::size_t(s)];
    const WarpInstruction& other = step.instruction;
    if (!step.barrier && other.warp == warp && step.launch == now->launch && step.interval == now->interval &&
        other.file == i.file && other.line == i.line && other.view == i.view && other.kind == i.kind &&
        other.visit == i.visit)
      return s;
  }
  return -1;
}

void App::follow_warp(std::int64_t warp) {
  const int step = step_of_warp(warp);
  if (step < 0 || step == state_.step) return;
  remember(), merged_.clear();
  state_.warp = warp, state_.step = step;
  motion_ = 1;
}

void App::go_to(int step, bool animate) {
  step = std::clamp(step, 0, last_step());
  if (step == state_.step) return;
  if (merged_ != "step") remember();
  merged_ = "step";
  const bool single = std::abs(step - state_.step) == 1;
  state_.step = step;
  motion_ = animate && single && state_.motion ? 0.f : 1.f;
}

void App::step_by(int steps) { go_to(state_.step + steps, true); }

void App::phase_by(int phases) {
  const auto& all = axis_.phases;
  if (all.empty()) return;
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
  settings_.language = language == Language::chinese ? "zh" : "en";
  if (Status used = use_language(language, assets_folder() / "locale"); !used) banner = used.error().message;
}

void App::set_projector(bool on) {
  if (on == state_.projector) return;
  remember(), merged_.clear();
  state_.projector = settings_.projector = on;
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

void App::restore(const AppState& state) {
  const bool other_run = state.lab != state_.lab || state.rung != state_.rung ||
                         state.params != state_.params || state.engine != state_.engine ||
                         state.block != state_.block;
  const Language before = state_.language;
  state_ = state;
  lab_ = find_lab(state_.lab);
  if (state_.language != before) (void)use_language(state_.language, assets_folder() / "locale").ok();
  settings_.dark = state_.dark, settings_.projector = state_.projector;
  settings_.language = state_.language == Language::chinese ? "zh" : "en";
  merged_.clear();
  motion_ = 1;
  changed(other_run);
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
  run_due_ = true;
  quiet_ = kQuietSeconds;
}

void App::cancel() {
  run_due_ = false;
  if (runner_) runner_->cancel();
}

void App::show(Run run) {
  run_ = std::move(run);
  axis_ = run_->launches.empty() ? StepAxis{} : lab_->steps(*run_);
  if (fresh_ && !axis_.steps.empty()) {
    state_.step = lab_->opening_step(*run_, axis_);
    if (const int step = state_.warp ? step_of_warp(state_.warp) : -1; step >= 0) state_.step = step;
    fresh_ = false;
  }
  state_.step = std::clamp(state_.step, 0, last_step());
  motion_ = 1;
}

void App::compare(Run other) {
  StepAxis axis = other.launches.empty() ? StepAxis{} : lab_->steps(other);
  compared_ = Compared{std::move(other), std::move(axis)};
}

// Runs align on the key (launch, phase, index); where a phase is shorter there, its last step stands.
int App::compared_step() const {
  if (!compared_) return -1;
  const auto phase_of = [&](const Phase& p) {
    return p.first <= state_.step && state_.step < p.first + p.count;
  };
  const auto phase = std::find_if(axis_.phases.begin(), axis_.phases.end(), phase_of);
  const auto index = std::size_t(phase - axis_.phases.begin());
  if (phase == axis_.phases.end() || index >= compared_->axis.phases.size()) return -1;
  const Phase& other = compared_->axis.phases[index];
  return other.first + std::min(state_.step - phase->first, other.count - 1);
}

// After a failure: numbers of another rung or size must not stand under this one's name.
void App::drop_outdated_run() {
  if (!run_ || (run_->request.rung == state_.rung && run_->request.params == state_.params)) return;
  run_.reset();
  axis_ = {};
}

void App::take_outcome(Runner::Outcome outcome) {
  if (!outcome.run) {
    banner = outcome.run.error().message;
    drop_outdated_run();
    return;
  }
  banner.reset();
  if (outcome.request.lab == state_.lab) show(std::move(*outcome.run));
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

bool App::tick(double seconds) {
  bool moved = playing_;
  if (motion_ < 1) motion_ = std::min(1.f, motion_ + float(seconds / kMotionSeconds)), moved = true;
  play_on(seconds);
  if (!runner_) return moved;
  if (run_due_ && (quiet_ += seconds) >= kQuietSeconds) {
    run_due_ = false;
    runner_->start(request());
    moved = true;
  }
  if (auto outcome = runner_->poll()) take_outcome(std::move(*outcome)), moved = true;
  return moved || runner_->busy();
}

bool App::wants_frames() const { return playing_ || motion_ < 1 || run_due_ || (runner_ && runner_->busy()); }

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
      const auto value = *whole + direction * multiple_beside(p, state_.params);
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
