#include "ranges_scene.hpp"

#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

constexpr const char* kGroup = "NVTX";  // of a file's timeline

RangeKind kind_of(const RangeNote& note) {
  if (note.mark) return RangeKind::mark;
  if (note.loose()) return RangeKind::loose;
  return note.depth == 0 ? RangeKind::whole : note.depth == 1 ? RangeKind::part : RangeKind::inner;
}

std::string thread_name(const Ranges& ranges, int thread) {
  const std::string& name = ranges.threads[std::size_t(thread)];
  return name.empty() ? tr("thread {0}", {number_text(thread + 1)}) : name;
}

// Lanes of one run's ranges: a thread each, and one for those that begin and end on different threads.
void add_lanes(Timeline& timeline, const Ranges& ranges, const std::string& group, std::uint16_t first_kind,
               std::vector<RangeEntry>* entries) {
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
  const Provenance& said = provenance_of(run, std::string("metrics.") + metric);
  if (said.is(Provenance::Kind::recorded))
    return tr("Recorded on {0}: {1}", {said.device + ", " + said.date, length});
  return tr("This run, on this computer: {0}", {length});
}

// "emulate", "recorded emulate"; the whole run is named after its rung, and is the same thing in all of them.
std::string key_words(const RangeEntry& entry, bool recorded) {
  const std::string name = entry.kind == RangeKind::whole ? "whole run" : entry.note.name;
  return recorded ? "recorded " + name : name;
}

// A stretch of ranges of one kind is a phase.
ListAxis ranges_axis(const RunRanges& ranges) {
  ListAxis axis;
  for (std::size_t i = 0; i < ranges.entries.size(); ++i) {
    if (i > 0 && ranges.entries[i].kind != ranges.entries[i - 1].kind) axis.next_phase();
    axis.add(key_words(ranges.entries[i], i >= ranges.entries.size() - ranges.recorded));
  }
  return axis;
}

bool shows_ranges(const Run& run) {
  const auto show = run.request.params.find("show");
  return show != run.request.params.end() && show->second == Value(std::string("ranges"));
}

}  // namespace

RunRanges run_ranges(const Run& run) {
  RunRanges all;
  for (const char* metric : {kRangesMetric, kRecordedRangesMetric}) {
    const auto read = read_ranges(run, metric);
    if (!read) continue;
    if (!*read) {
      all.trouble = tr(read->error().message);
      continue;
    }
    const Ranges& ranges = **read;
    const std::size_t before = all.entries.size();
    add_lanes(all.timeline, ranges, group_of(run, ranges, metric), 0, &all.entries);
    if (std::string_view(metric) == kRecordedRangesMetric) all.recorded = all.entries.size() - before;
  }
  all.timeline.nest();
  return all;
}

Color range_color(RangeKind kind) {
  static constexpr Color kColors[kRangeKinds] = {Color::hex(0x8D959C), color::hbm, color::l2,
                                                 color::registers, color::tensor};
  return kColors[std::size_t(kind)];
}

std::string range_kind_name(RangeKind kind) {
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

RangesScene::RangesScene(std::shared_ptr<const Run> run, std::unique_ptr<const LabScene> of_lab)
    : LabScene(std::move(run)),
      ranges(run_ranges(this->run())),
      steps(ranges_axis(ranges)),
      of_lab_(std::move(of_lab)) {}

std::unique_ptr<LabScene> or_its_ranges(std::shared_ptr<const Run> run, std::unique_ptr<LabScene> of_lab) {
  if (!shows_ranges(*run)) return of_lab;
  return std::make_unique<RangesScene>(std::move(run), std::move(of_lab));
}

const RangeEntry* RangesScene::entry_at(int step) const {
  if (ranges.entries.empty()) return nullptr;
  return &ranges.entries[std::size_t(std::clamp(step, 0, int(ranges.entries.size()) - 1))];
}

int RangesScene::opening_step(std::int64_t) const {
  const auto& entries = ranges.entries;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < entries.size() - ranges.recorded; ++i)
    if (entries[i].kind == RangeKind::part &&
        (entries[longest].kind != RangeKind::part ||
         entries[i].note.length_ns() > entries[longest].note.length_ns()))
      longest = i;
  return int(longest);
}

Message RangesScene::step_title(const LabView& view) const {
  const RangeEntry* entry = entry_at(view.step);
  if (!entry) return msg("no step");
  if (entry->kind == RangeKind::mark)
    return msg("{0}, at {1}", {entry->note.name, length_text(entry->note.start_ns)});
  return msg("{0}, {1}", {entry->note.name, length_text(entry->note.length_ns())});
}

Message RangesScene::sentence(const LabView& view) const {
  const RangeEntry* entry = entry_at(view.step);
  if (!entry) return msg("This run has no ranges.");
  const std::string start = length_text(entry->note.start_ns), length = length_text(entry->note.length_ns());
  const std::string& name = entry->note.name;
  if (entry->kind == RangeKind::mark)
    return msg("The thread “{2}” set the mark “{0}” at {1}.", {name, start, entry->thread});
  if (entry->kind == RangeKind::loose)
    return msg("“{0}” took {1}. The thread “{2}” began it at {3}, and the thread “{4}” ended it.",
               {name, length, entry->thread, start, entry->end_thread});
  if (entry->own_ns == entry->note.length_ns())
    return msg("“{0}” took {1}. The thread “{3}” began it at {2}; there is no other range inside it.",
               {name, length, start, entry->thread});
  return msg(
      "“{0}” took {1}. The thread “{3}” began it at {2}; {4} of it is its own time, the rest belongs to the "
      "ranges inside it.",
      {name, length, start, entry->thread, length_text(entry->own_ns)});
}

std::vector<HeadFigure> RangesScene::headline(const LabView& view) const {
  const RangeEntry* entry = entry_at(view.step);
  if (!entry) return {};
  const std::size_t first_recorded = ranges.entries.size() - ranges.recorded;
  const auto is_recorded = [&](const RangeEntry& e) {
    return std::size_t(&e - ranges.entries.data()) >= first_recorded;
  };
  const std::string words(provenance_of(
      run(), std::string("metrics.") + (is_recorded(*entry) ? kRecordedRangesMetric : kRangesMetric)));
  const auto figure = [&](std::int64_t ns, std::string unit, std::string note, std::string badge) {
    return HeadFigure{length_text(ns), std::move(unit), std::move(note), std::move(badge), false};
  };
  if (entry->kind == RangeKind::mark)
    return {figure(entry->note.start_ns, tr("mark"), entry->note.name, words)};
  std::vector<HeadFigure> figures{
      figure(entry->note.length_ns(), tr("range"), entry->note.name, words),
      figure(entry->own_ns, tr("its own"), tr("without the ranges inside it"), "")};
  const auto whole = std::find_if(ranges.entries.begin(), ranges.entries.end(), [&](const RangeEntry& e) {
    return e.kind == RangeKind::whole && is_recorded(e) == is_recorded(*entry);
  });
  if (whole != ranges.entries.end())
    figures.push_back(figure(whole->note.length_ns(), tr("in all"), tr("the whole run"), ""));
  return figures;
}

Color RangesScene::phase_color(const Phase& phase) const {
  const RangeEntry* entry = entry_at(phase.first);
  return range_color(entry ? entry->kind : RangeKind::whole);
}

Message RangesScene::phase_name(const Phase& phase) const {
  const RangeEntry* entry = entry_at(phase.first);
  return entry ? msg("{0}", {range_kind_name(entry->kind)}) : msg("no step");
}

Message RangesScene::phase_place(const Phase& phase) const {
  return msg("steps {0} to {1}: ranges in the order of their starts",
             {number_text(phase.first + 1), number_text(phase.first + phase.count)});
}

std::optional<Timeline> timeline_with_ranges(const LabScene& scene) {
  auto timeline = scene.timeline();
  const auto ranges = ranges_of(scene.run());
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
