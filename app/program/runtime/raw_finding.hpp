// A finding before its sites have become lines and its words have been chosen.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::reader {

struct RawFinding {
  std::string kind;
  int launch = -1;
  std::int64_t block = 0, thread = -1, other_block = -1, other_thread = -1;
  std::uint32_t site = 0, other_site = 0;
  int array = -1;    // into the run's arrays
  std::string view;  // of a shared array
  std::int64_t element = -1, elements = -1;
  std::uint32_t bytes = 0;
  bool store = false, other_store = false;
  std::string text;  // what else is to be said: a limit, an expression, a function's name
  std::int64_t times = 1;

  bool same_place(const RawFinding& other) const {
    return kind == other.kind && launch == other.launch && site == other.site && other_site == other.other_site &&
           view == other.view && array == other.array && text == other.text;
  }
};

constexpr std::size_t kMostFindings = 200;

class RawFindings {
 public:
  void add(RawFinding finding) {
    for (RawFinding& known : all_)
      if (known.same_place(finding)) {
        ++known.times;
        return;
      }
    if (all_.size() < kMostFindings)
      all_.push_back(std::move(finding));
    else
      ++dropped_;
  }
  const std::vector<RawFinding>& all() const { return all_; }
  std::int64_t dropped() const { return dropped_; }

 private:
  std::vector<RawFinding> all_;
  std::int64_t dropped_ = 0;
};

}  // namespace lockstep::reader
