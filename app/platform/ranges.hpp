// Named stretches of what the program does: kept for its own pictures, and told to a profiler by NVTX where
// there is CUDA. Any thread may call.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "app/model/ranges_record.hpp"

namespace lockstep {

// Ranges of one thread nest.
class Range {
 public:
  explicit Range(std::string_view name);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  std::int64_t start_ns() const { return start_ns_; }

 private:
  std::string name_;
  std::int64_t start_ns_ = 0;
  bool kept_ = false;
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
  bool open_ = true, kept_ = false;
};

void mark(std::string_view name);
void name_this_thread(std::string_view name);

// What was noted since the last call, by the steady clock, in the order of the ends; threads are 0, 1, ... as
// they were first heard of. At most kMostNotes are kept: those that begin when there are as many are dropped.
Ranges take_ranges();

}  // namespace lockstep
