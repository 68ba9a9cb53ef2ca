// What a GPU was seen to do with a row of copies and kernels, and what the model says of the same row.
#pragma once
#include <optional>

#include "evidence.hpp"
#include "pipeline_evidence.hpp"
#include "transfer.hpp"

namespace lockstep {

struct TransferEvidence {
  static const EvidenceKind
      kind;  // "operations.record", "operations.plain_us", "models.operations.total_us", …
  static std::optional<TransferEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::vector<Operation> operations;  // of both; none where the text is damaged
  std::optional<PipelineRecord>
      record;      // of the measured run whose total is the median, a span per operation
  SpreadUs total;  // with an event around each operation
  SpreadUs plain;  // the same calls without
  std::optional<double> clock_error_us;  // of the GPU's times against the CPU's, +-
  std::optional<std::int64_t> rounds;    // that made the kernels as long as they were to be
  std::optional<PipelineRecord> modelled;

  // The one that is shown, if any: the GPU's where there is one.
  const PipelineRecord* shown() const;
};

}  // namespace lockstep
