// An axis of things that are not memory accesses: kernels and ranges in the order of their starts, cycles of
// a scheduler, blocks placed on an SM, points of a curve.
#pragma once
#include "axis.hpp"

namespace lockstep {

class ListAxis final : public Axis {
 public:
  // `file`: of the lines of all steps that name none of their own.
  explicit ListAxis(std::uint16_t file = 0) : file_(file) {}
  // The next thing. `lines`: of the source, ascending; without an index, the how manieth of these words it
  // is.
  void add(std::string_view words, std::vector<std::uint16_t> lines = {},
           std::optional<std::int64_t> index = {}, int launch = 0, std::uint16_t file = 0) {
    add_step(launch, words, index), lines_.push_back({file ? file : file_, std::move(lines)});
  }
  void next_phase() { begin_phase(); }
  SourceLines lines(int step) const override { return lines_.at(std::size_t(step)); }

 private:
  std::uint16_t file_ = 0;
  std::vector<SourceLines> lines_;
};

}  // namespace lockstep
