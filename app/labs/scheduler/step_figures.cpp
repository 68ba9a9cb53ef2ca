// What a cycle of the scheduler's stage shows, for expressions.
#include <algorithm>

#include "scene.hpp"

namespace lockstep {
std::string SchedulerScene::step_figure_names() const {
  std::string names = "cycle, cycles, warps, resident_warps, eligible, issued, since, scheduler";
  for (int s = 0; s < kWarpStates; ++s) names += std::string(", ") + name_of(WarpState(s));
  return names;
}

std::optional<double> SchedulerScene::step_figure(std::string_view name, const LabView& view) const {
  if (steps.empty()) return {};
  const SmRun& sm = played.sm;
  const int cycle = std::clamp(view.step, 0, sm.cycles - 1), sub_core = played.sub_core_of(view.warp);
  const int warp = int(std::clamp<std::int64_t>(view.warp, 0, std::max(0, sm.warps - 1)));
  const auto in_state = [&](WarpState state) {
    int warps = 0;
    for (int w = 0; w < sm.warps; ++w) warps += sm.state(w, cycle) == state;
    return warps;
  };
  if (name == "cycle") return cycle;
  if (name == "cycles") return sm.cycles;
  if (name == "warps") return sm.warps;
  if (name == "resident_warps") return sm.warps - in_state(WarpState::done);
  if (name == "eligible") return played.eligible[std::size_t(cycle)];
  if (name == "scheduler") return sub_core;
  if (name == "since") return played.cycles_in_state(warp, cycle);
  if (name == "issued") {
    int issued = 0;
    for (int s = 0; s < kSubCores; ++s) issued += sm.selected(s, cycle) >= 0;
    return issued;
  }
  for (int s = 0; s < kWarpStates; ++s)  // so many warps are in this state
    if (name == name_of(WarpState(s))) return in_state(WarpState(s));
  return {};
}

}  // namespace lockstep
