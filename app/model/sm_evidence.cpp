#include "sm_evidence.hpp"

#include "figure_fields.hpp"
#include "traced_program.hpp"

namespace lockstep {

const EvidenceKind SmEvidence::kind{
    "sm", {{"model", true}, {"recorded"}, {"played", true}}, read_record<SmEvidence>};

namespace {

constexpr FigureField<SmEvidence> kSmFields[] = {{"model.cycles", &SmEvidence::cycles},
                                                 {"model.ipc", &SmEvidence::ipc},
                                                 {"model.issue_slots_used", &SmEvidence::issue_slots_used},
                                                 {"model.eligible_warps", &SmEvidence::eligible_warps},
                                                 {"model.error", &SmEvidence::error},
                                                 {"recorded.cycles", &SmEvidence::recorded_cycles}};
constexpr FigureField<PlayedKernel> kPlayed[] = {
    {"played.rung", &PlayedKernel::rung},
    {"played.program", &PlayedKernel::text},
    {"played.warps", &PlayedKernel::warps},
    {"played.warps_per_block", &PlayedKernel::warps_per_block},
    {"played.most_warps", &PlayedKernel::most_warps},
    {"played.traced_instructions", &PlayedKernel::traced_instructions},
    {"played.taken_instructions", &PlayedKernel::taken_instructions},
    {"played.fmas", &PlayedKernel::fmas}};

std::string stall_name(int state) { return std::string("model.stalls.") + name_of(WarpState(state)); }

}  // namespace

std::optional<SmEvidence> SmEvidence::read(const Metrics& flat) {
  SmEvidence sm;
  read_fields(sm, kSmFields, flat);
  read_fields(sm.played, kPlayed, flat);
  for (int s = 0; s < kWarpStates; ++s)
    if (const auto* share = figure<double>(flat, stall_name(s))) sm.stalls[std::size_t(s)] = *share;
  if (sm.played.text) sm.played.program = read_program(*sm.played.text);
  return sm;
}

Metrics SmEvidence::flat() const {
  Metrics flat;
  write_fields(*this, kSmFields, flat);
  write_fields(played, kPlayed, flat);
  for (int s = 0; s < kWarpStates; ++s)
    if (const auto share = stalls[std::size_t(s)]) flat[stall_name(s)] = *share;
  return flat;
}

}  // namespace lockstep
