#include "ranges_record.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <map>

#include "figure_fields.hpp"
#include "record_reader.hpp"

namespace lockstep {
namespace {

constexpr std::size_t kMostThreads = 256, kMostName = 64;
constexpr std::int64_t kLongestRange_ns = std::int64_t{7} * 24 * 3600 * 1000 * 1000 * 1000;  // a week

enum class NoteKind : std::uint8_t { nested, mark, loose };

void sort_by_start(std::vector<RangeNote>& notes) {
  std::stable_sort(notes.begin(), notes.end(), [](const RangeNote& a, const RangeNote& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : a.depth < b.depth;
  });
}

// [note] the innermost range of its thread that holds it; -1 for none. Notes are sorted by start. Nothing
// where two ranges of a thread cross.
std::optional<std::vector<int>> holders(const Ranges& ranges) {
  std::vector<int> all(ranges.notes.size(), -1);
  std::vector<std::vector<int>> open(ranges.threads.size());  // the innermost last
  for (std::size_t i = 0; i < ranges.notes.size(); ++i) {
    const RangeNote& note = ranges.notes[i];
    if (note.loose()) continue;
    auto& around = open[std::size_t(note.thread)];
    const auto end = [&] { return ranges.notes[std::size_t(around.back())].end_ns; };
    while (!around.empty() && end() <= note.start_ns) around.pop_back();
    if (!around.empty() && end() < note.end_ns) return {};
    if (!around.empty()) all[i] = around.back();
    if (!note.mark) around.push_back(int(i));
  }
  return all;
}

bool set_depths(Ranges& ranges) {
  const auto holder = holders(ranges);
  if (!holder) return false;
  for (std::size_t i = 0; i < ranges.notes.size(); ++i)
    if (!ranges.notes[i].loose())
      ranges.notes[i].depth = (*holder)[i] < 0 ? 0 : ranges.notes[std::size_t((*holder)[i])].depth + 1;
  return true;
}

std::string plain(std::string_view name) {
  std::string text(name.substr(0, kMostName));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

}  // namespace

Ranges ranges_of_run(Ranges all, std::int64_t origin_ns) {
  std::erase_if(all.notes, [&](const RangeNote& n) { return !n.loose() && n.start_ns < origin_ns; });
  Ranges run;
  std::map<int, int> renumbered;
  const auto number = [&](int thread) {
    const auto [at, added] = renumbered.try_emplace(thread, int(run.threads.size()));
    if (added) run.threads.push_back(all.threads.at(std::size_t(thread)));
    return at->second;
  };
  sort_by_start(all.notes);
  for (RangeNote& note : all.notes) {
    note.start_ns -= origin_ns, note.end_ns -= origin_ns;
    note.thread = number(note.thread), note.end_thread = number(note.end_thread);
    run.notes.push_back(std::move(note));
  }
  [[maybe_unused]] const bool nest = set_depths(run);
  assert(nest);
  return run;
}

std::vector<std::int64_t> own_ns(const Ranges& ranges) {
  std::vector<std::int64_t> own;
  for (const RangeNote& note : ranges.notes) own.push_back(note.length_ns());
  if (const auto holder = holders(ranges))
    for (std::size_t i = 0; i < own.size(); ++i)
      if (const int around = (*holder)[i]; around >= 0)
        own[std::size_t(around)] -= ranges.notes[i].length_ns();
  return own;
}

// --- text: threads as "length name," then ';', names in the same way, then notes as
// "name kind thread end_thread start length,". Starts are counted from the start of the note before.

std::string to_text(const Ranges& ranges) {
  std::string text;
  std::map<std::string, int> index;
  const auto number = [&](std::int64_t x, char end) { text += std::to_string(x) + end; };
  const auto word = [&](const std::string& name) { number(std::ssize(name), ' '), text += name + ','; };
  for (const std::string& thread : ranges.threads) word(plain(thread));
  text += ';';
  for (const RangeNote& note : ranges.notes)
    if (const std::string name = plain(note.name); index.try_emplace(name, int(index.size())).second)
      word(name);
  text += ';';
  std::int64_t before = 0;
  for (const RangeNote& note : ranges.notes) {
    const NoteKind kind = note.mark ? NoteKind::mark : note.loose() ? NoteKind::loose : NoteKind::nested;
    number(index.at(plain(note.name)), ' '), number(std::int64_t(kind), ' ');
    number(note.thread, ' '), number(note.end_thread, ' ');
    number(note.start_ns - before, ' '), number(note.length_ns(), ',');
    before = note.start_ns;
  }
  return text;
}

namespace {

std::vector<std::string> read_names(RecordReader& reader, std::size_t most) {
  std::vector<std::string> names;
  while (reader.ok() && !reader.at(';') && names.size() <= most) {
    const auto length = std::size_t(reader.number(0, std::int64_t(kMostName), ' '));
    const std::string_view name = reader.bytes(length, ',');
    if (plain(name) != name) reader.refuse();
    names.emplace_back(name);
  }
  if (names.size() > most) reader.refuse();
  reader.take(';');
  return names;
}

RangeNote read_note(RecordReader& reader, const std::vector<std::string>& names, std::size_t threads,
                    std::int64_t before) {
  RangeNote note;
  const auto index = [&](std::size_t count) {
    return std::size_t(reader.number(0, std::int64_t(count) - 1, ' '));
  };
  const std::size_t name = index(names.size());
  if (reader.ok()) note.name = names[name];
  const auto kind = NoteKind(reader.number(0, 2, ' '));
  note.mark = kind == NoteKind::mark, note.depth = kind == NoteKind::loose ? -1 : 0;
  note.thread = int(index(threads)), note.end_thread = int(index(threads));
  note.start_ns = before + reader.number(-kLongestRange_ns, kLongestRange_ns, ' ');
  note.end_ns = note.start_ns + reader.number(0, note.mark ? 0 : kLongestRange_ns, ',');
  if (!note.loose() && note.end_thread != note.thread) reader.refuse();
  if (std::abs(note.start_ns) > kLongestRange_ns || std::abs(note.end_ns) > kLongestRange_ns) reader.refuse();
  return note;
}

}  // namespace

Result<Ranges> parse_ranges(std::string_view text) {
  Ranges ranges;
  RecordReader reader(text);
  ranges.threads = read_names(reader, kMostThreads);
  const std::vector<std::string> names = read_names(reader, kMostNotes);
  std::int64_t before = 0;
  while (reader.ok() && !reader.done() && ranges.notes.size() <= kMostNotes) {
    ranges.notes.push_back(read_note(reader, names, ranges.threads.size(), before));
    before = ranges.notes.back().start_ns;
  }
  if (!reader.ok() || ranges.notes.size() > kMostNotes)
    return bad_input("the record of the run's ranges is damaged; run or record it again", {});
  sort_by_start(ranges.notes);
  if (!set_depths(ranges))
    return bad_input(
        "the record of the run's ranges is damaged: two of one thread cross; run or record it again", {});
  return ranges;
}

namespace {

std::optional<Result<Ranges>> read_ranges_of(const Metrics& flat, const char* name) {
  const auto at = flat.find(name);
  if (at == flat.end()) return {};
  const auto* text = std::get_if<std::string>(&at->second);
  return parse_ranges(text ? std::string_view(*text) : std::string_view());
}

}  // namespace

const EvidenceKind RangesEvidence::kind{"ranges", {{"ranges"}}, read_record<RangesEvidence>, Beside::aside};

std::optional<RangesEvidence> RangesEvidence::read(const Metrics& flat) {
  return RangesEvidence{read_ranges_of(flat, kRangesMetric), read_ranges_of(flat, kRecordedRangesMetric)};
}

Metrics RangesEvidence::flat() const {
  Metrics flat;
  if (own && *own) flat[kRangesMetric] = to_text(**own);
  if (recorded && *recorded) flat[kRecordedRangesMetric] = to_text(**recorded);
  return flat;
}

std::optional<Result<Ranges>> read_ranges(const Run& run, const char* metric) {
  const auto* ranges = run.evidence.find<RangesEvidence>();
  if (!ranges) return {};
  return std::string_view(metric) == kRangesMetric ? ranges->own : ranges->recorded;
}

std::optional<Ranges> ranges_of(const Run& run, const char* metric) {
  const auto read = read_ranges(run, metric);
  if (!read || !*read) return {};
  return **read;
}

}  // namespace lockstep
