// What a moment of the launch shows, for expressions.
#include "scene.hpp"

namespace lockstep {

std::string ArchitectureScene::step_figure_names() const {
  return "time_us, running, waiting, done, busy_sms, on_sm";
}

std::optional<double> ArchitectureScene::step_figure(std::string_view name, const LabView& view) const {
  if (!shown()) return {};
  const std::int64_t ns = ns_at(view.step);
  const Moment m = moment_at(ns);
  if (name == "time_us") return double(ns) / 1000;
  if (name == "running") return double(m.running);
  if (name == "waiting") return double(m.waiting);
  if (name == "done") return double(m.done);
  if (name == "busy_sms") return double(m.busy_sms);
  if (name == "on_sm" && at.sm >= 0) return double(blocks_on(at.sm, ns).size());
  return {};
}

}  // namespace lockstep
