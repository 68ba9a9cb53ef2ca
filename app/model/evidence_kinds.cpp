// The one table of kinds of evidence.
#include "curves_evidence.hpp"
#include "device_evidence.hpp"
#include "measured_evidence.hpp"
#include "memory_evidence.hpp"
#include "occupancy_evidence.hpp"
#include "pipeline_evidence.hpp"
#include "placement_evidence.hpp"
#include "ranges_record.hpp"
#include "sm_evidence.hpp"
#include "step_times.hpp"
#include "stopwatch.hpp"
#include "transfer_evidence.hpp"

namespace lockstep {

std::span<const EvidenceKind* const> evidence_kinds() {
  static constexpr const EvidenceKind* kKinds[] = {
      &MemoryEvidence::kind,    &MeasuredEvidence::kind,  &CompiledEvidence::kind,  &CountedEvidence::kind,
      &LibrariesEvidence::kind, &DriverEvidence::kind,    &OccupancyEvidence::kind, &SmEvidence::kind,
      &PipelineEvidence::kind,  &StopwatchEvidence::kind, &CurvesEvidence::kind,    &PlacementEvidence::kind,
      &DeviceEvidence::kind,    &RangesEvidence::kind,    &TransferEvidence::kind,  &StepTimesEvidence::kind,
  };
  return kKinds;
}

}  // namespace lockstep
