#include "recorded_beside.hpp"

#include <algorithm>

namespace lockstep {
namespace {

constexpr const char* kAside = ".recorded";
constexpr std::string_view kMetrics = "metrics.";

// "ranges.record" becomes "ranges.recorded.record"; what a recording holds of an earlier one stays there.
Metrics set_aside(const EvidenceGroup& group, const Metrics& theirs) {
  const std::string name = group.name;
  Metrics aside;
  for (const auto& [figure, value] : figures_below(theirs, name))
    if (!figure.starts_with("recorded.")) aside[name + kAside + "." + figure] = value;
  return aside;
}

}  // namespace

Provenance recorded_as(const Run& run) { return Provenance::recorded(run.device.name, run.date); }

bool holds_measurement(const Run& run) {
  const auto kinds = evidence_kinds();
  return run.time || std::any_of(kinds.begin(), kinds.end(), [&](const EvidenceKind* kind) {
           return kind->of_a_gpu && !run.evidence.of(*kind).empty();
         });
}

void forget(Run& run, const EvidenceKind& kind) {
  run.evidence.replace(kind, {});
  std::erase_if(run.provenance, [&](const auto& said) {
    const std::string_view path = said.first;
    return path.starts_with(kMetrics) && kind.owns(path.substr(kMetrics.size()));
  });
}

void forget_recorded(Run& run) {
  Metrics own = run.evidence.flat();
  std::erase_if(run.provenance, [&](const auto& said) {
    const std::string_view path = said.first;
    if (said.second.kind != Provenance::Kind::recorded || !path.starts_with(kMetrics)) return false;
    const std::string name(path.substr(kMetrics.size()));
    std::erase_if(own, [&](const auto& figure) {
      return figure.first == name || figure.first.starts_with(name + '.');
    });
    return true;
  });
  run.evidence = Evidence(std::move(own));
}

void take_recorded(Run& run, const Run& recorded) {
  const Provenance said = recorded_as(recorded),
                   modelled = Provenance::modelled(Provenance::Basis::recorded_costs);
  Metrics taken;
  const auto take = [&](const Metrics& figures, const std::string& path, const Provenance& provenance) {
    if (figures.empty()) return;
    taken.insert(figures.begin(), figures.end());
    run.provenance["metrics." + path] = provenance;
  };
  for (const EvidenceKind* kind : evidence_kinds()) {
    if (kind->beside == Beside::left_out) continue;
    const Metrics theirs = recorded.evidence.of(*kind);
    for (const EvidenceGroup& group : kind->groups)
      if (kind->beside == Beside::aside)
        take(set_aside(group, theirs), group.name + std::string(kAside), said);
      else
        take(figures_of(theirs, group), group.name, group.modelled ? modelled : said);
  }
  run.evidence.merge(taken);
}

}  // namespace lockstep
