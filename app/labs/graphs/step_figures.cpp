// What the kernel of a step of the graphs stage did, for expressions, by the way of launching that is shown
// first.
#include "scene.hpp"

namespace lockstep {

std::string GraphsScene::step_figure_names() const {
  return "kernel, start_us, end_us, duration_us, idle_us, idle_for_cpu_us, idle_for_other_us, "
         "graph_start_us, graph_idle_us";
}

std::optional<double> GraphsScene::step_figure(std::string_view name, const LabView& view) const {
  if (launched.nodes.empty()) return {};
  const int node = launched.node_at(view.step);
  const bool in_graph = launched.shown == Ways::graph;
  const auto& kernel = launched.first().kernels[std::size_t(node)];
  const Pause pause = launched.pause_before(node, in_graph).value_or(Pause{});
  if (name == "kernel") return view.step + 1;
  if (name == "start_us") return double(kernel.start_ns) / 1e3;
  if (name == "end_us") return double(kernel.end_ns) / 1e3;
  if (name == "duration_us") return double(kernel.end_ns - kernel.start_ns) / 1e3;
  if (name == "idle_us") return pause.all;
  if (name == "idle_for_cpu_us") return pause.for_cpu;
  if (name == "idle_for_other_us") return pause.for_other;
  if (std::size_t(node) >= launched.graph.kernels.size()) return {};
  if (name == "graph_start_us") return double(launched.graph.kernels[std::size_t(node)].start_ns) / 1e3;
  if (name == "graph_idle_us") return launched.pause_before(node, true).value_or(Pause{}).all;
  return {};
}

}  // namespace lockstep
