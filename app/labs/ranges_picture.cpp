// The stage of a run's ranges: a lane per thread, the time that each name took, and the calls behind them.
#include <algorithm>
#include <map>
#include <span>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/plot.hpp"
#include "ranges_scene.hpp"

namespace lockstep {
namespace {

constexpr float kHead = 24, kRow = 24;

std::vector<LegendItem> legend_of(const std::vector<RangeEntry>& entries) {
  std::vector<LegendItem> items;
  for (int kind = 0; kind < kRangeKinds; ++kind)
    if (std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.kind == RangeKind(kind); }))
      items.push_back({range_kind_name(RangeKind(kind)), range_color(RangeKind(kind)), false});
  return items;
}

std::string range_hint(const std::vector<RangeEntry>& entries, const TimelineSpan& span) {
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const RangeEntry& e) { return e.id == span.id; });
  if (entry == entries.end()) return "";
  const std::string start = span_text(double(span.start_ns));
  if (entry->kind == RangeKind::mark) return entry->note.name + "\n" + tr("a mark at {0}", {start});
  std::string text =
      entry->note.name + "\n" + tr("{0}, from {1} on", {span_text(double(span.length_ns())), start});
  if (entry->kind == RangeKind::loose)
    text += "\n" + tr("begun by “{0}”, ended by “{1}”", {entry->thread, entry->end_thread});
  else if (entry->own_ns != entry->note.length_ns())
    text += "\n" + tr("{0} of it is its own, the rest belongs to the ranges inside",
                      {span_text(double(entry->own_ns))});
  return text;
}

TimelinePicture picture_of(const StageInput& in, const RangesScene& scene) {
  TimelinePicture picture;
  picture.id = "stage/timeline", picture.timeline = &scene.ranges.timeline, picture.label_width = 110;
  for (int kind = 0; kind < kRangeKinds; ++kind)
    picture.kinds.push_back({range_kind_name(RangeKind(kind)), range_color(RangeKind(kind)), false});
  if (const auto* entry = scene.entry_at(in.view.step)) picture.now_spans = {entry->id};
  picture.tell = [&](const TimelineSpan& span) { return range_hint(scene.ranges.entries, span); };
  return picture;
}

// What a range's name stands for in a table: all of one name in one run together.
struct NamedTime {
  std::string name;
  RangeKind kind = RangeKind::part;
  std::int64_t ns = 0;
};

std::vector<NamedTime> own_times(std::span<const RangeEntry> entries) {
  std::map<std::string, NamedTime> sums;
  for (const auto& entry : entries) {
    if (entry.kind == RangeKind::mark || entry.kind == RangeKind::loose) continue;
    NamedTime& sum =
        sums.try_emplace(entry.note.name, NamedTime{entry.note.name, entry.kind, 0}).first->second;
    sum.ns += entry.own_ns;
  }
  std::vector<NamedTime> all;
  for (auto& [name, sum] : sums) all.push_back(std::move(sum));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return all;
}

// Those of the run whose range is the current step.
std::span<const RangeEntry> entries_of_run(const RunRanges& ranges, int step) {
  const std::size_t own = ranges.entries.size() - ranges.recorded;
  const auto all = std::span(ranges.entries);
  return std::size_t(step) < own ? all.first(own) : all.subspan(own);
}

void draw_own_times(Canvas& canvas, const StageInput& in, const RunRanges& ranges, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("EACH RANGE'S OWN TIME"));
  const auto times = own_times(entries_of_run(ranges, in.view.step));
  const float row = kRow * in.theme.type;
  const std::size_t room = std::size_t(std::max(1.f, inner.h / row));
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < std::min(room, times.size()); ++i)
    bars.push_back({times[i].name, span_text(double(times[i].ns)),
                    double(times[i].ns) / double(std::max<std::int64_t>(1, times.front().ns)),
                    range_color(times[i].kind)});
  draw_bars(canvas, in.theme, "stage/own", {inner.x, inner.y, inner.w, row * float(bars.size())}, bars);
}

// Each kind of NVTX call, and what it has become above.
void draw_calls(Canvas& canvas, const StageInput& in, const std::string& lab, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("THE SAME RANGES IN A PROFILER"));
  const float type = in.theme.type, line = 16 * type;
  float y = inner.y;
  const auto say = [&](const std::string& text, Font font, Color color) {
    const TextStyle style{font, 11.5f * type, color};
    if (y + float(canvas.count_lines(text, style, inner.w)) * line <= inner.bottom() + 2)
      y += canvas.text_wrap({inner.x, y}, text, style, inner.w, line) + 5 * type;
  };
  say("nsys profile --trace=cuda,nvtx lockstep run " + lab, Font::mono, in.theme.ink);
  say(tr("Nsight Systems shows these ranges in the domain “lockstep”, where Lockstep was built with CUDA."),
      Font::words, in.theme.dim);
  say(tr("nvtxRangePush and nvtxRangePop: ranges of one thread, each inside the one before."), Font::words,
      in.theme.dim);
  say(tr("nvtxRangeStart and nvtxRangeEnd: a range that another thread may end."), Font::words, in.theme.dim);
  say(tr("nvtxMark: a moment. nvtxNameOsThread: the name of a lane."), Font::words, in.theme.dim);
}

void draw_title(Canvas& canvas, const Theme& theme, Rect area, float head, const std::string& provenance) {
  canvas.text_fit({area.x, area.y + head / 2 - 4}, tr("What Lockstep did for this run: its NVTX ranges"),
                  {Font::words_semibold, 13.5f * theme.type, theme.ink},
                  area.w - badge_width(canvas, theme, provenance) - 10);
}

// Rows of the panel of times: of either run, so that it keeps its height.
std::size_t most_rows(const RunRanges& ranges) {
  std::size_t rows = 8;
  for (const int step : {0, int(ranges.entries.size()) - 1})
    rows = std::max(rows, own_times(entries_of_run(ranges, step)).size());
  return rows;
}

}  // namespace

void RangesScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const float type = in.theme.type, pad = 28, gap = 20, head = kHead * type;
  const Rect area{in.area.x + pad, in.area.y + 14, in.area.w - 2 * pad, in.area.h - 28};
  const std::string provenance(provenance_of(run(), "metrics.ranges"));
  draw_title(canvas, in.theme, area, head, provenance);
  if (ranges.entries.empty()) {
    canvas.text_wrap(
        {area.x, area.y + head + 10 * type},
        ranges.trouble.empty()
            ? tr("This run holds no ranges: it was saved or recorded without them. Run it again.")
            : ranges.trouble,
        {Font::words, 12.5f * type, in.theme.dim}, area.w, 18 * type);
    return;
  }
  draw_badge(canvas, in.theme, {area.right(), area.y + head / 2 - 4}, provenance);
  const auto legend = legend_of(ranges.entries);
  const float legend_h = legend_height(canvas, in.theme, area.w, legend);
  draw_legend(canvas, in.theme, {area.x, area.y + head, area.w, legend_h}, legend);
  const TimelinePicture picture = picture_of(in, *this);
  const float taken = head + legend_h + 6 * type, lanes_h = timeline_height(in.theme, picture) + 8 * type;
  const float wanted = kRow * type * float(most_rows(ranges)) + panel_title_height(in.theme) + 28;
  float low_h = std::min(wanted, area.h - taken - std::min(lanes_h, area.h * 0.55f) - gap);
  if (low_h < 120 * type) low_h = 0;
  const float top_h = std::min(lanes_h, area.h - taken - (low_h > 0 ? low_h + gap : 0));
  const TimelineHit hit =
      stage_timeline(canvas, in, events, {area.x, area.y + taken, area.w, top_h}, picture);
  if (hit.chosen)
    for (std::size_t i = 0; i < ranges.entries.size(); ++i)
      if (ranges.entries[i].id == *hit.chosen) events.go_to_step = int(i);
  if (low_h <= 0) return;
  const Rect low{area.x, area.y + taken + top_h + gap, area.w, low_h};
  const bool two = area.w >= 620 * type;
  const float left_w = two ? (low.w - gap) * 0.56f : low.w;
  draw_own_times(canvas, in, ranges, {low.x, low.y, left_w, low.h});
  if (two)
    draw_calls(canvas, in, run().request.lab, {low.x + left_w + gap, low.y, low.w - left_w - gap, low.h});
}

}  // namespace lockstep
