// What the threads of a run touched, and what the cache models make of it.
#pragma once
#include <optional>

#include "evidence.hpp"

namespace lockstep {

struct MemoryEvidence {
  static const EvidenceKind kind;  // "accesses", "models.l2_load_bytes", …
  static std::optional<MemoryEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::optional<std::int64_t> accesses;                         // by threads, of the whole grid
  std::optional<std::int64_t> l2_load_bytes, l2_store_bytes;    // between L1 and L2
  std::optional<std::int64_t> hbm_load_bytes, hbm_store_bytes;  // between L2 and HBM
};

}  // namespace lockstep
