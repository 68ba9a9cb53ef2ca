// The stepper's axis: what positions a run has, what each is called, and where another run has the same one.
// What a step is beyond that hangs on its kind: the axes derived from this one (memory_axis.hpp, groups.hpp,
// marks.hpp, list_axis.hpp) hold it, typed.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// What a step is called, whatever its number: the same in every run that has it, in every language, from
// every engine. As text, "kernel 2: multiply 15 again 1, warp 4": the kernel only of later launches, the
// index only where it is not 0, "again" only where all else is the same as of an earlier step.
struct StepKey {
  int launch = 0;
  std::string phase;       // words: "write out", "multiply", "scores"
  std::int64_t index = 0;  // a tile, a k; of memory steps: the how manieth of this warp and phase
  int again = 0;
  int warp = -1;  // -1: all warps'
  bool operator==(const StepKey&) const = default;
};
std::string to_text(const StepKey& key);
std::optional<StepKey> parse_step_key(std::string_view text);

// A stretch of steps, as the phase strip shows it.
struct Phase {
  int first = 0, count = 0;
};

// The source lines of a step, ascending.
struct SourceLines {
  std::uint16_t file = 0;  // file_id()
  std::vector<std::uint16_t> lines;
};

class Axis {
 public:
  virtual ~Axis() = default;
  int count() const { return int(places_.size()); }
  bool empty() const { return places_.empty(); }
  const std::vector<Phase>& phases() const { return phases_; }
  StepKey key(int step) const;
  int step_of(const StepKey& key) const;  // -1 if there is none
  int launch_of(int step) const { return places_.at(std::size_t(step)).launch; }
  int warp_of(int step) const { return places_.at(std::size_t(step)).warp; }  // -1: all warps'
  // Where a step is one warp's, following another warp moves the step; elsewhere the warp is picked out of
  // the step.
  bool steps_are_warps() const { return steps_are_warps_; }
  // The step that does for `warp` what `step` does for its own; -1 if there is none.
  int step_of_warp(int step, std::int64_t warp) const;
  virtual SourceLines lines(int step) const = 0;

 protected:
  Axis() = default;
  Axis(const Axis&) = default;
  Axis(Axis&&) = default;
  Axis& operator=(const Axis&) = default;
  Axis& operator=(Axis&&) = default;

  // The next step. Without an index: the how manieth with these words is of this warp.
  void add_step(int launch, std::string_view words, std::optional<std::int64_t> index, int warp = -1);
  void begin_phase() { phases_.push_back({count(), 0}); }  // of the steps added from here on

 private:
  struct Place {
    std::uint16_t launch = 0, again = 0;
    std::uint32_t words = 0;  // index into words_
    std::int32_t warp = -1;
    std::int64_t index = 0;
  };
  using Counter = std::vector<std::uint32_t>;  // by warp + 1
  std::uint32_t add_words(std::string_view words);
  std::optional<std::uint32_t> words_id(std::string_view words) const;
  // The step of these words (and launch, where it has them) for this warp with the least index that is at
  // least `index`, else the last one.
  int nearest(const StepKey& key) const;
  friend struct StepAligner;

  std::vector<Place> places_;
  std::vector<Phase> phases_;
  std::vector<std::string> words_;
  std::map<std::string, std::uint32_t, std::less<>> id_of_words_;
  std::vector<std::vector<std::uint32_t>> steps_of_words_;
  std::map<std::pair<int, std::uint32_t>, Counter> counters_;              // by launch and words
  std::map<std::tuple<int, std::uint32_t, std::int64_t, int>, int> seen_;  // of given indices
  bool steps_are_warps_ = false;
};

// Where `to` stands when `from` stands at `step`: at the step with the same key; where it has the phase but
// not the index, at the next index that it has, else at its last; where it lacks the phase, as far as the
// phases before it have led. `same`: the step is of the same phase, launch and warp. step is -1 only for an
// empty axis.
struct AlignedStep {
  int step = -1;
  bool same = false;
};
AlignedStep aligned_step(const Axis& from, int step, const Axis& to);

}  // namespace lockstep
