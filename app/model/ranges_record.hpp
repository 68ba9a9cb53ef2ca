// Named stretches of what the program did for a run, as NVTX knows them: ranges of a thread that nest (push,
// pop), ranges that may end on another thread (start, end) and marks; as a run keeps them and shows them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.hpp"
#include "run.hpp"

namespace lockstep {

struct RangeNote {
  std::string name;
  int thread = 0;      // index into Ranges::threads: where it began
  int end_thread = 0;  // where it ended: another one at most where depth is -1
  int depth = 0;       // of ranges that nest: 0 is the outermost; -1: one that may end on another thread
  bool mark = false;   // of no length; its depth is the number of ranges around it
  std::int64_t start_ns = 0, end_ns = 0;
  bool loose() const { return depth < 0; }
  std::int64_t length_ns() const { return end_ns - start_ns; }
  bool operator==(const RangeNote&) const = default;
};
struct Ranges {
  std::vector<RangeNote> notes;
  std::vector<std::string> threads;  // their names; "" where none was given
  bool operator==(const Ranges&) const = default;
};
constexpr std::size_t kMostNotes = 4096;

// Those of one run: times are counted from `origin_ns`, ranges and marks before it are left out (a range
// across threads may begin earlier: what led to the run); sorted by start, the longer one first; threads
// without any are left out; depths say which of these ranges hold one another.
Ranges ranges_of_run(Ranges all, std::int64_t origin_ns);

// [note] the time of it in which no other range of its thread runs inside it.
std::vector<std::int64_t> own_ns(const Ranges& ranges);

// As one line of text, and back, for ranges as ranges_of_run() leaves them; names in ASCII, as NVTX takes
// them (other bytes become '?'), cut at 64. The text may be a stranger's: the error says that it is damaged,
// which ranges of a thread that cross are as well.
std::string to_text(const Ranges& ranges);
Result<Ranges> parse_ranges(std::string_view text);

// Of this run, and of the one recorded on a GPU that stands beside it; nothing where there are none. An
// error where they are damaged.
constexpr const char* kRangesMetric = "ranges.record";
constexpr const char* kRecordedRangesMetric = "ranges.recorded.record";
struct RangesEvidence {
  static const EvidenceKind kind;
  static std::optional<RangesEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::optional<Result<Ranges>> own, recorded;
};
std::optional<Result<Ranges>> read_ranges(const Run& run, const char* metric = kRangesMetric);
// The same; nothing where they are damaged.
std::optional<Ranges> ranges_of(const Run& run, const char* metric = kRangesMetric);

}  // namespace lockstep
