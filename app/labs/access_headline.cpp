#include "access_headline.hpp"

#include <algorithm>
#include <bit>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/lab.hpp"

namespace lockstep {
namespace {

bool is_shared(const Step& step) { return step.instruction.view >= kFirstSharedView; }

int fewest_wavefronts_of(const Step& step) {
  const WarpInstruction& i = step.instruction;
  return std::min(step.wavefronts, fewest_wavefronts(i.lanes, i.width, !reads(i.kind)));
}

std::int64_t bytes_of(const Step& step) {
  return std::int64_t(std::popcount(step.instruction.lanes)) * step.instruction.width;
}

std::int64_t fewest_sectors_of(const Step& step) {
  return std::min<std::int64_t>(step.sectors, (bytes_of(step) + 31) / 32);
}

std::vector<HeadFigure> shared_figures(const Step& step, const std::string& counts) {
  const int fewest = fewest_wavefronts_of(step);
  return {{number_text(step.wavefronts), step.wavefronts == 1 ? tr("wavefront") : tr("wavefronts"),
           tr("shared memory"), counts, step.wavefronts > fewest},
          {number_text(fewest), tr("would do"), tr("conflict-free"), "", false}};
}

std::vector<HeadFigure> global_figures(const Step& step, const std::string& counts) {
  const WarpInstruction& i = step.instruction;
  const std::int64_t used = bytes_of(step), fewest = fewest_sectors_of(step);
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
  return is_shared(step) ? shared_figures(step, counts) : global_figures(step, counts);
}

namespace {

// What one access adds to a step's figure; nothing for a name that has no sum.
std::optional<std::int64_t> summand(const Step& part, std::string_view name) {
  const bool global = !part.barrier && !is_shared(part), shared = !part.barrier && is_shared(part);
  if (name == "sectors") return global ? part.sectors : 0;
  if (name == "fewest_sectors") return global ? fewest_sectors_of(part) : 0;
  if (name == "wavefronts") return shared ? part.wavefronts : 0;
  if (name == "fewest_wavefronts") return shared ? fewest_wavefronts_of(part) : 0;
  if (name == "bytes") return part.barrier ? 0 : bytes_of(part);
  if (name == "accesses") return part.barrier ? 0 : 1;
  return {};
}

}  // namespace

std::optional<double> access_figure(const AccessAxis& axis, int step, std::int64_t followed_warp,
                                    std::string_view name) {
  constexpr std::string_view kOfWarp = "warp.";
  const Step* at = axis.at(step);
  if (!at) return {};
  const bool of_warp = name.starts_with(kOfWarp);
  if (of_warp) name.remove_prefix(kOfWarp.size());
  std::optional<std::int64_t> sum;
  for (const Step& part : axis.parts_of(step)) {
    const auto more = summand(part, name);
    if (!more) break;
    const bool counted = !of_warp || std::int64_t(part.instruction.warp) == followed_warp;
    sum = sum.value_or(0) + (counted ? *more : 0);
  }
  if (of_warp && !sum) return {};
  if (sum) return double(*sum);
  if (name == "lanes") return at->barrier ? 0 : std::popcount(at->instruction.lanes);
  if (name == "line") return at->instruction.line;
  if (name == "warp") return at->instruction.warp;
  if (name == "wavefront" && at->wavefront >= 0) return at->wavefront + 1;
  return {};
}

std::string LabScene::step_figure_names() const {
  const bool accesses = dynamic_cast<const AccessAxis*>(&axis()) != nullptr;
  return accesses
             ? "sectors, fewest_sectors, wavefronts, fewest_wavefronts, bytes, accesses, lanes, line, warp"
             : "";
}

std::optional<double> LabScene::step_figure(std::string_view name, const LabView& view) const {
  const auto* accesses = dynamic_cast<const AccessAxis*>(&axis());
  return accesses ? access_figure(*accesses, view.step, view.warp, name) : std::nullopt;
}

}  // namespace lockstep
