#include "scene.hpp"

#include <algorithm>

#include "app/draw/language.hpp"
#include "app/labs/story.hpp"
#include "app/model/curves_evidence.hpp"
#include "kernels/coalescing/places.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

constexpr double kMostValues = 64;  // of a parameter whose curve the indices themselves give

const Parameter* parameter_named(const LabInfo& lab, std::string_view name) {
  const auto at = std::find_if(lab.parameters.begin(), lab.parameters.end(),
                               [&](const Parameter& p) { return p.name == name; });
  return at == lab.parameters.end() ? nullptr : &*at;
}

std::vector<std::int64_t> values_of(const Parameter& p) {
  std::vector<std::int64_t> all;
  for (const std::string& choice : p.choices) all.push_back(std::stoll(choice));
  if (!all.empty() || p.max - p.min > kMostValues) return all;
  for (auto x = std::int64_t(p.min); x <= std::int64_t(p.max); ++x) all.push_back(x);
  return all;
}

std::vector<PlotPoint> sector_points(const LabInfo& lab, const Run& run, const Parameter& p,
                                     const Params& held) {
  std::vector<PlotPoint> points;
  for (const std::int64_t x : values_of(p)) {
    Params params = run.request.params;
    for (const auto& [name, value] : held) params[name] = value;
    params[p.name] = x;
    const auto complete = complete_params(lab, run.request.rung, params);
    if (!complete) continue;
    if (const double sectors = coalescing::sectors_per_load(run.request.rung, *complete); sectors > 0)
      points.push_back({double(x), sectors, ""});
  }
  return points;
}

std::vector<PlotPoint> recorded_points(const Run& run, const std::string& parameter,
                                       std::string_view quantity) {
  std::vector<PlotPoint> points;
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  const auto* curve =
      recorded ? recorded->find({run.request.rung, parameter, std::string(quantity)}) : nullptr;
  if (curve)
    for (const auto& [x, y] : *curve) points.push_back({double(x), y, ""});
  return points;
}

}  // namespace

GlobalAccess access_of(const WarpInstruction& instruction) {
  return {instruction.lanes, instruction.offset, instruction.width};
}

std::string view_name(const Run& run, const Step& step) {
  const ViewInfo* view = run.launches.at(std::size_t(step.launch)).view(step.instruction.view);
  return view ? view->name : "?";
}

namespace {

CostCurve cost_curve(const LabInfo& lab, const Run& run, const Parameter& parameter,
                     const coalescing::CurveAxis& axis) {
  CostCurve curve;
  curve.parameter = parameter;
  for (const auto& [name, value] : axis.held)
    if (const Parameter* held = parameter_named(lab, name))
      curve.held = tr(title_of(*held)) + " = " + to_string(value);
  if (coalescing::lies_on(run.request.params, axis))
    curve.here = double(coalescing::setting(run.request.params, axis.parameter, 0));
  curve.sectors = sector_points(lab, run, parameter, axis.held);
  curve.gb_per_s = recorded_points(run, axis.parameter, "gb_per_s");
  if (curve.sectors.empty()) {
    curve.sectors = recorded_points(run, axis.parameter, "sectors_per_request");
    curve.sectors_are_recorded = true;
  }
  return curve;
}

}  // namespace

// A stranger's settings have none.
std::vector<CostCurve> cost_curves(const Run& run) {
  const LabInfo& lab = find_ladder("coalescing")->info;
  std::vector<CostCurve> all;
  if (!complete_params(lab, run.request.rung, run.request.params)) return all;
  for (const coalescing::CurveAxis& axis : coalescing::curve_axes(run.request.rung))
    if (const Parameter* parameter = parameter_named(lab, axis.parameter))
      if (CostCurve curve = cost_curve(lab, run, *parameter, axis);
          !curve.sectors.empty() || !curve.gb_per_s.empty())
        all.push_back(std::move(curve));
  return all;
}

}  // namespace lockstep
