// When the warps of a block were at which of the kernel's steps, by the SM's clock: notes of a build of the
// kernel that is compiled for speed and writes down nothing else.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence.hpp"

namespace lockstep {

// What a warp noted down.
enum class NoteOf : std::uint8_t {
  step,     // begin_step(): begin = end; without a name, in warp 0: the launch
  phase,    // wait_phase(): from its begin to its end
  products  // products_wait()
};

// 16 bytes, no padding: a GPU writes them.
struct StepNote {
  std::uint32_t begin = 0, end = 0;  // cycles of the SM
  std::uint32_t index = 0;           // of begin_step(); of products_wait<N>() the N
  std::uint16_t name = 0;            // name_id() of begin_step()
  NoteOf of = NoteOf::step;
  std::uint8_t unused = 0;
  bool operator==(const StepNote&) const = default;
};
static_assert(sizeof(StepNote) == 16);

// The notes of one warp, in its order. Cycles count from the first note of the block.
struct WarpNotes {
  std::int64_t warp = 0;  // of the block
  std::vector<StepNote> notes;
  bool operator==(const WarpNotes&) const = default;
};

// Cycles of a wait that counts as one: a note takes about as long.
constexpr std::uint32_t kLeastWait = 128;
constexpr std::size_t kMostStepNotes = 160;  // of a warp: those that follow are not kept

// "4 2 0,1234,0,10,0;1,1234,0,12,90;": a warp, how many notes, and of each what it is of, name, index, begin
// and length.
std::string step_notes_text(const std::vector<WarpNotes>& warps);
// Nothing where the text is not such a record: rising warps, times that do not go back.
std::optional<std::vector<WarpNotes>> read_step_notes(std::string_view text);

// A part of a warp's time: between two steps it works at the first of them or waits.
struct StepSpan {
  std::uint16_t name = 0;  // of the step
  std::uint32_t index = 0;
  std::optional<NoteOf> waits;  // for what; nothing where it works
  std::int64_t begin = 0, end = 0;
};
// Spans in order without gaps, from the first step to the last note. A wait shorter than kLeastWait is no
// wait.
std::vector<StepSpan> spans_of(const WarpNotes& warp);

// When products were under way at the longest: from where the step that asks for them begins, or has waited
// for what it needs, to the wait behind which they are there. One group of products for each of these steps.
// A short wait found them there: they have ended where it begins, or before.
std::vector<StepSpan> products_of(const WarpNotes& warp, const std::vector<std::uint16_t>& steps);

struct StepTimesEvidence {
  static const EvidenceKind kind;  // "steps.times", "steps.slowdown", "steps.settings", "steps.block"
  static std::optional<StepTimesEvidence> read(const Metrics& flat);
  Metrics flat() const;
  // Of the launch by the parameter's name ("seq"): the text of its value; "" where the settings lack it.
  std::string setting(std::string_view name) const;
  std::vector<WarpNotes> warps;         // the first one of each group of four that noted anything
  std::optional<std::string> settings;  // of the launch: "seq = 4096, …"
  std::optional<double> slowdown;       // of the block, by its notes
  std::optional<std::int64_t> block;    // linear
};

}  // namespace lockstep
