// What a timeline's view does: zoom, pan, keys, measuring, search; and how times are written.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "number_text.hpp"
#include "plot.hpp"
#include "timeline.hpp"

namespace lockstep {
namespace {

constexpr double kLeastShown = 10;  // ns

bool is_gap(std::span<const TimelineKind> kinds, std::uint16_t kind) {
  return !kinds.empty() && kinds[std::min<std::size_t>(kind, kinds.size() - 1)].gap;
}

std::optional<TimelineSpan> selected_span(const TimelinePicture& picture, const TimelineView& view) {
  const auto place = picture.timeline->find(view.selected);
  if (!place) return {};
  return picture.timeline->at(*place);
}

// The selected span, the current time or the middle of what is shown.
TimeRange here(const TimelinePicture& picture, const TimelineView& view) {
  if (const auto span = selected_span(picture, view)) return {double(span->start_ns), double(span->end_ns)};
  const TimeRange shown = shown_range(picture, view);
  const double at = picture.now_ns.value_or((shown.start_ns + shown.end_ns) / 2);
  return {at, at};
}

// The view moved so that the span's beginning is in it.
TimelineView revealing(const TimelinePicture& picture, TimelineView view, const TimelineSpan& span) {
  const TimeRange shown = shown_range(picture, view);
  const double start = double(span.start_ns);
  if (start >= shown.start_ns && start <= shown.end_ns) return view;
  return panned(picture, view, start - (shown.start_ns + shown.end_ns) / 2);
}

// Spans that next and previous go through, in the order of time: the matches, else those of one lane.
std::vector<TimelineSpan> stops(const TimelinePicture& picture, const TimelineView& view) {
  const Timeline& t = *picture.timeline;
  const std::vector<bool> matches = matching_names(t, view.search);
  const auto selected = t.find(view.selected);
  std::vector<TimelineSpan> all;
  for (std::size_t l = 0; l < t.lanes.size(); ++l) {
    if (matches.empty() && (selected ? selected->lane != l : !all.empty())) continue;
    for (const TimelineSpan& span : t.lanes[l].spans)
      if (!is_gap(picture.kinds, span.kind) && (matches.empty() || matches[span.name])) all.push_back(span);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return all;
}

TimelineView select_next(const TimelinePicture& picture, TimelineView view, int direction,
                         std::optional<std::uint32_t>* chosen) {
  const auto all = stops(picture, view);
  if (all.empty()) return view;
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.id == view.selected; });
  std::ptrdiff_t index = at - all.begin() + direction;
  if (at == all.end()) {  // the first one from here on, or the last one before
    const double from = here(picture, view).start_ns;
    index = std::partition_point(all.begin(), all.end(),
                                 [&](const auto& s) { return double(s.start_ns) < from; }) -
            all.begin() - (direction < 0);
  }
  const TimelineSpan& span = all[std::size_t(std::clamp<std::ptrdiff_t>(index, 0, std::ssize(all) - 1))];
  view.selected = span.id;
  if (chosen) *chosen = span.id;
  return revealing(picture, view, span);
}

void measure_from_here(const TimelinePicture& picture, TimelineView& view) {
  const TimeRange at = here(picture, view);
  if (!view.brush)
    view.brush = {at.start_ns, at.start_ns};
  else if (view.brush->start_ns == view.brush->end_ns)
    view.brush->end_ns = at.end_ns > view.brush->start_ns ? at.end_ns : at.start_ns;
  else
    view.brush.reset();
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; }

std::string digits(double x, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, x == 0 ? 0.0 : x);
  return text;
}

struct Unit {
  double ns;
  const char* name;
};
constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};

}  // namespace

TimeRange whole_range(const TimelinePicture& picture) {
  TimeRange whole = picture.extent.value_or(
      TimeRange{double(picture.timeline->first_ns()), double(picture.timeline->last_ns())});
  if (!(whole.end_ns - whole.start_ns >= kLeastShown)) whole.end_ns = whole.start_ns + kLeastShown;
  return whole;
}

TimeRange shown_range(const TimelinePicture& picture, const TimelineView& view) {
  const TimeRange whole = whole_range(picture);
  if (!view.shown || !std::isfinite(view.shown->start_ns) || !std::isfinite(view.shown->end_ns)) return whole;
  const double length =
      std::clamp(view.shown->end_ns - view.shown->start_ns, kLeastShown, whole.end_ns - whole.start_ns);
  const double start = std::clamp(view.shown->start_ns, whole.start_ns, whole.end_ns - length);
  return {start, start + length};
}

TimelineView showing(const TimelinePicture& picture, TimelineView view, TimeRange range) {
  view.shown = range;
  view.shown = shown_range(picture, view);
  if (*view.shown == whole_range(picture)) view.shown.reset();
  return view;
}

TimelineView zoomed(const TimelinePicture& picture, TimelineView view, double around_ns, double factor) {
  const TimeRange shown = shown_range(picture, view), whole = whole_range(picture);
  const double length = shown.end_ns - shown.start_ns;
  const double longer = std::clamp(length * factor, kLeastShown, whole.end_ns - whole.start_ns);
  around_ns = std::clamp(around_ns, shown.start_ns, shown.end_ns);
  const double start = around_ns - (around_ns - shown.start_ns) * longer / length;
  return showing(picture, view, {start, start + longer});
}

TimelineView panned(const TimelinePicture& picture, TimelineView view, double by_ns) {
  const TimeRange shown = shown_range(picture, view);
  return showing(picture, view, {shown.start_ns + by_ns, shown.end_ns + by_ns});
}

TimelineView with_key(const TimelinePicture& picture, TimelineView view, TimelineKey key,
                      std::optional<std::uint32_t>* chosen) {
  const TimeRange shown = shown_range(picture, view);
  const double quarter = (shown.end_ns - shown.start_ns) / 4;
  switch (key) {
    case TimelineKey::zoom_in:
    case TimelineKey::zoom_out: {
      const TimeRange at = here(picture, view);
      return zoomed(picture, view, (at.start_ns + at.end_ns) / 2, key == TimelineKey::zoom_in ? 0.5 : 2);
    }
    case TimelineKey::all:
      view.shown.reset(), view.first_lane = 0;
      return view;
    case TimelineKey::earlier:
      return panned(picture, view, -quarter);
    case TimelineKey::later:
      return panned(picture, view, quarter);
    case TimelineKey::lane_up:
    case TimelineKey::lane_down:
      view.first_lane += key == TimelineKey::lane_up ? -1 : 1;
      view.first_lane = std::clamp(view.first_lane, 0, std::max(0, int(picture.timeline->lanes.size()) - 1));
      return view;
    case TimelineKey::next:
    case TimelineKey::previous:
      return select_next(picture, view, key == TimelineKey::next ? 1 : -1, chosen);
    case TimelineKey::measure:
      measure_from_here(picture, view);
      return view;
  }
  return view;
}

std::vector<bool> matching_names(const Timeline& timeline, std::string_view text) {
  std::vector<bool> matches;
  if (text.empty()) return matches;
  for (const std::string& name : timeline.names)
    matches.push_back(std::search(name.begin(), name.end(), text.begin(), text.end(),
                                  [](char a, char b) { return lower(a) == lower(b); }) != name.end());
  return matches;
}

Measure measure_of(const Timeline& timeline, TimeRange range, std::span<const TimelineKind> kinds) {
  if (range.end_ns < range.start_ns) std::swap(range.start_ns, range.end_ns);
  Measure m;
  m.length_ns = range.end_ns - range.start_ns;
  m.ns_by_kind.resize(kinds.size());
  const auto t0 = std::int64_t(std::ceil(range.start_ns)), t1 = std::int64_t(std::floor(range.end_ns));
  for (const TimelineLane& lane : timeline.lanes)
    for (std::size_t row = 0; row < lane.rows.size(); ++row) {
      const RowRange in = spans_in(lane, row, t0, t1);
      for (std::size_t i = in.first; i < in.end; ++i) {
        const TimelineSpan& span = lane.spans[lane.rows[row].spans[i]];
        m.spans += !is_gap(kinds, span.kind);
        if (!kinds.empty())
          m.ns_by_kind[std::min<std::size_t>(span.kind, kinds.size() - 1)] +=
              std::max(0.0, std::min(range.end_ns, double(span.end_ns)) -
                                std::max(range.start_ns, double(span.start_ns)));
      }
    }
  return m;
}

std::string span_text(double ns) {
  if (std::abs(ns) < 999.5) return digits(ns, 0) + " ns";
  return time_text(ns / 1e6);
}

std::vector<TimeTick> time_ticks(TimeRange range, int most) {
  const std::vector<double> at = ticks_of({"", range.start_ns, range.end_ns, false}, most);
  if (at.empty()) return {};
  const double largest = std::max(std::abs(at.front()), std::abs(at.back()));
  const double step = at.size() > 1 ? at[1] - at[0] : range.end_ns - range.start_ns;
  Unit unit = kUnits[std::size(kUnits) - 1];
  for (const Unit& u : kUnits)
    if (largest >= u.ns) {
      unit = u;
      break;
    }
  const int decimals = std::clamp(int(std::ceil(-std::log10(step / unit.ns) - 1e-9)), 0, 9);
  std::vector<TimeTick> ticks;
  for (const double ns : at) ticks.push_back({ns, digits(ns / unit.ns, decimals) + " " + unit.name});
  return ticks;
}

}  // namespace lockstep
