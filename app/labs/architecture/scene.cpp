#include "scene.hpp"

#include <algorithm>
#include <set>

#include "app/devices/gpus.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/placement_evidence.hpp"
#include "kernels/experiments.hpp"

namespace lockstep {
namespace {

constexpr int kMoments = 120;  // steps: moments of the launch, alike far apart

std::string word_of(const Params& params, const char* name) {
  const auto at = params.find(name);
  return at == params.end() ? "" : to_string(at->second);
}

ShownPlacement shown_of(Placement placement, std::string provenance, bool modelled) {
  ShownPlacement shown;
  shown.seats = seats_of(placement), shown.figures = figures_of(placement);
  shown.provenance = std::move(provenance), shown.modelled = modelled;
  shown.placement = std::move(placement);
  return shown;
}

const PlacementPlan* plan_for(const Run& run) {
  const Ladder* ladder = find_ladder(run.request.lab);
  return ladder ? plan_of<PlacementPlan>(*ladder) : nullptr;
}

std::optional<ShownPlacement> model_of(const Run& run, const Gpu& gpu) {
  const PlacementPlan* plan = plan_for(run);
  const Ladder* ladder = find_ladder(run.request.lab);
  const auto params = ladder ? complete_params(ladder->info, run.request.rung, run.request.params)
                             : Result<Params>(bad_input("no such lab"));
  if (!plan || !params) return {};
  auto placement = plan->modelled(*params, run.request.rung, gpu);
  if (!placement) return {};
  const Provenance& said = provenance_of(run, "metrics.placed");
  return shown_of(std::move(*placement), said.is(Provenance::Kind::modelled) ? said.words() : "modelled",
                  true);
}

// SMs that the device does not have are a damaged file's.
bool fits(const Placement& placement, const Gpu& gpu) {
  return std::all_of(placement.blocks.begin(), placement.blocks.end(),
                     [&](const PlacedBlock& b) { return b.sm < gpu.multiprocessors; });
}

// What this GPU's blocks noted down, else what a recording of the chosen device holds.
std::optional<ShownPlacement> seen_of(const Run& run, const Gpu& gpu) {
  const PlacementPlan* plan = plan_for(run);
  const auto* measured = run.evidence.find<MeasuredEvidence>();
  const Gpu* here = find_gpu(run.device.name);
  if (plan && measured && measured->figures.contains(plan->measured) && run.engine == EngineKind::cuda &&
      (!here || here->word == gpu.word))
    if (auto placement = read_placement(measured->figures.at(plan->measured).text.value_or(""));
        placement && fits(*placement, gpu))
      return shown_of(std::move(*placement), provenance_of(run, "metrics.measured." + plan->measured).words(),
                      false);
  const auto* evidence = run.evidence.find<PlacementEvidence>();
  if (!evidence || !evidence->seen.contains(gpu.word)) return {};
  const Placement& placement = evidence->seen.at(gpu.word).placement;
  if (!fits(placement, gpu)) return {};
  return shown_of(placement, provenance_of(run, "metrics.seen." + gpu.word).words(), false);
}

SmGroups groups_for(const Run& run, const Gpu& gpu, const std::optional<ShownPlacement>& seen) {
  if (run.request.rung == "clusters" && seen) {
    const auto cluster = run.request.params.find("cluster");
    const auto* size =
        cluster == run.request.params.end() ? nullptr : std::get_if<std::int64_t>(&cluster->second);
    if (size) return {groups_of(seen->placement, int(*size)), seen->provenance};
  }
  const auto* evidence = run.evidence.find<PlacementEvidence>();
  if (!evidence || !evidence->groups.contains(gpu.word)) return {};
  return {evidence->groups.at(gpu.word), provenance_of(run, "metrics.seen." + gpu.word + ".groups").words()};
}

ListAxis moments(const ShownPlacement* shown) {
  ListAxis axis;
  if (!shown) {
    axis.add("moment");
    return axis;
  }
  std::int64_t last_begin = 0;
  for (const PlacedBlock& b : shown->placement.blocks) last_begin = std::max(last_begin, b.begin);
  bool tail = false;
  for (int i = 0; i < kMoments; ++i) {
    const std::int64_t ns = shown->figures.span_ns * (2 * i + 1) / (2 * kMoments);
    if (!tail && ns > last_begin && i > 0) axis.next_phase(), tail = true;
    axis.add("moment");
  }
  return axis;
}

Gpu chosen_gpu(const Run& run) {
  if (const Gpu* named = gpu_by_word(word_of(run.request.params, "device"))) return *named;
  if (run.engine == EngineKind::cuda)
    if (const Gpu* here = find_gpu(run.device.name)) return *here;
  const auto* evidence = run.evidence.find<PlacementEvidence>();
  if (evidence && evidence->device)
    if (const Gpu* placed = gpu_by_word(*evidence->device)) return *placed;
  return {};  // an H200
}

}  // namespace

LookedAt looked_at(const Run& run) {
  LookedAt at;
  at.gpu = chosen_gpu(run);
  at.part = part_named(word_of(run.request.params, "part"));
  const auto sm = run.request.params.find("sm");
  if (const auto* number = sm == run.request.params.end() ? nullptr : std::get_if<std::int64_t>(&sm->second))
    if (*number >= 0 && *number < at.gpu.multiprocessors) at.sm = int(*number);
  at.station = station_named(word_of(run.request.params, "way"));
  if (at.part == Part::chip && at.sm >= 0) at.part = Part::sm;
  if (at.part == Part::chip && at.station) at.part = part_with(*at.station);
  return at;
}

ArchitectureScene::ArchitectureScene(std::shared_ptr<const Run> run)
    : LabScene(std::move(run)),
      at(looked_at(this->run())),
      model(model_of(this->run(), at.gpu)),
      seen(seen_of(this->run(), at.gpu)),
      groups(groups_for(this->run(), at.gpu, seen)),
      steps(moments(shown())) {}

std::int64_t ArchitectureScene::ns_at(int step) const {
  if (!shown()) return 0;
  const std::int64_t i = std::clamp(step, 0, steps.count() - 1);
  return shown()->figures.span_ns * (2 * i + 1) / (2 * steps.count());
}

int ArchitectureScene::step_at(double ns) const {
  if (!shown() || shown()->figures.span_ns < 1) return 0;
  return std::clamp(int(ns / double(shown()->figures.span_ns) * steps.count()), 0, steps.count() - 1);
}

std::vector<int> ArchitectureScene::blocks_on(int sm, std::int64_t ns) const {
  std::vector<int> blocks;
  if (!shown()) return blocks;
  const auto& all = shown()->placement.blocks;
  for (std::size_t b = 0; b < all.size(); ++b)
    if (all[b].sm == sm && all[b].at(ns)) blocks.push_back(int(b));
  return blocks;
}

ArchitectureScene::Moment ArchitectureScene::moment_at(std::int64_t ns) const {
  Moment m;
  if (!shown()) return m;
  std::set<int> busy;
  for (const PlacedBlock& b : shown()->placement.blocks) {
    m.waiting += b.begin > ns, m.done += b.end <= ns;
    if (b.at(ns)) ++m.running, busy.insert(b.sm);
  }
  m.busy_sms = std::int64_t(busy.size());
  return m;
}

std::optional<Timeline> ArchitectureScene::timeline() const {
  if (!shown()) return {};
  Timeline timeline;
  std::vector<std::vector<std::size_t>> of_sm(std::size_t(at.gpu.multiprocessors));
  for (std::size_t b = 0; b < shown()->placement.blocks.size(); ++b)
    of_sm[std::size_t(shown()->placement.blocks[b].sm)].push_back(b);
  for (std::size_t sm = 0; sm < of_sm.size(); ++sm) {
    TimelineLane& lane = timeline.add_lane("SM " + std::to_string(sm));
    for (const std::size_t b : of_sm[sm]) {
      const PlacedBlock& block = shown()->placement.blocks[b];
      timeline.add(lane, "block " + std::to_string(b), block.begin, block.end,
                   std::uint16_t(shown()->seats[b].wave));
    }
  }
  timeline.nest();
  return timeline;
}

}  // namespace lockstep
