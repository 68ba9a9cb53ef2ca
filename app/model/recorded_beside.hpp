// A GPU's recorded evidence beside another engine's answer at the same settings.
#pragma once
#include "run.hpp"

namespace lockstep {

Provenance recorded_as(const Run& run);  // "recorded: NVIDIA H200, 2026-11-21"
// Whether the run tells of anything that only a GPU can: a time, a clock's cycles, what was seen of launches.
bool holds_measurement(const Run& run);
// Leaves out all of a kind, and where it came from.
void forget(Run& run, const EvidenceKind& kind);
// Leaves out every figure that another run was recorded with: a recording holds its own alone.
void forget_recorded(Run& run);
// Takes over what its kind says (EvidenceKind::beside), each figure with its provenance.
void take_recorded(Run& run, const Run& recorded);

}  // namespace lockstep
