// Where the blocks of a run's settings go: by the model, and as each device was recorded with them.
#pragma once
#include <map>

#include "evidence.hpp"
#include "placement.hpp"

namespace lockstep {

struct PlacementEvidence {
  static const EvidenceKind kind;  // "placed.first_wave", …; "seen.H200.places", "seen.H200.groups"
  static std::optional<PlacementEvidence> read(const Metrics& flat);
  Metrics flat() const;
  // The model's, of the chosen device.
  std::optional<std::string> device;  // its word: "H200"
  std::optional<std::int64_t> first_wave, most_at_once, most_on_one_sm, waves, sms;
  std::optional<double> span_us, tail_us, busy;
  struct Seen {
    std::string text;  // placement_text()
    Placement placement;
  };
  std::map<std::string, Seen> seen;  // by the device's word
  // SMs that share a GPC, as far as clusters told on that device.
  std::map<std::string, std::vector<std::vector<int>>> groups;
};

}  // namespace lockstep
