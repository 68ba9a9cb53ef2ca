#include "curves_evidence.hpp"

#include <charconv>
#include <cmath>

#include "figure_fields.hpp"

namespace lockstep {

const EvidenceKind CurvesEvidence::kind{"curves", {{"curve"}}, read_record<CurvesEvidence>};

namespace {

// "strided.stride_8.gb_per_s": rung, setting and its value, quantity.
void read_point(CurvesEvidence& evidence, const std::string& name, double y) {
  const std::size_t dot = name.find('.'), next = name.find('.', dot == name.npos ? dot : dot + 1);
  if (dot == name.npos) return;
  const std::string place = name.substr(dot + 1, next == name.npos ? next : next - dot - 1);
  const std::size_t line = place.rfind('_');
  if (line == place.npos) return;
  std::int64_t x = 0;
  const char *begin = place.data() + line + 1, *end = place.data() + place.size();
  const auto [stop, error] = std::from_chars(begin, end, x);
  if (error != std::errc{} || stop != end || place.substr(line + 1) != std::to_string(x)) return;
  const std::string quantity = next == name.npos ? "" : name.substr(next + 1);
  evidence.curves[{name.substr(0, dot), place.substr(0, line), quantity}][x] = y;
}

}  // namespace

std::optional<CurvesEvidence> CurvesEvidence::read(const Metrics& flat) {
  CurvesEvidence evidence;
  for (const auto& [name, value] : figures_below(flat, "curve"))
    if (const auto* y = std::get_if<double>(&value); y && std::isfinite(*y)) read_point(evidence, name, *y);
  return evidence;
}

Metrics CurvesEvidence::flat() const {
  Metrics flat;
  for (const auto& [name, points] : curves)
    for (const auto& [x, y] : points)
      flat["curve." + name.rung + "." + name.setting + "_" + std::to_string(x) +
           (name.quantity.empty() ? "" : "." + name.quantity)] = y;
  return flat;
}

const std::map<std::int64_t, double>* CurvesEvidence::find(const CurveName& name) const {
  const auto at = curves.find(name);
  return at == curves.end() ? nullptr : &at->second;
}

}  // namespace lockstep
