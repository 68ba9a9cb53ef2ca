#include "evidence.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {

bool EvidenceGroup::owns(std::string_view figure) const {
  const std::string_view own = name;
  return figure.starts_with(own) && (figure.size() == own.size() || figure[own.size()] == '.');
}

bool EvidenceKind::owns(std::string_view figure) const {
  return std::any_of(groups.begin(), groups.end(),
                     [&](const EvidenceGroup& group) { return group.owns(figure); });
}

Evidence::Evidence(Metrics flat) : flat_(std::move(flat)) {
  for (const EvidenceKind* kind : evidence_kinds()) read(*kind);
}

void Evidence::merge(const Metrics& figures) {
  for (const auto& [name, value] : figures) flat_[name] = value;
  for (const EvidenceKind* kind : evidence_kinds())
    if (std::any_of(figures.begin(), figures.end(), [&](const auto& f) { return kind->owns(f.first); }))
      read(*kind);
}

Metrics Evidence::of(const EvidenceKind& kind) const {
  Metrics own;
  for (const auto& [name, value] : flat_)
    if (kind.owns(name)) own.insert(own.end(), {name, value});
  return own;
}

void Evidence::replace(const EvidenceKind& kind, const Metrics& figures) {
  std::erase_if(flat_, [&](const auto& figure) { return kind.owns(figure.first); });
  for (const auto& [name, value] : figures) flat_[name] = value;
  read(kind);
}

std::shared_ptr<const void> Evidence::find(const EvidenceKind& kind) const {
  const auto at = records_.find(&kind);
  return at == records_.end() ? nullptr : at->second;
}

void Evidence::read(const EvidenceKind& kind) {
  const Metrics own = of(kind);
  if (auto record = own.empty() ? nullptr : kind.read(own))
    records_[&kind] = std::move(record);
  else
    records_.erase(&kind);
}

std::optional<double> finite_figure(const Metrics& flat, const std::string& name) {
  const double* number = figure<double>(flat, name);
  return number && std::isfinite(*number) ? std::optional(*number) : std::nullopt;
}

Metrics figures_of(const Metrics& flat, const EvidenceGroup& group) {
  Metrics found;
  for (const auto& [name, value] : flat)
    if (group.owns(name)) found.insert(found.end(), {name, value});
  return found;
}

Metrics figures_below(const Metrics& flat, const std::string& group) {
  Metrics found;
  const std::string prefix = group + ".";
  for (auto at = flat.lower_bound(prefix); at != flat.end() && at->first.starts_with(prefix); ++at)
    found.insert(found.end(), {at->first.substr(prefix.size()), at->second});
  return found;
}

}  // namespace lockstep
