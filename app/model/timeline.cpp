#include "timeline.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

// Weights of the kinds before every block of the row.
void sum_kinds(const TimelineLane& lane, TimelineRow& row) {
  for (const std::uint32_t i : row.spans) row.kinds.push_back(lane.spans[i].kind);
  std::sort(row.kinds.begin(), row.kinds.end());
  row.kinds.erase(std::unique(row.kinds.begin(), row.kinds.end()), row.kinds.end());
  std::vector<std::int64_t> sum(row.kinds.size());
  for (std::size_t i = 0; i < row.spans.size(); ++i) {
    if (i % kRowBlock == 0) row.weight_before.insert(row.weight_before.end(), sum.begin(), sum.end());
    const TimelineSpan& span = lane.spans[row.spans[i]];
    const auto kind = std::lower_bound(row.kinds.begin(), row.kinds.end(), span.kind) - row.kinds.begin();
    sum[std::size_t(kind)] += span.length_ns() + 1;
  }
}

}  // namespace

void nest(TimelineLane& lane) {
  for (TimelineSpan& span : lane.spans) span.end_ns = std::max(span.start_ns, span.end_ns);
  std::stable_sort(lane.spans.begin(), lane.spans.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  lane.rows.clear();
  std::vector<std::uint32_t> open;  // the innermost last: those that hold the current start
  std::vector<std::int64_t> free;   // [row] where its last span ends
  for (std::uint32_t i = 0; i < lane.spans.size(); ++i) {
    TimelineSpan& span = lane.spans[i];
    const auto holds = [&](std::uint32_t other) {
      return lane.spans[other].end_ns >= span.end_ns && lane.spans[other].end_ns > span.start_ns;
    };
    std::erase_if(open, [&](std::uint32_t o) { return lane.spans[o].end_ns <= span.start_ns; });
    std::size_t row = 0;
    for (const std::uint32_t o : open)
      if (holds(o)) row = std::max(row, std::size_t(lane.spans[o].depth) + 1);
    while (row < free.size() && free[row] > span.start_ns) ++row;
    row = std::min(row, std::size_t(std::numeric_limits<std::uint16_t>::max()));
    if (row >= lane.rows.size()) lane.rows.resize(row + 1), free.resize(row + 1, span.start_ns);
    free[row] = span.end_ns;
    span.depth = std::uint16_t(row);
    lane.rows[row].spans.push_back(i);
    open.push_back(i);
  }
  for (TimelineRow& row : lane.rows) sum_kinds(lane, row);
}

RowRange spans_in(const TimelineLane& lane, std::size_t row, std::int64_t t0, std::int64_t t1) {
  const auto& spans = lane.rows[row].spans;
  const auto first = std::lower_bound(spans.begin(), spans.end(), t0, [&](std::uint32_t i, std::int64_t t) {
    return lane.spans[i].end_ns < t;
  });
  const auto end = std::upper_bound(
      first, spans.end(), t1, [&](std::int64_t t, std::uint32_t i) { return t < lane.spans[i].start_ns; });
  return {std::size_t(first - spans.begin()), std::size_t(end - spans.begin())};
}

std::vector<std::uint32_t> spans_in(const TimelineLane& lane, std::int64_t t0, std::int64_t t1) {
  std::vector<std::uint32_t> all;
  for (std::size_t row = 0; row < lane.rows.size(); ++row) {
    const RowRange range = spans_in(lane, row, t0, t1);
    const auto& spans = lane.rows[row].spans;
    all.insert(all.end(), spans.begin() + std::ptrdiff_t(range.first),
               spans.begin() + std::ptrdiff_t(range.end));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::uint16_t commonest_kind(const TimelineLane& lane, std::size_t row, RowRange range) {
  assert(range.count() > 0);
  const TimelineRow& r = lane.rows[row];
  const std::size_t kinds = r.kinds.size();
  if (kinds == 1) return r.kinds.front();
  std::vector<std::int64_t> sum(kinds);
  const auto add = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const TimelineSpan& span = lane.spans[r.spans[i]];
      const auto kind = std::lower_bound(r.kinds.begin(), r.kinds.end(), span.kind) - r.kinds.begin();
      sum[std::size_t(kind)] += span.length_ns() + 1;
    }
  };
  const std::size_t a = (range.first + kRowBlock - 1) / kRowBlock, b = range.end / kRowBlock;
  if (a < b && b * kinds < r.weight_before.size()) {
    for (std::size_t k = 0; k < kinds; ++k)
      sum[k] = r.weight_before[b * kinds + k] - r.weight_before[a * kinds + k];
    add(range.first, a * kRowBlock);
    add(b * kRowBlock, range.end);
  } else {
    add(range.first, range.end);
  }
  return r.kinds[std::size_t(std::max_element(sum.begin(), sum.end()) - sum.begin())];
}

std::vector<TimelineBar> fold(const TimelineLane& lane, std::size_t row, std::int64_t t0, std::int64_t t1,
                              double least_ns) {
  std::vector<TimelineBar> bars;
  const auto& spans = lane.rows[row].spans;
  const RowRange visible = spans_in(lane, row, t0, t1);
  const auto span = [&](std::size_t i) -> const TimelineSpan& { return lane.spans[spans[i]]; };
  const auto is_short = [&](std::size_t i) { return double(span(i).length_ns()) < least_ns; };
  for (std::size_t i = visible.first; i < visible.end;) {
    std::size_t end = i + 1;
    if (is_short(i)) {
      const double cell_end = (std::floor(double(span(i).start_ns) / least_ns) + 1) * least_ns;
      const auto begins_behind = std::partition_point(
          spans.begin() + std::ptrdiff_t(end), spans.begin() + std::ptrdiff_t(visible.end),
          [&](std::uint32_t s) { return double(lane.spans[s].start_ns) < cell_end; });
      end = std::size_t(begins_behind - spans.begin());
      // Only the last one can be long: the others end before it begins.
      if (end > i + 1 && !is_short(end - 1)) --end;
    }
    const RowRange range{i, end};
    bars.push_back({span(i).start_ns, span(end - 1).end_ns,
                    range.count() == 1 ? span(i).kind : commonest_kind(lane, row, range), range});
    i = end;
  }
  return bars;
}

std::uint32_t Timeline::intern(std::string_view name) {
  for (; indexed_ < names.size(); ++indexed_)  // names that were pushed by hand
    name_index_.try_emplace(names[indexed_], std::uint32_t(indexed_));
  const auto [at, made] = name_index_.try_emplace(std::string(name), std::uint32_t(names.size()));
  if (made) names.emplace_back(name), ++indexed_;
  return at->second;
}

TimelineLane& Timeline::add_lane(std::string_view name, std::string_view group) {
  TimelineLane lane;
  lane.name = intern(name), lane.group = group;
  lanes.push_back(std::move(lane));
  return lanes.back();
}

std::uint32_t Timeline::add(TimelineLane& lane, std::string_view name, std::int64_t start_ns,
                            std::int64_t end_ns, std::uint16_t kind) {
  lane.spans.push_back({start_ns, end_ns, intern(name), kind, 0, next_id_});
  return next_id_++;
}

void Timeline::nest() {
  places_.clear();
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    lockstep::nest(lanes[l]);
    for (std::uint32_t s = 0; s < lanes[l].spans.size(); ++s) {
      places_[lanes[l].spans[s].id] = {{l, s}, 0, 0};
      next_id_ = std::max(next_id_, lanes[l].spans[s].id + 1);
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  // span, edge
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    ends.emplace_back(edges[e].from, e);
    if (edges[e].to != edges[e].from) ends.emplace_back(edges[e].to, e);
  }
  std::sort(ends.begin(), ends.end());
  edge_index_.clear();
  for (const auto& [span, edge] : ends) {
    if (const auto at = places_.find(span); at != places_.end()) {
      if (at->second.edges++ == 0) at->second.first_edge = std::uint32_t(edge_index_.size());
    }
    edge_index_.push_back(edge);
  }
}

std::optional<Timeline::Place> Timeline::find(std::uint32_t id) const {
  const auto at = places_.find(id);
  if (at == places_.end()) return {};
  return at->second.place;
}

std::span<const std::uint32_t> Timeline::edges_of(std::uint32_t id) const {
  const auto at = places_.find(id);
  if (at == places_.end()) return {};
  return std::span(edge_index_).subspan(at->second.first_edge, at->second.edges);
}

std::int64_t Timeline::first_ns() const {
  std::optional<std::int64_t> first;
  for (const TimelineLane& lane : lanes)
    if (!lane.spans.empty())
      first = std::min(first.value_or(lane.spans.front().start_ns), lane.spans.front().start_ns);
  return first.value_or(0);
}

std::int64_t Timeline::last_ns() const {
  std::optional<std::int64_t> last;
  for (const TimelineLane& lane : lanes)
    for (const TimelineRow& row : lane.rows) {
      const std::int64_t end = lane.spans[row.spans.back()].end_ns;
      last = std::max(last.value_or(end), end);
    }
  return last.value_or(0);
}

std::size_t Timeline::span_count() const {
  std::size_t count = 0;
  for (const TimelineLane& lane : lanes) count += lane.spans.size();
  return count;
}

}  // namespace lockstep
