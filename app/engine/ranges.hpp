// Named stretches of what the program does: kept for its own pictures, and told to a profiler by NVTX where
// there is CUDA. Any thread may call.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// A stretch, or a mark (of no length). Times are of the steady clock.
struct RangeNote {
  std::string name;
  int thread = 0;  // 0, 1, ... in the order in which threads were first heard of
  int depth = 0;   // of ranges that nest: 0 is the outermost; -1: one that may end on another thread
  bool mark = false;
  std::int64_t start_ns = 0, end_ns = 0;
};

// Ranges of one thread nest.
class Range {
 public:
  explicit Range(std::string_view name);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  std::string name_;
  std::int64_t start_ns_ = 0;
};

// A range that may end on another thread than it began on.
class LooseRange {
 public:
  explicit LooseRange(std::string_view name);
  LooseRange(LooseRange&& other) noexcept;
  LooseRange& operator=(LooseRange&&) = delete;
  ~LooseRange() { end(); }
  void end();

 private:
  std::string name_;
  std::int64_t start_ns_ = 0;
  std::uint64_t nvtx_ = 0;
  int thread_ = 0;
  bool open_ = true;
};

void mark(std::string_view name);
void name_this_thread(std::string_view name);

struct Ranges {
  std::vector<RangeNote> notes;      // ended ones, in the order of their ends
  std::vector<std::string> threads;  // their names; "" where none was given
};
// What was noted since the last call. At most kMostNotes are kept: later ones are dropped.
constexpr std::size_t kMostNotes = 4096;
Ranges take_ranges();

}  // namespace lockstep
