// What the recordings say of the scans of a whole array.
#include "app/draw/language.hpp"
#include "app/labs/rate_curves.hpp"
#include "scene.hpp"

namespace lockstep {

std::vector<LabPanel> ShuffleScene::panels(Rect, const Theme&) const {
  if (!has_rate_curves(run())) return {};
  return {{msg("THROUGHPUT BY SIZE, SCANS OF THE WHOLE ARRAY"),
           std::string(provenance_of(run(), "metrics.curve")), 190,
           [this](Canvas& canvas, const Theme& theme, Rect r) { draw_rate_curves(canvas, theme, r, run()); },
           "rates"}};
}

}  // namespace lockstep
