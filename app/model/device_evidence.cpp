#include "device_evidence.hpp"

#include "figure_fields.hpp"

namespace lockstep {

const EvidenceKind DeviceEvidence::kind{"device", {{"api"}}, read_record<DeviceEvidence>};

std::optional<DeviceEvidence> DeviceEvidence::read(const Metrics& flat) {
  DeviceEvidence device;
  for (const auto& [name, value] : figures_below(flat, "api"))
    if (const auto* number = std::get_if<std::int64_t>(&value)) device.attributes[name] = *number;
  return device;
}

Metrics DeviceEvidence::flat() const {
  Metrics flat;
  for (const auto& [name, value] : attributes) flat["api." + name] = value;
  return flat;
}

}  // namespace lockstep
