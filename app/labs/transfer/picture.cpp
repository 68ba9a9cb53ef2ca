// The stage: the timeline of the CPU and the three engines, what overlap saves, and what a copy costs by its
// size.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/draw/small_timeline.hpp"
#include "app/draw/timeline.hpp"
#include "app/labs/timeline_words.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

std::vector<TimelineKind> kinds(const Theme& theme) {
  const Color grey = Color::hex(0x8D959C);
  std::vector<TimelineKind> all(std::size_t(kTransferSpans), TimelineKind{});
  const auto set = [&](TransferSpan kind, std::string name, Color color, bool gap = false) {
    all[std::size_t(kind)] = {std::move(name), color, gap};
  };
  set(TransferSpan::call, tr("call of the CPU"), grey);
  set(TransferSpan::wait, tr("waits for the GPU"), mix(theme.panel, grey, 0.35f));
  set(TransferSpan::in, tr("copy in"), operation_color(OperationKind::copy_in));
  set(TransferSpan::compute, tr("kernel"), operation_color(OperationKind::kernel));
  set(TransferSpan::out, tr("copy out"), operation_color(OperationKind::copy_out));
  set(TransferSpan::read, tr("CPU read"), operation_color(OperationKind::host_read));
  set(TransferSpan::touches, tr("moved by who touches it"),
      mix(theme.panel, operation_color(OperationKind::kernel), 0.4f), true);
  return all;
}

// Only what this run has.
std::vector<LegendItem> legend(const Theme& theme, const Transferred& done) {
  std::vector<bool> there(std::size_t(kTransferSpans), false);
  for (const TimelineLane& lane : done.timeline.lanes)
    for (const TimelineSpan& span : lane.spans) there[std::size_t(span.kind) % there.size()] = true;
  std::vector<LegendItem> items;
  const auto all = kinds(theme);
  for (std::size_t kind = 0; kind < all.size(); ++kind)
    if (there[kind]) items.push_back({all[kind].name, all[kind].color, false});
  return items;
}

// What stands in a bar that is too short for its name: a verb for a call, the number of the chunk.
std::vector<std::string> short_names(const Timeline& timeline) {
  std::vector<std::string> shorter;
  for (const std::string& name : timeline.names) {
    const std::string verb = short_call(name);
    const std::size_t space = name.rfind(' ');
    const bool numbered = space != name.npos && space + 1 < name.size() &&
                          name.find_first_not_of("0123456789", space + 1) == name.npos;
    shorter.push_back(!verb.empty() ? verb : numbered ? name.substr(space + 1) : "");
  }
  return shorter;
}

constexpr float kHead = 24, kLegend = 38, kLabelWidth = 84;  // the legend: of two rows

// The cursor goes from the start of the step before to this one's, in the time that the step takes.
TimelinePicture times_picture(const StageInput& in, const Transferred& done) {
  TimelinePicture picture;
  picture.id = "stage/timeline", picture.timeline = &done.timeline, picture.kinds = kinds(in.theme);
  const auto start_of = [&](int step) { return double(done.span(done.operation_at(step)).start_ns); };
  const double before = in.view.step > 0 ? start_of(in.view.step - 1) : 0;
  picture.now_ns = before + (start_of(in.view.step) - before) * double(in.motion);
  picture.now_spans = {done.ids[std::size_t(done.operation_at(in.view.step))]};
  picture.label_width = kLabelWidth, picture.short_names = short_names(done.timeline);
  picture.tell = [&](const TimelineSpan& span) {
    std::string text = span_hint(done.timeline, span);
    const auto at = std::find(done.ids.begin(), done.ids.end(), span.id);
    if (at == done.ids.end()) return text;
    const std::uint64_t bytes = link_bytes(done.operations[std::size_t(at - done.ids.begin())]);
    const double us = double(span.length_ns()) / 1e3;
    if (bytes > 0 && us > 0)
      text += "\n" + tr("{0} at {1}", {bytes_text(double(bytes)), rate_text(double(bytes) / us * 1e6)});
    return text;
  };
  return picture;
}

void draw_times(Canvas& canvas, const StageInput& in, const TransferScene& scene, Rect r,
                StageEvents& events) {
  const Transferred& done = scene.done;
  // Presented, the headline says whose word the times are, and the lanes have the room.
  const float type = in.theme.type, head = in.presentation ? 0 : kHead * type;
  if (!in.presentation) {
    const std::string words = scene.times_provenance();
    canvas.text_fit({r.x, r.y + head / 2 - 4}, tr("What the CPU calls and what each engine does"),
                    {Font::words_semibold, 13.5f * type, in.theme.ink},
                    r.w - badge_width(canvas, in.theme, words) - 10);
    draw_badge(canvas, in.theme, {r.right(), r.y + head / 2 - 4}, words);
  }
  const auto items = legend(in.theme, done);
  const float legend_h = legend_height(canvas, in.theme, r.w, items);
  draw_legend(canvas, in.theme, {r.x, r.y + head, r.w, legend_h}, items);
  const float taken = head + legend_h + 6 * type;
  const TimelineHit hit =
      stage_timeline(canvas, in, events, {r.x, r.y + taken, r.w, r.h - taken}, times_picture(in, done));
  if (!hit.chosen) return;
  const auto at = std::find(done.ids.begin(), done.ids.end(), *hit.chosen);
  if (at != done.ids.end()) events.go_to_step = done.step_of_operation(int(at - done.ids.begin()));
}

// --- what overlap saves: what each engine has to do, all of it in a row, and how long it took

std::vector<Bar> overlap_bars(const Theme& theme, const Transferred& done) {
  const double all = std::max({1e-9, done.total_us, busy_us(done.record)});
  std::vector<Bar> bars;
  const auto add = [&](std::string label, double us, Color color) {
    bars.push_back({std::move(label), us_text(us), us / all, color});
  };
  const auto lane = [&](OperationLane which, std::string label, OperationKind kind) {
    if (const double us = done.lane_us(which); us > 0) add(std::move(label), us, operation_color(kind));
  };
  lane(OperationLane::in, tr("copies in"), OperationKind::copy_in);
  lane(OperationLane::compute, tr("compute"), OperationKind::kernel);
  lane(OperationLane::out, tr("copies out"), OperationKind::copy_out);
  lane(OperationLane::host, tr("CPU read"), OperationKind::host_read);
  add(tr("in a row"), busy_us(done.record), mix(theme.panel, theme.dim, 0.5f));
  // Of the record that is drawn: where a GPU made it, with an event before and behind each operation.
  add(tr("in all"), done.total_us, theme.ink);
  return bars;
}

std::string overlap_note(const Transferred& done) {
  if (done.no_faults) return tr("What page faults cost is not in the model: the real time is longer.");
  const bool mapped = std::any_of(done.operations.begin(), done.operations.end(),
                                  [](const Operation& o) { return o.memory == MemoryKind::mapped; });
  if (mapped) return tr("The kernel's bytes come and go while it runs: no copy before it, none behind it.");
  const double saved = saved_by_overlap(done.record);
  if (saved < 0.005) return tr("No two of them run at the same time: nothing is saved.");
  return tr("{0} of them run beside others, and for {1} nothing runs.",
            {us_text(saved * busy_us(done.record)), us_text(done.idle_us())});
}

constexpr float kBarRow = 24, kNoteLine = 15, kPanelEdge = 11;
TextStyle note_style(const Theme& theme) { return {Font::words, 11.5f * theme.type, theme.dim}; }

float overlap_height(const Theme& theme, const Transferred& done) {
  return panel_title_height(theme) + kPanelEdge +
         (kBarRow * float(overlap_bars(theme, done).size()) + 2 * kNoteLine + 10) * theme.type;
}

void draw_overlap(Canvas& canvas, const StageInput& in, const Transferred& done, Rect r) {
  canvas.landmark("overlap", r);
  const Rect inner = draw_panel(canvas, in.theme, r, tr("WHAT OVERLAP SAVES"));
  const auto bars = overlap_bars(in.theme, done);
  const float type = in.theme.type, bars_h = kBarRow * type * float(bars.size());
  draw_bars(canvas, in.theme, "stage/overlap", {inner.x, inner.y, inner.w, bars_h}, bars);
  canvas.text_wrap({inner.x, inner.y + bars_h + 6 * type}, overlap_note(done), note_style(in.theme), inner.w,
                   kNoteLine * type);
}

}  // namespace

// The stage's parts; what stands below is of no height where it has no room.
TransferParts TransferScene::plan(const Theme& theme, Rect stage, bool presentation) const {
  const float type = theme.type, pad = 28, gap = 16;
  const Rect area{stage.x + pad, stage.y + 14, stage.w - 2 * pad, stage.h - 28};
  TransferParts plan{area, {area.x, area.bottom(), area.w, 0}, {area.x, area.bottom(), area.w, 0}};
  TimelinePicture picture;
  picture.timeline = &done.timeline, picture.kinds = kinds(theme);
  const float above = (kHead + kLegend + 14) * type;
  const float lanes_h = timeline_height(theme, picture) + above, low_h = overlap_height(theme, done);
  if (presentation || area.h - low_h - gap < lanes_h * 0.8f) return plan;
  plan.times.h = std::min(area.h - low_h - gap, tallest_timeline(theme, picture) + above);
  const float top = plan.times.bottom() + gap;
  plan.overlap = {area.x, top, area.w, std::min(area.bottom() - top, std::max(low_h, 320 * type))};
  if (area.w < 520 * type) return plan;
  plan.overlap.w = (area.w - gap) * 0.42f;
  plan.cost = {plan.overlap.right() + gap, top, area.w - plan.overlap.w - gap, plan.overlap.h};
  return plan;
}

void TransferScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  if (done.operations.empty()) return;
  const TransferParts parts = plan(in.theme, in.area, in.presentation);
  if (parts.overlap.h > 0) draw_overlap(canvas, in, done, parts.overlap);
  if (parts.cost.h > 0) {
    const Rect inner = draw_panel(canvas, in.theme, parts.cost, tr("WHAT A COPY COSTS, BY ITS SIZE"));
    draw_badge(canvas, in.theme,
               {parts.cost.right() - kPanelPadding, parts.cost.y + panel_title_height(in.theme) / 2},
               curves_provenance());
    draw_cost(canvas, in.theme, inner, done);
  }
  draw_times(canvas, in, *this, parts.times, events);
}

void TransferScene::card(Canvas& canvas, const StageInput& in) const {
  if (done.operations.empty()) return;
  auto all = kinds(in.theme);
  for (TimelineKind& kind : all) kind.name.clear();
  const std::uint32_t now[] = {done.ids[std::size_t(done.operation_at(in.view.step))]};
  draw_small_timeline(canvas, in.theme, in.area, done.timeline, all, now);
}

}  // namespace lockstep
