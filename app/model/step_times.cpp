#include "step_times.hpp"

#include <algorithm>
#include <cmath>

#include "figure_fields.hpp"
#include "record_reader.hpp"

namespace lockstep {

const EvidenceKind StepTimesEvidence::kind{
    "steps", {{"steps"}}, read_record<StepTimesEvidence>, Beside::taken};

namespace {

constexpr std::int64_t kMostWarps = 32, kMostCycles = std::int64_t{1} << 31;
constexpr std::int64_t kMostIndex = std::int64_t{UINT32_MAX};

constexpr FigureField<StepTimesEvidence> kFields[] = {
    {"settings", &StepTimesEvidence::settings},
    {"slowdown", &StepTimesEvidence::slowdown},
    {"block", &StepTimesEvidence::block},
};

StepNote read_note(RecordReader& reader, std::int64_t from) {
  StepNote note;
  note.of = NoteOf(reader.number(0, 2, ','));
  note.name = std::uint16_t(reader.number(0, UINT16_MAX, ','));
  note.index = std::uint32_t(reader.number(0, kMostIndex, ','));
  note.begin = std::uint32_t(reader.number(from, kMostCycles, ','));
  note.end = note.begin + std::uint32_t(reader.number(0, kMostCycles - note.begin, ';'));
  return note;
}

}  // namespace

std::string step_notes_text(const std::vector<WarpNotes>& warps) {
  std::string text;
  for (const WarpNotes& warp : warps) {
    text += std::to_string(warp.warp) + ' ' + std::to_string(warp.notes.size()) + ' ';
    for (const StepNote& note : warp.notes)
      text += std::to_string(int(note.of)) + ',' + std::to_string(note.name) + ',' +
              std::to_string(note.index) + ',' + std::to_string(note.begin) + ',' +
              std::to_string(note.end - note.begin) + ';';
  }
  return text;
}

std::optional<std::vector<WarpNotes>> read_step_notes(std::string_view text) {
  RecordReader reader(text);
  std::vector<WarpNotes> warps;
  while (reader.ok() && !reader.done()) {
    WarpNotes warp;
    warp.warp = reader.number(warps.empty() ? 0 : warps.back().warp + 1, kMostWarps - 1, ' ');
    const auto count = std::size_t(reader.number(1, kMostStepNotes, ' '));
    while (reader.ok() && warp.notes.size() < count)
      warp.notes.push_back(read_note(reader, warp.notes.empty() ? 0 : warp.notes.back().end));
    warps.push_back(std::move(warp));
  }
  if (!reader.ok() || warps.empty()) return {};
  return warps;
}

std::vector<StepSpan> spans_of(const WarpNotes& warp) {
  std::vector<StepSpan> spans;
  const StepNote* step = nullptr;
  std::int64_t from = 0;
  const auto add = [&](std::optional<NoteOf> waits, std::int64_t end) {
    if (step && end > from) spans.push_back({step->name, step->index, waits, from, end});
    from = end;
  };
  for (const StepNote& note : warp.notes) {
    if (note.of == NoteOf::step) {
      add({}, note.begin);
      step = &note, from = note.begin;
    } else if (note.end - note.begin >= kLeastWait) {
      add({}, note.begin);
      add(note.of, note.end);
    }
  }
  return spans;
}

std::vector<StepSpan> products_of(const WarpNotes& warp, const std::vector<std::uint16_t>& steps) {
  std::vector<StepSpan> products;
  std::size_t ended = 0;
  bool asking = false;  // in the step of products.back()
  for (const StepNote& note : warp.notes) {
    if (note.of == NoteOf::step) {
      asking = std::find(steps.begin(), steps.end(), note.name) != steps.end();
      if (asking) products.push_back({note.name, note.index, {}, note.begin, note.begin});
    } else if (note.of == NoteOf::phase) {
      if (asking) products.back().begin = note.end;
    } else {
      asking = false;
      const std::int64_t end = note.end - note.begin < kLeastWait ? note.begin : note.end;
      for (; ended + note.index < products.size(); ++ended)
        products[ended].end = std::max(products[ended].begin, end);
    }
  }
  products.resize(ended);
  return products;
}

std::optional<StepTimesEvidence> StepTimesEvidence::read(const Metrics& flat) {
  StepTimesEvidence evidence;
  const Metrics own = figures_below(flat, "steps");
  read_fields(evidence, kFields, own);
  const auto* text = figure<std::string>(own, "times");
  if (!text) return {};
  auto warps = read_step_notes(*text);
  if (!warps) return {};
  evidence.warps = std::move(*warps);
  if (evidence.slowdown && !std::isfinite(*evidence.slowdown)) evidence.slowdown.reset();
  return evidence;
}

std::string StepTimesEvidence::setting(std::string_view name) const {
  const std::string all = ", " + settings.value_or("") + ",", sought = ", " + std::string(name) + " = ";
  const std::size_t at = all.find(sought);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + sought.size();
  return all.substr(begin, all.find(',', begin) - begin);
}

Metrics StepTimesEvidence::flat() const {
  Metrics flat;
  write_fields(*this, kFields, flat, "steps.");
  flat["steps.times"] = step_notes_text(warps);
  return flat;
}

}  // namespace lockstep
