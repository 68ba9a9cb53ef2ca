#include "occupancy_evidence.hpp"

#include "figure_fields.hpp"

namespace lockstep {

const EvidenceKind DriverEvidence::kind{"driver", {{"driver"}}, read_record<DriverEvidence>, Beside::taken};
const EvidenceKind OccupancyEvidence::kind{
    "occupancy", {{"next", true}, {"loaded"}}, read_record<OccupancyEvidence>};

namespace {

constexpr FigureField<DriverEvidence> kDriver[] = {
    {"driver.registers", &DriverEvidence::registers},
    {"driver.shared_bytes", &DriverEvidence::shared_bytes},
    {"driver.blocks_per_sm", &DriverEvidence::blocks_per_sm},
    {"driver.warps_per_sm", &DriverEvidence::warps_per_sm},
};
constexpr FigureField<LoadedKernel> kLoaded[] = {{"loaded.threads", &LoadedKernel::threads},
                                                 {"loaded.registers", &LoadedKernel::registers},
                                                 {"loaded.shared_bytes", &LoadedKernel::shared_bytes}};
constexpr FigureField<NextBlocks> kNext[] = {{".fewer", &NextBlocks::fewer},
                                             {".fewer_blocks", &NextBlocks::fewer_blocks},
                                             {".more", &NextBlocks::more},
                                             {".more_blocks", &NextBlocks::more_blocks}};
struct NextMember {
  const char* name;
  NextBlocks OccupancyEvidence::*member;
};
constexpr NextMember kNextMembers[] = {{"next.threads", &OccupancyEvidence::threads},
                                       {"next.registers", &OccupancyEvidence::registers},
                                       {"next.shared_bytes", &OccupancyEvidence::shared_bytes}};

}  // namespace

std::optional<DriverEvidence> DriverEvidence::read(const Metrics& flat) {
  DriverEvidence driver;
  read_fields(driver, kDriver, flat);
  return driver;
}

Metrics DriverEvidence::flat() const {
  Metrics flat;
  write_fields(*this, kDriver, flat);
  return flat;
}

NextBlocks next_blocks(const NextStep& step) {
  NextBlocks next;
  if (step.fewer) next.fewer = step.fewer->value, next.fewer_blocks = step.fewer->blocks;
  if (step.more) next.more = step.more->value, next.more_blocks = step.more->blocks;
  return next;
}

std::optional<OccupancyEvidence> OccupancyEvidence::read(const Metrics& flat) {
  OccupancyEvidence evidence;
  read_fields(evidence.loaded, kLoaded, flat);
  for (const NextMember& next : kNextMembers) read_fields(evidence.*next.member, kNext, flat, next.name);
  return evidence;
}

Metrics OccupancyEvidence::flat() const {
  Metrics flat;
  write_fields(loaded, kLoaded, flat);
  for (const NextMember& next : kNextMembers) write_fields(this->*next.member, kNext, flat, next.name);
  return flat;
}

}  // namespace lockstep
