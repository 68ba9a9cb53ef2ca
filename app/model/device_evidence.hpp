// What a device's driver said of it when a run was measured there.
#pragma once
#include "evidence.hpp"

namespace lockstep {

struct DeviceEvidence {
  static const EvidenceKind kind;  // "api.L2CacheSize", …
  static std::optional<DeviceEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::map<std::string, std::int64_t> attributes;  // by CUDA's names
};

}  // namespace lockstep
