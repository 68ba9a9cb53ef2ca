// The large numbers of the softmax lab: how often the rung reads a row, and that once would do.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "picture.hpp"

namespace lockstep {

std::vector<HeadFigure> SoftmaxScene::headline(const LabView& view) const {
  const auto s = softmax_step(*this, view.step, view.warp);
  if (!s) return {};
  const auto counts = read_counts(*s);
  const auto own = std::find_if(counts.begin(), counts.end(), [](const PassCount& c) { return c.counted; });
  if (own == counts.end()) return {};
  return {{number_text(own->stated), own->stated == 1 ? tr("read of the row") : tr("reads of the row"),
           tr("so far {0}", {own->figure}), std::string(provenance_of(run(), "counts")), own->stated > 1},
          {"1", tr("would do"), tr("kept on the chip"), "", false}};
}

}  // namespace lockstep
