// The card: the scores of the followed row as bars, this step's columns lit.
#include <algorithm>
#include <cmath>

#include "picture.hpp"

namespace lockstep {

void SoftmaxScene::card(Canvas& canvas, const StageInput& in) const {
  const auto step = softmax_step(*this, in.view.step, in.view.warp);
  if (!step) return;
  const RowBarsPicture p = scores_picture(*step, in.theme);
  if (p.bars.empty() || p.top <= p.bottom) return;
  const Rect r = in.area;
  constexpr float kLeastBar = 4;
  const auto count = std::min<std::size_t>(p.bars.size(), std::size_t(std::max(1.f, r.w / kLeastBar)));
  const float w = r.w / float(count);
  for (std::size_t i = 0; i < count; ++i) {  // of the columns that share a bar the highest
    const std::size_t from = i * p.bars.size() / count, to = (i + 1) * p.bars.size() / count;
    const auto highest =
        std::max_element(p.bars.begin() + std::ptrdiff_t(from), p.bars.begin() + std::ptrdiff_t(to),
                         [](const RowBar& a, const RowBar& b) { return a.value < b.value; });
    if (!std::isfinite(highest->value)) continue;
    const float h = r.h * float((highest->value - p.bottom) / (p.top - p.bottom));
    canvas.fill_rect({r.x + float(i) * w, r.bottom() - h, w - 1.5f, h}, highest->color, 1);
  }
  canvas.line({r.x, r.bottom()}, {r.right(), r.bottom()}, in.theme.line);
}

}  // namespace lockstep
