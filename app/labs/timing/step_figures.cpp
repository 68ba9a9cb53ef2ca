// What a stopwatch of the timing stage shows, for expressions.
#include <algorithm>

#include "scene.hpp"

namespace lockstep {

std::string TimingScene::step_figure_names() const {
  return "read_us, kernel_us, overhead_us, overhead, more_us";
}

std::optional<double> TimingScene::step_figure(std::string_view name, const LabView& view) const {
  const auto stopwatch = Stopwatch(view.step % kStopwatches);
  const double said = readings.us[std::size_t(stopwatch)],
               kernel = readings.us[std::size_t(Stopwatch::events)];
  double around = 0;  // launch and wait
  for (const TimedPart& part : parts_of(readings, stopwatch))
    if (part.kind == TimedKind::call || part.kind == TimedKind::wait)
      around += double(part.end_ns - part.start_ns) / 1e3;
  if (name == "read_us") return said;
  if (name == "kernel_us") return kernel;
  if (name == "overhead_us") return around;
  if (name == "overhead") return said > 0 ? around / said : 0;
  if (name == "more_us") return std::max(0.0, said - kernel);
  return {};
}

}  // namespace lockstep
