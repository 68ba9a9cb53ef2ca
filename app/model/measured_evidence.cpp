#include "measured_evidence.hpp"

#include <cmath>

#include "figure_fields.hpp"

namespace lockstep {

const EvidenceKind MeasuredEvidence::kind{
    "measured", {{"measured"}}, read_record<MeasuredEvidence>, Beside::taken, true};
const EvidenceKind CompiledEvidence::kind{
    "compiled", {{"compiled"}}, read_record<CompiledEvidence>, Beside::taken};
const EvidenceKind CountedEvidence::kind{"counted", {{"counted"}}, read_record<CountedEvidence>};
const EvidenceKind LibrariesEvidence::kind{"libraries", {{"libraries"}}, read_record<LibrariesEvidence>};

namespace {

constexpr FigureField<MeasuredFigure> kBesideIt[] = {{"_min", &MeasuredFigure::min},
                                                     {"_max", &MeasuredFigure::max},
                                                     {"_p95", &MeasuredFigure::p95},
                                                     {"_text", &MeasuredFigure::text}};

// "cycles" for "cycles_min" where there are cycles.
bool stands_beside_another(const Metrics& figures, const std::string& name) {
  for (const auto& field : kBesideIt)
    if (name.ends_with(field.name) &&
        figures.contains(name.substr(0, name.size() - std::string(field.name).size())))
      return true;
  return false;
}

constexpr const char* kMs = "_ms";

std::map<std::string, std::int64_t> counts_below(const Metrics& flat, const std::string& group) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [name, value] : figures_below(flat, group))
    if (const auto* count = std::get_if<std::int64_t>(&value)) counts[name] = *count;
  return counts;
}

Metrics flat_counts(const std::map<std::string, std::int64_t>& counts, const std::string& group) {
  Metrics flat;
  for (const auto& [name, count] : counts) flat[group + "." + name] = count;
  return flat;
}

}  // namespace

std::optional<MeasuredEvidence> MeasuredEvidence::read(const Metrics& flat) {
  MeasuredEvidence measured;
  const Metrics own = figures_below(flat, "measured");
  for (const auto& [name, value] : own) {
    if (stands_beside_another(own, name)) continue;
    MeasuredFigure& figure = measured.figures[name];
    figure.value = value;
    read_fields(figure, kBesideIt, own, name);
  }
  return measured;
}

Metrics MeasuredEvidence::flat() const {
  Metrics flat;
  for (const auto& [name, figure] : figures) {
    flat["measured." + name] = figure.value;
    write_fields(figure, kBesideIt, flat, "measured." + name);
  }
  return flat;
}

std::optional<double> MeasuredEvidence::real(const std::string& name) const {
  const auto at = figures.find(name);
  const auto* value = at == figures.end() ? nullptr : std::get_if<double>(&at->second.value);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<CompiledEvidence> CompiledEvidence::read(const Metrics& flat) {
  return CompiledEvidence{counts_below(flat, kind.name)};
}

Metrics CompiledEvidence::flat() const { return flat_counts(counts, kind.name); }

std::optional<CountedEvidence> CountedEvidence::read(const Metrics& flat) {
  return CountedEvidence{counts_below(flat, kind.name)};
}

Metrics CountedEvidence::flat() const { return flat_counts(counts, kind.name); }

std::optional<LibrariesEvidence> LibrariesEvidence::read(const Metrics& flat) {
  LibrariesEvidence libraries;
  for (const auto& [name, value] : figures_below(flat, "libraries"))
    if (const auto* ms = std::get_if<double>(&value); ms && std::isfinite(*ms) && name.ends_with(kMs))
      libraries.ms[name.substr(0, name.size() - 3)] = *ms;
  return libraries;
}

Metrics LibrariesEvidence::flat() const {
  Metrics flat;
  for (const auto& [slug, time] : ms) flat["libraries." + slug + kMs] = time;
  return flat;
}

}  // namespace lockstep
