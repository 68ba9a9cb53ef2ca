#include "story_figures.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/devices/gpus.hpp"

namespace lockstep {
namespace {

constexpr std::size_t kMostNamed = 12;  // steps or settings in an error

// What decides which recording fits: all parameters but those that a recording cannot hold.
Params recorded_part(const LabInfo& lab, Params params) {
  for (const Parameter& parameter : lab.parameters)
    if (parameter.model_only) params.erase(parameter.name);
  return params;
}

std::string settings_text(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params) text += (text.empty() ? "" : " ") + name + "=" + to_string(value);
  return text;
}

// The first steps' keys, each phase once: what an author may have meant.
std::string some_steps(const Axis& axis) {
  std::set<std::string> phases;
  std::string all;
  for (int s = 0; s < axis.count() && phases.size() < kMostNamed; ++s)
    if (phases.insert(axis.key(s).phase).second)
      all += (all.empty() ? "'" : ", '") + to_text(axis.key(s)) + "'";
  return all;
}

// A run that cannot be had is no mistake of the author's.
Error not_here(const Error& error) { return {Exit::unavailable, error.message}; }

}  // namespace

Result<StoryFigures::Opened> StoryFigures::opened(const Request& request) {
  for (const auto& [asked, scene] : runs_)
    if (asked == request) return scene;
  auto run = sources_.run(request);
  if (!run) return not_here(run.error());
  Opened scene = open_run(std::move(*run));
  if (!scene) return unavailable("this program does not have the lab {0}", {request.lab});
  runs_.emplace_back(request, scene);
  return scene;
}

Status StoryFigures::show(const std::string& lab, const SceneSetup& setup) {
  auto request = scene_request(lab, setup);
  if (!request) return request.error();
  request_ = *request;
  scene_ = nullptr;
  auto scene = opened(request_);
  if (!scene) return scene.error();
  const Axis& axis = (*scene)->axis();
  LabView view;
  view.warp = request_.warp;
  view.step = setup.at ? axis.step_of(*setup.at) : (*scene)->opening_step(view.warp);
  if (view.step < 0)
    return bad_input("{0}:{1}: this run has no step '{2}'; its steps are called {3}",
                     {std::to_string(setup.at_place.line), std::to_string(setup.at_place.column),
                      to_text(*setup.at), some_steps(axis)});
  scene_ = std::move(*scene), view_ = view;
  return Unit{};
}

void StoryFigures::show(std::shared_ptr<const LabScene> scene, LabView view) {
  scene_ = std::move(scene), view_ = view;
  request_ = scene_->run().request;
}

Result<Value> StoryFigures::figure(const FigurePath& asked) {
  if (asked.root == "run") return of_run(asked);
  if (asked.root == "recorded") return of_recording(asked);
  if (asked.root == "step") return of_step(asked.path);
  if (asked.root == "device") return of_device(asked.path);
  return parameter(asked);
}

Result<Value> StoryFigures::of_run(const FigurePath& asked) {
  if (!asked.called)
    return scene_ ? run_figure(scene_->run(), asked.path)
                  : unavailable("the scene's run is not available here");
  auto request = request_beside(request_, asked.rung, asked.settings);
  if (!request) return request.error();
  auto scene = opened(*request);
  return scene ? run_figure((*scene)->run(), asked.path) : scene.error();
}

Result<Value> StoryFigures::of_recording(const FigurePath& asked) {
  auto request = request_beside(request_, asked.rung, asked.settings);
  if (!request) return request.error();
  const LabInfo& lab = find_lab(request->lab)->info();
  const Params wanted = recorded_part(lab, request->params);
  const std::string name = request->lab + (request->rung.empty() ? "" : "/" + request->rung);
  // The records of a long chain are large, and a class asks for the same figure hundreds of times.
  const std::string key = name + " " + settings_text(wanted) + " " + asked.path;
  if (const auto known = recorded_.find(key); known != recorded_.end()) return known->second;
  std::optional<Error> lacks;
  std::set<std::string> recorded;
  for (const Run& run : sources_.recorded(request->lab, request->rung)) {
    const Params params = recorded_part(lab, run.request.params);
    if (recorded.size() < kMostNamed) recorded.insert(settings_text(params));
    if (params != wanted) continue;
    auto found = run_figure(run, asked.path);
    if (found) recorded_.emplace(key, *found);
    if (found || found.error().exit != Exit::unavailable) return found;
    lacks = found.error();
  }
  if (lacks) return *lacks;
  if (recorded.empty()) return unavailable("there is no recording of {0}", {name});
  std::string all;
  for (const std::string& settings : recorded) all += (all.empty() ? "" : ", ") + settings;
  return unavailable("{0} with {1} was not recorded; recorded are {2}", {name, settings_text(wanted), all});
}

Result<Value> StoryFigures::of_step(const std::string& name) const {
  if (!scene_) return unavailable("the scene's run is not available here");
  const auto found = scene_->step_figure(name, view_);
  if (!found) {
    const std::string names = scene_->step_figure_names();
    return names.empty() ? bad_input("the steps of this lab have no figures, so no '{0}'", {name})
                         : bad_input("this step has no figure '{0}'; it has {1}", {name, names});
  }
  const double x = *found;
  return std::abs(x) < 0x1p53 && x == std::floor(x) ? Value{std::int64_t(x)} : Value{x};
}

// The device that the run speaks of; of an emulated one without a recording beside it, that of the rung's
// recordings.
Result<Value> StoryFigures::of_device(const std::string& name) const {
  const Gpu* gpu = scene_ ? occupancy_gpu(scene_->run()) : nullptr;
  if (!gpu && scene_) gpu = find_gpu(scene_->run().device.name);
  if (!gpu)
    for (const Run& run : sources_.recorded(request_.lab, request_.rung))
      if (!gpu) gpu = find_gpu(run.device.name);
  if (gpu) return device_figure(*gpu, name);
  const auto named = device_figure(Gpu{}, name);
  return named
             ? Result<Value>(unavailable("no GPU is known here: neither this run nor a recording names one"))
             : named;
}

Result<Value> StoryFigures::parameter(const FigurePath& asked) const {
  const std::string& name = asked.root == "params" ? asked.path : asked.root;
  const bool plain = asked.root == "params" || asked.path.empty();
  const auto at = request_.params.find(name);
  if (plain && at != request_.params.end()) return at->second;
  std::string all;
  for (const auto& [known, value] : request_.params) all += ", " + known;
  return bad_input("there is no '{0}': there are run, recorded, step, device{1}", {to_text(asked), all});
}

}  // namespace lockstep
