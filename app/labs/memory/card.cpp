// The card: the pyramid of levels, and the staircase of the walk.
#include <algorithm>
#include <cmath>

#include "scene.hpp"

namespace lockstep {

void MemoryScene::card(Canvas& canvas, const StageInput& in) const {
  const Rect r = in.area;
  const float row = r.h / kMemoryLevels, w = r.w * (staircase.empty() ? 0.55f : 0.42f);
  for (int i = 0; i < kMemoryLevels; ++i) {
    const float share = 0.3f + 0.14f * float(i);
    canvas.fill_rect({r.x + w * (1 - share) / 2, r.y + row * float(i) + 1.5f, w * share, row - 3},
                     color_of(MemoryLevel(i)), 2);
  }
  if (staircase.empty()) {  // how much each holds, by its logarithm
    for (const LevelFigures& f : levels)
      if (f.capacity_bytes)
        canvas.fill_rect({r.x + r.w * 0.6f, r.y + row * (float(f.level) + 0.25f),
                          r.w * 0.4f * float(std::log2(*f.capacity_bytes) / 40), row * 0.5f},
                         mix(in.theme.panel, color_of(f.level), 0.5f), 2);
    return;
  }
  double high = 0;
  for (const PlotPoint& p : staircase) high = std::max(high, p.y);
  const double first = std::log(staircase.front().x), last = std::log(staircase.back().x);
  const float x0 = r.x + w + r.w * 0.06f, room = r.right() - x0;
  const auto at = [&](double bytes, double cycles) {
    const double t = last > first ? (std::log(bytes) - first) / (last - first) : 0;
    return Vec2{x0 + float(t) * room, r.bottom() - 2 - float(cycles / high) * (r.h - 6)};
  };
  std::vector<Vec2> line;
  for (const PlotPoint& p : staircase) line.push_back(at(p.x, p.y));
  canvas.polyline(line, in.theme.dim, 1.2f);
  for (const Plateau& p : plateaus)
    canvas.line(at(1024.0 * double(p.first), p.latency), at(1024.0 * double(p.last), p.latency),
                color_of(level_of(p, gpu)), 4);
}

}  // namespace lockstep
