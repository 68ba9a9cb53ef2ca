// The card: one launch and the wait for it, and below them what each stopwatch takes of it.
#include "app/draw/small_timeline.hpp"
#include "scene.hpp"

namespace lockstep {

void TimingScene::card(Canvas& canvas, const StageInput& in) const {
  const Color grey = Color::hex(0x8D959C);
  std::vector<TimelineKind> kinds(kTimedKinds);
  kinds[std::size_t(TimedKind::call)].color = grey;
  kinds[std::size_t(TimedKind::wait)].color = mix(in.theme.panel, grey, 0.35f);
  kinds[std::size_t(TimedKind::kernel)].color = color::hbm;
  kinds[std::size_t(TimedKind::memory)].color = color::l2;
  draw_small_timeline(canvas, in.theme, in.area, readings.timeline, kinds);
}

}  // namespace lockstep
