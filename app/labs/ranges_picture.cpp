#include "ranges_picture.hpp"

#include <algorithm>
#include <map>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "recent.hpp"

namespace lockstep {
namespace {

constexpr const char* kGroup = "NVTX";  // of a file's timeline

RangeKind kind_of(const RangeNote& note) {
  if (note.mark) return RangeKind::mark;
  if (note.loose()) return RangeKind::loose;
  return note.depth == 0 ? RangeKind::whole : note.depth == 1 ? RangeKind::part : RangeKind::inner;
}

RangeKind kind_of(const Phase& phase) { return RangeKind((phase.mark - kRangeMark) % kRangeKinds); }

std::string thread_name(const Ranges& ranges, int thread) {
  const std::string& name = ranges.threads[std::size_t(thread)];
  return name.empty() ? tr("thread {0}", {std::to_string(thread + 1)}) : name;
}

// Lanes of one run's ranges: a thread each, and one for those that begin and end on different threads.
void add_lanes(Timeline& timeline, const Ranges& ranges, const std::string& group, std::uint16_t first_kind,
               std::vector<RangesScene::Entry>* entries) {
  const std::vector<std::int64_t> own = own_ns(ranges);
  const std::size_t base = entries ? entries->size() : 0;
  if (entries) entries->resize(base + ranges.notes.size());
  const auto add_lane = [&](const std::string& name, auto&& belongs) {
    TimelineLane* lane = nullptr;
    for (std::size_t i = 0; i < ranges.notes.size(); ++i) {
      const RangeNote& note = ranges.notes[i];
      if (!belongs(note)) continue;
      if (!lane) lane = &timeline.add_lane(name, group);
      const auto kind = kind_of(note);
      const std::uint32_t id = timeline.add(*lane, note.name, note.start_ns, note.end_ns,
                                            std::uint16_t(first_kind + std::uint16_t(kind)));
      if (entries)
        (*entries)[base + i] = {
            note, thread_name(ranges, note.thread), thread_name(ranges, note.end_thread), kind, own[i], id};
    }
  };
  for (std::size_t thread = 0; thread < ranges.threads.size(); ++thread)
    add_lane(thread_name(ranges, int(thread)),
             [&](const RangeNote& n) { return !n.loose() && std::size_t(n.thread) == thread; });
  add_lane(tr("across threads"), [](const RangeNote& n) { return n.loose(); });
}

std::string length_text(std::int64_t ns) { return span_text(double(ns)); }

std::int64_t total_ns(const Ranges& ranges) {
  std::int64_t last = 0;
  for (const RangeNote& note : ranges.notes) last = std::max(last, note.end_ns);
  return last;
}

std::string group_of(const Run& run, const Ranges& ranges, const char* metric) {
  const std::string length = length_text(total_ns(ranges));
  const std::string words(provenance_of(run, std::string("metrics.") + metric));
  if (words.starts_with("recorded: ")) return tr("Recorded on {0}: {1}", {words.substr(10), length});
  return tr("This run, on this computer: {0}", {length});
}

std::shared_ptr<const RangesScene> make_scene(const Run& run) {
  auto scene = std::make_shared<RangesScene>();
  for (const char* metric : {kRangesMetric, kRecordedRangesMetric}) {
    const auto read = read_ranges(run, metric);
    if (!read) continue;
    if (!*read) {
      scene->trouble = tr(read->error().message);
      continue;
    }
    const Ranges& ranges = **read;
    const std::size_t before = scene->entries.size();
    add_lanes(scene->timeline, ranges, group_of(run, ranges, metric), 0, &scene->entries);
    if (metric == kRecordedRangesMetric) scene->recorded = scene->entries.size() - before;
  }
  scene->timeline.nest();
  return scene;
}

const RangesScene::Entry* entry_at(const RangesScene& scene, int step) {
  if (scene.entries.empty()) return nullptr;
  return &scene.entries[std::size_t(std::clamp(step, 0, int(scene.entries.size()) - 1))];
}

std::string name_of(RangeKind kind) {
  switch (kind) {
    case RangeKind::whole:
      return tr("the whole run");
    case RangeKind::part:
      return tr("a range in it");
    case RangeKind::inner:
      return tr("a range in that");
    case RangeKind::mark:
      return tr("mark");
    case RangeKind::loose:
      break;
  }
  return tr("across threads");
}

}  // namespace

std::shared_ptr<const RangesScene> ranges_scene(const Run& run) {
  struct Key {
    std::string own, recorded, words;
    Language language;
    bool operator==(const Key&) const = default;
  };
  static Recent<Key, RangesScene> recent;
  const auto text = [&](const char* name) {
    const auto at = run.metrics().find(name);
    return at == run.metrics().end() ? std::string() : to_string(at->second);
  };
  return recent.get({text(kRangesMetric), text(kRecordedRangesMetric),
                     std::string(provenance_of(run, "metrics.ranges.record")), language_in_use()},
                    [&] { return make_scene(run); });
}

bool shows_ranges(const Run& run) {
  const auto show = run.request.params.find("show");
  return show != run.request.params.end() && show->second == Value(std::string("ranges"));
}

Color range_color(RangeKind kind) {
  static constexpr Color kColors[kRangeKinds] = {Color::hex(0x8D959C), color::hbm, color::l2,
                                                 color::registers, color::tensor};
  return kColors[std::size_t(kind)];
}

Color ranges_phase_color(const Phase& phase) { return range_color(kind_of(phase)); }

// --- steps
// ---------------------------------------------------------------------------------------------

StepAxis ranges_steps(const Run& run, std::uint16_t file) {
  StepAxis axis;
  const auto scene = ranges_scene(run);
  Step one;
  one.instruction.file = file;
  axis.steps.assign(scene->entries.size(), one);
  axis.groups.resize(scene->entries.size());
  for (int step = 0; step < int(scene->entries.size()); ++step) {
    const auto mark = std::uint16_t(kRangeMark + std::uint16_t(scene->entries[std::size_t(step)].kind));
    if (!axis.phases.empty() && axis.phases.back().mark == mark) {
      ++axis.phases.back().count;
      continue;
    }
    Phase phase;
    phase.first = step, phase.count = 1, phase.mark = mark, phase.role = Role::marked;
    axis.phases.push_back(phase);
  }
  return axis;
}

int ranges_opening_step(const Run& run) {
  const auto scene = ranges_scene(run);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < scene->entries.size() - scene->recorded; ++i)
    if (scene->entries[i].kind == RangeKind::part &&
        (scene->entries[longest].kind != RangeKind::part ||
         scene->entries[i].note.length_ns() > scene->entries[longest].note.length_ns()))
      longest = i;
  return int(longest);
}

Message ranges_step_title(const Run& run, int step) {
  const auto scene = ranges_scene(run);
  const auto* entry = entry_at(*scene, step);
  if (!entry) return msg("no step");
  if (entry->kind == RangeKind::mark)
    return msg("{0}, at {1}", {entry->note.name, length_text(entry->note.start_ns)});
  return msg("{0}, {1}", {entry->note.name, length_text(entry->note.length_ns())});
}

Message ranges_sentence(const Run& run, int step) {
  const auto scene = ranges_scene(run);
  const auto* entry = entry_at(*scene, step);
  if (!entry) return msg("This run has no ranges.");
  const std::string start = length_text(entry->note.start_ns), length = length_text(entry->note.length_ns());
  const std::string& name = entry->note.name;
  if (entry->kind == RangeKind::mark)
    return msg("Mark “{0}” at {1}, set by the thread “{2}”.", {name, start, entry->thread});
  if (entry->kind == RangeKind::loose)
    return msg("“{0}”, {1}: the thread “{2}” began it at {3}, the thread “{4}” ended it.",
               {name, length, entry->thread, start, entry->end_thread});
  if (entry->own_ns == entry->note.length_ns())
    return msg("“{0}”, {1}: pushed at {2} by the thread “{3}”; no range lies in it.",
               {name, length, start, entry->thread});
  return msg(
      "“{0}”, {1}: pushed at {2} by the thread “{3}”; {4} of it are its own, the rest is in the ranges "
      "inside.",
      {name, length, start, entry->thread, length_text(entry->own_ns)});
}

Message ranges_phase_name(const Phase& phase) { return msg("{0}", {name_of(kind_of(phase))}); }

Message ranges_phase_place(const Phase& phase) {
  return msg("steps {0} to {1}: ranges in the order of their starts",
             {std::to_string(phase.first + 1), std::to_string(phase.first + phase.count)});
}

// --- stage
// ---------------------------------------------------------------------------------------------

namespace {

constexpr float kHead = 24, kRow = 24;

std::vector<LegendItem> legend_of(const RangesScene& scene) {
  std::vector<LegendItem> items;
  for (int kind = 0; kind < kRangeKinds; ++kind)
    if (std::any_of(scene.entries.begin(), scene.entries.end(),
                    [&](const auto& e) { return e.kind == RangeKind(kind); }))
      items.push_back({name_of(RangeKind(kind)), range_color(RangeKind(kind)), false});
  return items;
}

std::string told(const RangesScene& scene, const TimelineSpan& span) {
  const auto entry = std::find_if(scene.entries.begin(), scene.entries.end(),
                                  [&](const RangesScene::Entry& e) { return e.id == span.id; });
  if (entry == scene.entries.end()) return "";
  const std::string start = length_text(span.start_ns);
  if (entry->kind == RangeKind::mark) return entry->note.name + "\n" + tr("a mark at {0}", {start});
  std::string text = entry->note.name + "\n" + tr("{0}, from {1} on", {length_text(span.length_ns()), start});
  if (entry->kind == RangeKind::loose)
    text += "\n" + tr("begun by “{0}”, ended by “{1}”", {entry->thread, entry->end_thread});
  else if (entry->own_ns != entry->note.length_ns())
    text += "\n" + tr("{0} of it its own, the rest in the ranges inside", {length_text(entry->own_ns)});
  return text;
}

TimelinePicture picture_of(const StageInput& in, const RangesScene& scene) {
  TimelinePicture picture;
  picture.id = "stage/timeline", picture.timeline = &scene.timeline, picture.label_width = 110;
  for (int kind = 0; kind < kRangeKinds; ++kind)
    picture.kinds.push_back({name_of(RangeKind(kind)), range_color(RangeKind(kind)), false});
  if (const auto* entry = entry_at(scene, in.step)) picture.now_spans = {entry->id};
  picture.tell = [&](const TimelineSpan& span) { return told(scene, span); };
  return picture;
}

// What a range's name stands for in a table: all of one name in one run together.
struct NamedTime {
  std::string name;
  RangeKind kind = RangeKind::part;
  std::int64_t ns = 0;
};

std::vector<NamedTime> own_times(std::span<const RangesScene::Entry> entries) {
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
std::span<const RangesScene::Entry> entries_of_run(const RangesScene& scene, int step) {
  const std::size_t own = scene.entries.size() - scene.recorded;
  const auto all = std::span(scene.entries);
  return std::size_t(step) < own ? all.first(own) : all.subspan(own);
}

void draw_own_times(Canvas& canvas, const StageInput& in, const RangesScene& scene, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("TIME IN EACH RANGE, WITHOUT THOSE INSIDE"));
  const auto times = own_times(entries_of_run(scene, in.step));
  const float row = kRow * in.theme.type;
  const std::size_t room = std::size_t(std::max(1.f, inner.h / row));
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < std::min(room, times.size()); ++i)
    bars.push_back({times[i].name, length_text(times[i].ns),
                    double(times[i].ns) / double(std::max<std::int64_t>(1, times.front().ns)),
                    range_color(times[i].kind)});
  draw_bars(canvas, in.theme, "stage/own", {inner.x, inner.y, inner.w, row * float(bars.size())}, bars);
}

// Each kind of NVTX call, and what it has become above.
void draw_calls(Canvas& canvas, const StageInput& in, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("THE SAME IN A PROFILER"));
  const float type = in.theme.type, line = 16 * type;
  float y = inner.y;
  const auto say = [&](const std::string& text, Font font, Color color) {
    const TextStyle style{font, 11.5f * type, color};
    if (y + float(canvas.count_lines(text, style, inner.w)) * line <= inner.bottom() + 2)
      y += canvas.text_wrap({inner.x, y}, text, style, inner.w, line) + 5 * type;
  };
  say("nsys profile --trace=cuda,nvtx lockstep run " + in.run.request.lab, Font::mono, in.theme.ink);
  say(tr("Nsight Systems shows these ranges in the domain “lockstep”, where Lockstep was built with CUDA."),
      Font::words, in.theme.dim);
  say(tr("nvtxRangePush and nvtxRangePop: ranges of one thread, each inside the one before."), Font::words,
      in.theme.dim);
  say(tr("nvtxRangeStart and nvtxRangeEnd: a range that another thread may end."), Font::words, in.theme.dim);
  say(tr("nvtxMark: a moment. nvtxNameOsThread: the name of a lane."), Font::words, in.theme.dim);
}

}  // namespace

void draw_ranges(Canvas& canvas, const StageInput& in, StageEvents& events) {
  const auto scene = ranges_scene(in.run);
  const float type = in.theme.type, pad = 28, gap = 20, head = kHead * type;
  const Rect area{in.area.x + pad, in.area.y + 14, in.area.w - 2 * pad, in.area.h - 28};
  const std::string words(provenance_of(in.run, "metrics.ranges"));
  canvas.text_fit({area.x, area.y + head / 2 - 4}, tr("What Lockstep did for this run: its NVTX ranges"),
                  {Font::words_semibold, 13.5f * type, in.theme.ink},
                  area.w - badge_width(canvas, in.theme, words) - 10);
  if (scene->entries.empty()) {
    canvas.text_wrap(
        {area.x, area.y + head + 10 * type},
        scene->trouble.empty()
            ? tr("This run holds no ranges: it was saved or recorded without them. Run it again.")
            : scene->trouble,
        {Font::words, 12.5f * type, in.theme.dim}, area.w, 18 * type);
    return;
  }
  draw_badge(canvas, in.theme, {area.right(), area.y + head / 2 - 4}, words);
  const auto legend = legend_of(*scene);
  const float legend_h = legend_height(canvas, in.theme, area.w, legend);
  draw_legend(canvas, in.theme, {area.x, area.y + head, area.w, legend_h}, legend);
  const TimelinePicture picture = picture_of(in, *scene);
  const float taken = head + legend_h + 6 * type, lanes_h = timeline_height(in.theme, picture) + 8 * type;
  std::size_t rows = 8;
  for (const int step : {0, int(scene->entries.size()) - 1})  // of either run: the panel keeps its height
    rows = std::max(rows, own_times(entries_of_run(*scene, step)).size());
  const float wanted = kRow * type * float(rows) + panel_title_height(in.theme) + 28;
  float low_h = std::min(wanted, area.h - taken - std::min(lanes_h, area.h * 0.55f) - gap);
  if (low_h < 120 * type) low_h = 0;
  const float top_h = std::min(lanes_h, area.h - taken - (low_h > 0 ? low_h + gap : 0));
  const TimelineHit hit =
      stage_timeline(canvas, in, events, {area.x, area.y + taken, area.w, top_h}, picture);
  if (hit.chosen)
    for (std::size_t i = 0; i < scene->entries.size(); ++i)
      if (scene->entries[i].id == *hit.chosen) events.go_to_step = int(i);
  if (low_h <= 0) return;
  const Rect low{area.x, area.y + taken + top_h + gap, area.w, low_h};
  const bool two = area.w >= 620 * type;
  const float left_w = two ? (low.w - gap) * 0.56f : low.w;
  draw_own_times(canvas, in, *scene, {low.x, low.y, left_w, low.h});
  if (two) draw_calls(canvas, in, {low.x + left_w + gap, low.y, low.w - left_w - gap, low.h});
}

std::optional<Timeline> timeline_with_ranges(const Lab& lab, const Run& run) {
  auto timeline = lab.timeline(run);
  const auto ranges = ranges_of(run);
  if (!ranges || ranges->notes.empty()) return timeline;
  if (!timeline) timeline.emplace();
  std::size_t kinds = timeline->kinds.size();
  for (const TimelineLane& lane : timeline->lanes)
    for (const TimelineSpan& span : lane.spans) kinds = std::max<std::size_t>(kinds, span.kind + 1u);
  timeline->kinds.resize(kinds);
  for (const char* kind : {"nvtx", "nvtx", "nvtx", "nvtx mark", "nvtx start-end"})
    timeline->kinds.emplace_back(kind);
  add_lanes(*timeline, *ranges, kGroup, std::uint16_t(kinds), nullptr);
  timeline->nest();
  return timeline;
}

}  // namespace lockstep
