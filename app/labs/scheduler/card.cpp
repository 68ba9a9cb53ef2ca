// The card: some warps of a scheduler around this step's cycle, each stretch in the colour of its state.
#include <algorithm>

#include "picture.hpp"

namespace lockstep {

void SchedulerScene::card(Canvas& canvas, const StageInput& in) const {
  constexpr std::size_t kMostWarps = 7;
  const CycleWindow whole = enlarged_window(played, in.view.step);
  const int cycle = in.view.step, half = std::min(whole.count() / 2, 30);
  const CycleWindow window{std::max(whole.first, cycle - half),
                           std::max(whole.first + 1, std::min(whole.end, cycle + half))};
  auto warps = played.warps_of(played.sub_core_of(in.view.warp));
  if (warps.size() > kMostWarps) warps.resize(kMostWarps);
  if (warps.empty() || window.count() < 1) return;
  const Rect r = in.area;
  const float pitch = r.h / float(std::max<std::size_t>(warps.size(), 4)),
              per_cycle = r.w / float(window.count());
  float y = r.y + (r.h - pitch * float(warps.size())) / 2;
  for (const int warp : warps) {
    for (int c = window.first; c < window.end;) {
      const WarpState state = played.sm.state(warp, c);
      int end = c + 1;
      while (end < window.end && played.sm.state(warp, end) == state) ++end;
      canvas.fill_rect(
          {r.x + float(c - window.first) * per_cycle, y, float(end - c) * per_cycle - 1, pitch - 3},
          state == WarpState::done ? in.theme.soft : state_color(state), 2);
      c = end;
    }
    y += pitch;
  }
  const float now = r.x + (float(cycle - window.first) + 0.5f) * per_cycle;
  canvas.line({now, r.y - 3}, {now, r.bottom() + 3}, in.theme.ink, 1.5f);
}

}  // namespace lockstep
