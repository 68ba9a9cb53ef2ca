// What the emulator has to tell of a run beside its events, put together block by block in their order.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep::simt {

constexpr int kMaxFindings = 64;
constexpr std::size_t kMaxPrinted = 64 * 1024;  // bytes, by printf

// The same pair of lines is told once, with its first threads.
inline bool same_lines(const Finding& a, const Finding& b) {
  return a.line == b.line && a.other_line == b.other_line && a.kind == b.kind && a.file == b.file;
}

struct RepeatedFinding {
  Finding first;
  std::int64_t times = 1;
};

// What is to be told of one block.
struct BlockNotes {
  std::vector<RepeatedFinding> findings;
  std::string printed;
  bool overflowed = false;  // Options::max_block_events was reached
};

class Told {
 public:
  void add(BlockNotes notes);
  const std::vector<Finding>& findings() const { return findings_; }
  std::int64_t findings_dropped() const { return dropped_; }
  const std::string& printed() const { return printed_; }
  bool overflowed() const { return overflowed_; }

 private:
  std::vector<Finding> findings_;
  std::int64_t dropped_ = 0;
  std::string printed_;
  bool overflowed_ = false;
};

}  // namespace lockstep::simt
