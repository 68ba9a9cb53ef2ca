#include "known_devices.hpp"

#include <algorithm>

#include "app/model/device_evidence.hpp"
#include "app/model/recorded_beside.hpp"
#include "kernels/experiments.hpp"
#ifdef LOCKSTEP_HAS_CUDA
#include "kernels/cuda/device_attributes.hpp"
#endif

namespace lockstep {
namespace {

// Those whose runs measure where blocks go keep what the driver said.
void add_recorded(Engine& recording, std::vector<KnownDevice>& known) {
  for (const Ladder* ladder : ladders()) {
    if (!plan_of<PlacementPlan>(*ladder)) continue;
    for (const RungInfo& rung : ladder->info.rungs)
      for (const Run& run : recording.recorded_everywhere(ladder->info.slug, rung.slug)) {
        const auto* said = run.evidence.find<DeviceEvidence>();
        const bool had = std::any_of(known.begin(), known.end(), [&](const KnownDevice& one) {
          return one.device.name == run.device.name;
        });
        if (said && !said->attributes.empty() && !had)
          known.push_back({run.device, said->attributes, recorded_as(run)});
      }
  }
}

}  // namespace

std::vector<KnownDevice> known_devices(const Engines& engines) {
  std::vector<KnownDevice> known;
#ifdef LOCKSTEP_HAS_CUDA
  if (engines.cuda)
    if (const Engine::Health health = engines.cuda->health(); health.ok) {
      known.push_back({health.device, cuda::device_attributes(), Provenance::measured()});
      return known;
    }
#endif
  if (engines.recording) add_recorded(*engines.recording, known);
  return known;
}

}  // namespace lockstep
