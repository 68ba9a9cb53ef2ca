#include "scene.hpp"

#include <algorithm>

#include "app/devices/gpus.hpp"
#include "app/model/curves_evidence.hpp"
#include "app/model/occupancy_evidence.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

// Whether a rung's work is arithmetic, whatever its size.
bool is_product(const Run& run, const std::string& rung) {
  const Ladder* ladder = find_ladder(run.request.lab);
  return ladder && ladder->flops && ladder->flops({}, rung) > 0;
}

std::optional<FilledSm> empty_sm(const Run& run) {
  const Gpu* gpu = occupancy_gpu(run);
  if (!gpu || !run.occupancy) return {};
  FilledSm sm;
  sm.gpu = *gpu;
  sm.needs = {run.occupancy->threads_per_block, run.occupancy->registers, run.occupancy->shared_bytes};
  sm.resident = resident_blocks(*gpu, sm.needs);
  const auto kernel = run.request.params.find("kernel");
  const auto* evidence = run.evidence.find<OccupancyEvidence>();
  if (evidence && evidence->loaded.threads && kernel != run.request.params.end())
    sm.loaded = to_string(kernel->second);
  return sm;
}

std::vector<RateCurve> rate_curves(const Run& run) {
  std::vector<RateCurve> all;
  const Ladder* ladder = find_ladder(run.request.lab);
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  if (!ladder || !recorded) return all;
  for (const RungInfo& rung : ladder->info.rungs) {
    const auto* points = recorded->find({rung.slug, "warps", ""});
    if (!points) continue;
    RateCurve curve{rung.slug, is_product(run, rung.slug), {}};
    for (const auto& [warps, rate] : *points) curve.points.push_back({double(warps), rate, ""});
    all.push_back(std::move(curve));
  }
  return all;
}

// One step per block that is placed, then the one that is refused.
ListAxis blocks_axis(const std::optional<FilledSm>& sm) {
  ListAxis axis;
  const int blocks = sm ? sm->resident.blocks : 0;
  for (int block = 0; block < blocks; ++block) axis.add("block");
  axis.next_phase();
  axis.add("no room");
  return axis;
}

}  // namespace

OccupancyScene::OccupancyScene(std::shared_ptr<const Run> run)
    : LabScene(std::move(run)),
      sm(empty_sm(this->run())),
      product(is_product(this->run(), this->run().request.rung)),
      curves(rate_curves(this->run())),
      steps(blocks_axis(sm)) {}

std::optional<FilledSm> OccupancyScene::sm_at(int step) const {
  if (!sm) return {};
  FilledSm filled = *sm;
  filled.placed = std::clamp(step + 1, 0, sm->resident.blocks);
  filled.refused = step >= sm->resident.blocks;
  return filled;
}

bool OccupancyScene::has_curve(bool of_products) const {
  return std::any_of(curves.begin(), curves.end(),
                     [&](const RateCurve& curve) { return curve.product == of_products; });
}

}  // namespace lockstep
