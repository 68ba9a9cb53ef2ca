#include "memory_evidence.hpp"

#include "figure_fields.hpp"

namespace lockstep {
namespace {

constexpr FigureField<MemoryEvidence> kMemoryFields[] = {
    {"accesses", &MemoryEvidence::accesses},
    {"models.l2_load_bytes", &MemoryEvidence::l2_load_bytes},
    {"models.l2_store_bytes", &MemoryEvidence::l2_store_bytes},
    {"models.hbm_load_bytes", &MemoryEvidence::hbm_load_bytes},
    {"models.hbm_store_bytes", &MemoryEvidence::hbm_store_bytes}};

std::vector<EvidenceGroup> groups() {
  std::vector<EvidenceGroup> all;
  for (const auto& field : kMemoryFields) all.push_back({field.name, field.name != kMemoryFields[0].name});
  return all;
}

}  // namespace

const EvidenceKind MemoryEvidence::kind{"memory", groups(), read_record<MemoryEvidence>};

std::optional<MemoryEvidence> MemoryEvidence::read(const Metrics& flat) {
  MemoryEvidence memory;
  read_fields(memory, kMemoryFields, flat);
  return memory;
}

Metrics MemoryEvidence::flat() const {
  Metrics flat;
  write_fields(*this, kMemoryFields, flat);
  return flat;
}

}  // namespace lockstep
