// The card: what the CPU calls and what the GPU runs, by the stream and as a graph.
#include "app/draw/small_timeline.hpp"
#include "scene.hpp"

namespace lockstep {

void GraphsScene::card(Canvas& canvas, const StageInput& in) const {
  const Color grey = Color::hex(0x8D959C);
  std::vector<TimelineKind> kinds(std::size_t(SpanKind::kernel), TimelineKind{"", in.theme.soft, true});
  kinds[std::size_t(SpanKind::call)].color = grey;
  kinds[std::size_t(SpanKind::wait)].color = mix(in.theme.panel, grey, 0.35f);
  kinds[std::size_t(SpanKind::waits_for_cpu)].color = mix(in.theme.panel, color::trouble, 0.75f);
  kinds[std::size_t(SpanKind::starts)].color = mix(in.theme.panel, color::trouble, 0.35f);
  for (int i = 0; i < kKernelColors; ++i) kinds.push_back({"", kernel_color(i), false});
  draw_small_timeline(canvas, in.theme, in.area, launched.timeline, kinds);
}

}  // namespace lockstep
