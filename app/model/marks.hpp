// Steps as the kernel itself names them: begin_step("scores", j) in its source opens one, and show("m", row,
// x) tells what a thread holds there.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory_axis.hpp"

namespace lockstep {

// What the followed block showed. A value stands from the step in which it was shown until the next one of
// the same name and index.
class ShownValues {
 public:
  struct Entry {
    int step = 0;
    float value = 0;
    std::uint16_t thread = 0;  // of the block, that showed it
  };
  // Rising steps, one entry per step: the last one shown there, in the order of the threads.
  std::span<const Entry> history(std::uint16_t name, std::uint32_t index) const;
  // What stands after `step`; nullptr where none was shown by then.
  const Entry* entry(std::uint16_t name, std::uint32_t index, int step) const;
  std::optional<float> at(std::uint16_t name, std::uint32_t index, int step) const;
  // Before `step`: what the step itself started from.
  std::optional<float> before(std::uint16_t name, std::uint32_t index, int step) const {
    return at(name, index, step - 1);
  }
  bool empty() const { return entries_.empty(); }

  struct Shown {
    std::uint16_t name = 0;
    std::uint32_t index = 0;
    Entry entry;
  };
  ShownValues() = default;
  explicit ShownValues(std::vector<Shown> all);  // in the order of the threads

 private:
  // Of one name: those of place i stand in entries_ from begin[i] to begin[i + 1]. The places are those of
  // the indices from `first` on, or, where few of many indices were shown, of the sorted `indices`.
  struct Named {
    std::uint16_t name = 0;
    std::uint32_t first = 0;
    std::vector<std::uint32_t> indices;
    std::vector<std::uint32_t> begin;
    std::optional<std::size_t> place(std::uint32_t index) const;
  };
  std::vector<Named> names_;  // rising
  std::vector<Entry> entries_;
};

// What a step of this axis is.
struct MarkedStep {
  std::uint16_t mark = 0;  // name_id() of begin_step(), 0 before the first one
  std::uint32_t index = 0;
  std::uint16_t file = 0, line = 0;  // of begin_step() itself
  std::vector<std::uint16_t> lines;  // of the source, ascending
};

// One step per begin_step() of each launch, also where it moves no data; what stands before the first one is
// a step without a name. Every thread of a block passes the same marks in the same order, or the first ones
// of them; where some do something else (a warp that only fetches), their marks stand in front of the first
// one of the others with a larger index, and the lower thread's first where it is the same. Inside a step the
// parts stand in canonical order. A run without marks gives one step per launch. `names`: of the marks; a
// step's key is "scores 3" by name and index.
class MarkedAxis final : public AccessAxis {
 public:
  MarkedAxis() = default;
  MarkedAxis(const std::vector<Launch>& launches, std::span<const char* const> names = {});
  std::vector<MarkedStep> marked;  // one per step
  ShownValues shown;
  SourceLines lines(int step) const override;

 private:
  void add(int launch, const Access* mark, struct MarkedBucket& bucket, const std::vector<Step>& fine,
           std::span<const char* const> names);
};

// The first step with this name and index at or after `from`; -1 if there is none.
int find_marked(const MarkedAxis& axis, std::uint16_t name, std::uint32_t index, int from = 0);

}  // namespace lockstep
