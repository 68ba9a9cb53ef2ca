#include "shared_views.hpp"

#include <algorithm>

namespace lockstep::simt {

bool SharedViews::taken(std::uint16_t id) const {
  return std::any_of(places_.begin(), places_.end(), [&](const Place& p) { return p.id == id; });
}

std::uint16_t SharedViews::id_of(std::uint16_t file, int line) {
  for (const Place& p : places_)
    if (p.file == file && p.line == line) return p.id;
  auto id = std::uint16_t(kFirstSharedView + line);
  if (taken(id)) {
    id = kZeros - 1;
    while (taken(id)) --id;
  }
  places_.push_back({file, id, line});
  return id;
}

std::vector<SharedViews::Place> SharedViews::renamed() const {
  std::vector<Place> all = places_;
  std::erase_if(all, [](const Place& p) { return p.id == kFirstSharedView + p.line; });
  return all;
}

void SharedViews::describe(const SharedDeclaration& d) {
  if (std::any_of(described_.begin(), described_.end(), [&](const ViewInfo& v) { return v.id == d.view; }))
    return;
  ViewInfo view{d.view, d.name, Space::shared, d.type, d.element_bytes, {d.rows}, 0};
  if (d.two_dimensional) view.shape = {d.rows, d.cols}, view.pitch = std::uint32_t(d.cols);
  described_.push_back(std::move(view));
}

}  // namespace lockstep::simt
