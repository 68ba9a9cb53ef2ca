#include "access_headline.hpp"

#include <algorithm>
#include <bit>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

std::vector<HeadFigure> shared_figures(const Step& step, const std::string& counts) {
  const WarpInstruction& i = step.instruction;
  const int fewest = std::min(step.wavefronts, fewest_wavefronts(i.lanes, i.width, !reads(i.kind)));
  return {{number_text(step.wavefronts), step.wavefronts == 1 ? tr("wavefront") : tr("wavefronts"),
           tr("shared memory"), counts, step.wavefronts > fewest},
          {number_text(fewest), tr("would do"), tr("conflict-free"), "", false}};
}

std::vector<HeadFigure> global_figures(const Step& step, const std::string& counts) {
  const WarpInstruction& i = step.instruction;
  const std::int64_t used = std::int64_t(std::popcount(i.lanes)) * i.width,
                     fewest = std::min<std::int64_t>(step.sectors, (used + 31) / 32);
  return {{number_text(step.sectors), tr("sectors"),
           reads(i.kind) ? tr("warp {0} reads", {number_text(i.warp)})
                         : tr("warp {0} writes", {number_text(i.warp)}),
           counts, step.sectors > fewest},
          {number_text(fewest), tr("would do"), tr("for {0} bytes", {grouped(used)}), "", false}};
}

}  // namespace

std::vector<HeadFigure> access_figures(const Run& run, const Step& step) {
  const std::string counts(provenance_of(run, "counts"));
  if (step.barrier) return {{"0", tr("bytes"), tr("the warps wait for each other"), counts, false}};
  return step.instruction.view >= kFirstSharedView ? shared_figures(step, counts)
                                                   : global_figures(step, counts);
}

}  // namespace lockstep
