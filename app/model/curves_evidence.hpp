// What the recordings of a lab on one device say together: a number over a setting, rung by rung.
#pragma once
#include <compare>
#include <optional>

#include "evidence.hpp"

namespace lockstep {

struct CurveName {
  std::string rung;
  std::string setting;   // what it is over: "warps"
  std::string quantity;  // "gb_per_s"; "" where the setting has one curve
  auto operator<=>(const CurveName&) const = default;
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
