// What the recordings of a lab on one device say together: a number over a setting, rung by rung.
#pragma once
#include <optional>
#include <tuple>

#include "evidence.hpp"

namespace lockstep {

struct CurveName {
  std::string rung;
  std::string setting;   // what it is over: "warps"
  std::string quantity;  // "gb_per_s"; "" where the setting has one curve
  bool operator==(const CurveName&) const = default;
  bool operator<(const CurveName& other) const {  // not every library compares texts by <=>
    return std::tie(rung, setting, quantity) < std::tie(other.rung, other.setting, other.quantity);
  }
};

struct CurvesEvidence {
  static const EvidenceKind kind;  // "curve.stream.warps_16", "curve.strided.stride_8.gb_per_s"
  static std::optional<CurvesEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::map<CurveName, std::map<std::int64_t, double>> curves;
  // nullptr where there is none.
  const std::map<std::int64_t, double>* find(const CurveName& name) const;
};

}  // namespace lockstep
