#include "traced_barriers.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

namespace lockstep {
namespace {

// What happened at a barrier.
struct Seen {
  int arrivals = 0, ended = 0;             // phases that ended
  std::map<int, int> threads_by_arrivals;  // so many threads arrived so often
};

std::uint16_t arrivals_of(const Seen& s) {
  constexpr int kMost = std::numeric_limits<std::uint16_t>::max();
  const int most = s.ended > 0 ? s.arrivals / s.ended : kMost;
  int all = 0, best = 0;
  for (const auto& [often, threads] : s.threads_by_arrivals) {
    all += threads;
    if (threads <= most) best = std::max(best, threads);
  }
  if (all <= most) best = all;
  return std::uint16_t(std::clamp(best > 0 ? best : most, 1, kMost));
}

}  // namespace

bool is_barrier_name(std::string_view name) {
  constexpr std::size_t kMost = 48;
  return !name.empty() && name.size() <= kMost && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '[' || c == ']';
  });
}

TracedBarriers::TracedBarriers(const BlockTrace& trace) {
  for (const Access& e : trace.events)
    if (e.kind == Kind::arrive || e.kind == Kind::await_phase) ids_[place_of(e.view, e.offset)] = 0;
  std::uint16_t next = 0;
  for (auto& [place, id] : ids_) id = next++;

  std::vector<Seen> seen(ids_.size());
  for (std::size_t t = 0; t + 1 < trace.begin.size(); ++t) {
    std::vector<int> own(ids_.size());
    WaitedPhases waited;
    for (auto k = trace.begin[t]; k < trace.begin[t + 1]; ++k) {
      const Access& e = trace.events[k];
      if (e.kind != Kind::arrive && e.kind != Kind::await_phase) continue;
      const std::uint16_t id = id_of(e);
      if (e.kind == Kind::arrive) {
        ++own[id];
        continue;
      }
      seen[id].ended = std::max(seen[id].ended, waited.ended(id, e.offset & 1));
    }
    for (std::size_t id = 0; id < own.size(); ++id)
      if (own[id] > 0) seen[id].arrivals += own[id], ++seen[id].threads_by_arrivals[own[id]];
  }
  for (const Seen& s : seen) arrivals_.push_back(arrivals_of(s));
}

std::vector<std::string> TracedBarriers::names(const Launch& launch) const {
  std::map<std::uint16_t, int> places;  // by array
  for (const auto& [place, id] : ids_) ++places[place.first];
  std::vector<std::string> all;
  for (const auto& [place, id] : ids_) {
    const ViewInfo* view = launch.view(place.first);
    if (!view) return {};
    all.push_back(view->name + (places[place.first] > 1 ? "[" + std::to_string(place.second) + "]" : ""));
    if (!is_barrier_name(all.back())) return {};
  }
  return all;
}

std::uint16_t TracedBarriers::id_of(std::uint16_t view, std::uint32_t offset) const {
  const auto found = ids_.find(place_of(view, offset));
  return found == ids_.end() ? std::uint16_t(0) : found->second;
}

}  // namespace lockstep
