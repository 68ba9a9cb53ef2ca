// Two runs beside each other: which ones, how they come, and how their steps align.
#include <algorithm>
#include <utility>

#include "app.hpp"

namespace lockstep {

void App::keep_saved(const std::string& name, Run run) {
  saved_.insert_or_assign(name, std::make_shared<const Run>(std::move(run)));
}

void App::show_saved(const std::string& name) {
  const auto saved = saved_.find(name);
  if (saved == saved_.end() || !find_lab(saved->second->request.lab)) return;
  const Request& request = saved->second->request;
  remember(), merged_.clear();
  pending_.reset();
  cancel();
  if (request.lab != state_.lab) state_.compare.clear(), compared_.reset();
  lab_ = find_lab(request.lab);
  state_.home = false;
  state_.lab = request.lab, state_.rung = request.rung, state_.params = request.params;
  state_.block = request.block, state_.warp = request.warp, state_.saved = name;
  state_.pinned.reset();
  fresh_ = true, awaited_moment_.reset();
  show(saved->second);
  refresh_compared();
}

std::vector<std::string> App::saved_runs() const {
  std::vector<std::string> names;
  for (const auto& [name, run] : saved_)
    if (run->request.lab == state_.lab) names.push_back(name);
  return names;
}

void App::set_compare(const std::string& with) {
  const auto devices = names_device(with) ? recorded_devices() : std::vector<std::string>{};
  const bool known = with.empty() || saved_.contains(with) || info().rung_index(with) >= 0 ||
                     std::find(devices.begin(), devices.end(), with.substr(1)) != devices.end();
  if (!known || with == state_.compare) return;
  remember(), merged_.clear();
  const bool of_devices = names_device(with) || names_device(state_.compare);
  state_.compare = with;
  if (of_devices) changed(true);       // what stands on the left is a device's own run, too
  if (!with.empty()) tab = "numbers";  // what differs
  compared_.reset();
  refresh_compared();
}

void App::compare(std::shared_ptr<const Run> other) {
  if (state_.compare.empty()) state_.compare = other->request.rung;
  tab = "numbers";
  compared_ = lab_->open(std::move(other));
}

namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Of two devices each stands under its device's name.
std::string device_or(const Run& run, const std::string& otherwise) {
  return run.engine == EngineKind::emulator || run.device.name.empty() ? otherwise
                                                                       : short_device(run.device.name);
}

}  // namespace

std::string short_device(std::string_view name) {
  constexpr std::string_view kMaker = "NVIDIA ";
  return std::string(name.starts_with(kMaker) ? name.substr(kMaker.size()) : name);
}

// Parameters that a recording cannot hold decide nothing.
std::vector<std::string> App::recorded_devices() const {
  std::vector<std::string> devices;
  if (!runner_) return devices;
  Params wanted = state_.params;
  const auto held = [&](Params params) {
    for (const Parameter& p : info().parameters)
      if (p.model_only) params.erase(p.name);
    return params;
  };
  for (const Run& run : runner_->recorded_everywhere(state_.lab, state_.rung))
    if (held(run.request.params) == held(wanted) &&
        std::find(devices.begin(), devices.end(), run.device.name) == devices.end())
      devices.push_back(run.device.name);
  return devices;
}

std::string App::run_name() const {
  if (names_device(state_.compare) && run()) return device_or(*run(), run()->request.rung);
  return state_.saved.empty() ? scene_ ? run()->request.rung : state_.rung : file_name(state_.saved);
}

std::string App::compared_name() const {
  if (names_saved_run(state_.compare)) return file_name(state_.compare);
  if (names_device(state_.compare)) return short_device(state_.compare.substr(1));
  return compared_ ? compared_->run().request.rung : state_.compare;
}

AlignedStep App::compared_step() const {
  if (!compared_ || !has_steps(*compared_) || !has_steps()) return {};
  return aligned_step(scene_->axis(), state_.step, compared_->axis());
}

void App::go_to_compared(int step) {
  if (!compared_ || !has_steps()) return;
  if (const int here = aligned_step(compared_->axis(), step, scene_->axis()).step; here >= 0) go_to(here);
}

bool App::compare_wanted() const { return second_due_ || second_running_; }

// Brings what stands beside the run in line with state_.compare.
void App::refresh_compared() {
  second_due_ = false;
  if (std::exchange(second_running_, false) && runner_) runner_->cancel();
  if (const auto saved = saved_.find(state_.compare); saved != saved_.end())
    compare(saved->second);
  else if (state_.compare.empty())
    compared_.reset();
  else
    second_due_ = runner_ != nullptr;
  if (!second_due_) show_pending();
}

void App::show_pending() {
  if (!pending_) return;
  Run run = std::move(*pending_);
  pending_.reset();
  show(std::move(run));
}

void App::start_run() {
  run_due_ = second_due_ = second_running_ = false;
  pending_.reset();
  runner_->start(request());
}

// The settings and the engine of the first run on the other rung.
void App::start_second() {
  second_due_ = false;
  const Run* first = pending_ ? &*pending_ : run();
  if (!first) return;
  Request request = first->request;
  request.engine = first->engine, request.warp = state_.warp;
  if (names_device(state_.compare)) {
    request.engine = EngineKind::recording, request.device = state_.compare.substr(1);
  } else {
    request.rung = state_.compare;
    request.params = carried_params(info(), request.rung, request.params);
  }
  second_running_ = true;
  runner_->start(request);
}

void App::take_second(Runner::Outcome outcome) {
  compared_.reset();
  show_pending();
  if (!outcome.run)
    banner = outcome.run.error().message;
  else
    compare(std::move(*outcome.run));
}

}  // namespace lockstep
