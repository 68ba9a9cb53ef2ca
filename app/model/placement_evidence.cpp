#include "placement_evidence.hpp"

#include "figure_fields.hpp"

namespace lockstep {

const EvidenceKind PlacementEvidence::kind{
    "placement", {{"placed", true}, {"seen"}}, read_record<PlacementEvidence>};

namespace {

constexpr FigureField<PlacementEvidence> kFields[] = {
    {"placed.device", &PlacementEvidence::device},
    {"placed.first_wave", &PlacementEvidence::first_wave},
    {"placed.most_at_once", &PlacementEvidence::most_at_once},
    {"placed.most_on_one_sm", &PlacementEvidence::most_on_one_sm},
    {"placed.waves", &PlacementEvidence::waves},
    {"placed.sms", &PlacementEvidence::sms},
    {"placed.span_us", &PlacementEvidence::span_us},
    {"placed.tail_us", &PlacementEvidence::tail_us},
    {"placed.busy", &PlacementEvidence::busy},
};
constexpr std::string_view kPlaces = ".places", kGroups = ".groups";

std::string device_of(const std::string& name, std::string_view suffix) {
  return name.substr(0, name.size() - suffix.size());
}

}  // namespace

std::optional<PlacementEvidence> PlacementEvidence::read(const Metrics& flat) {
  PlacementEvidence evidence;
  read_fields(evidence, kFields, flat);
  for (const auto& [name, value] : figures_below(flat, "seen")) {
    const auto* text = std::get_if<std::string>(&value);
    if (!text) continue;
    if (name.ends_with(kGroups))
      if (auto groups = read_groups(*text)) evidence.groups[device_of(name, kGroups)] = std::move(*groups);
    if (name.ends_with(kPlaces))
      if (auto placement = read_placement(*text))
        evidence.seen[device_of(name, kPlaces)] = {*text, std::move(*placement)};
  }
  return evidence;
}

Metrics PlacementEvidence::flat() const {
  Metrics flat;
  write_fields(*this, kFields, flat);
  for (const auto& [device, one] : seen) flat["seen." + device + std::string(kPlaces)] = one.text;
  for (const auto& [device, one] : groups) flat["seen." + device + std::string(kGroups)] = groups_text(one);
  return flat;
}

}  // namespace lockstep
