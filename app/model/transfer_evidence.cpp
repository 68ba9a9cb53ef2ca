#include "transfer_evidence.hpp"

#include "figure_fields.hpp"

namespace lockstep {

const EvidenceKind TransferEvidence::kind{"operations",
                                          {{"operations"}, {"models.operations", true}},
                                          read_record<TransferEvidence>,
                                          Beside::taken,
                                          true};

namespace {

constexpr FigureField<SpreadUs> kSpread[] = {
    {"_us", &SpreadUs::median}, {"_min_us", &SpreadUs::min}, {"_max_us", &SpreadUs::max}};
constexpr FigureField<TransferEvidence> kOthers[] = {
    {"operations.clock_error_us", &TransferEvidence::clock_error_us},
    {"operations.rounds", &TransferEvidence::rounds}};

std::optional<PipelineRecord> read_record_text(const Metrics& flat, const std::string& name,
                                               std::size_t operations) {
  const auto* text = figure<std::string>(flat, name);
  if (!text || operations == 0) return {};
  auto record = parse_pipeline_record(*text);
  if (!record || !is_of(*record, operations) || record->kernels.size() != operations) return {};
  return std::move(*record);
}

// Beside a record what follows from it.
void write_record(Metrics& flat, const std::string& name, const std::optional<PipelineRecord>& record) {
  if (!record) return;
  flat[name + ".record"] = to_text(*record);
  flat[name + ".busy_us"] = busy_us(*record), flat[name + ".span_us"] = span_us(*record);
  flat[name + ".saved"] = saved_by_overlap(*record);
}

}  // namespace

std::optional<TransferEvidence> TransferEvidence::read(const Metrics& flat) {
  TransferEvidence evidence;
  if (const auto* text = figure<std::string>(flat, "models.operations.list.record"))
    if (auto operations = parse_operations(*text)) evidence.operations = std::move(*operations);
  evidence.record = read_record_text(flat, "operations.record", evidence.operations.size());
  if (evidence.record) evidence.record = in_turn(std::move(*evidence.record), evidence.operations);
  evidence.modelled = read_record_text(flat, "models.operations.record", evidence.operations.size());
  read_fields(evidence.total, kSpread, flat, "operations.total");
  read_fields(evidence.plain, kSpread, flat, "operations.plain");
  read_fields(evidence, kOthers, flat);
  return evidence;
}

Metrics TransferEvidence::flat() const {
  Metrics flat;
  if (!operations.empty()) flat["models.operations.list.record"] = to_text(operations);
  write_record(flat, "operations", record), write_record(flat, "models.operations", modelled);
  if (modelled) flat["models.operations.total_us"] = modelled->total_us();
  write_fields(total, kSpread, flat, "operations.total");
  write_fields(plain, kSpread, flat, "operations.plain");
  write_fields(*this, kOthers, flat);
  return flat;
}

const PipelineRecord* TransferEvidence::shown() const {
  return record ? &*record : modelled ? &*modelled : nullptr;
}

}  // namespace lockstep
