// The block's sums as they grow: what of C = A B the trips up to a step have added, from the run's own A and
// B.
#pragma once
#include <cstdint>
#include <vector>

#include "app/model/groups.hpp"
#include "app/model/run.hpp"

namespace lockstep {

class PartialSums {
 public:
  PartialSums() = default;
  // rows x cols: a tile of C that the block makes. Where the run keeps no inputs, or there are too many
  // products to add them when a run is opened, nothing is known.
  PartialSums(const Run& run, const LoopAxis& axis, const ViewInfo& a, const ViewInfo& b, Span rows,
              Span cols, int tile_of_c);
  bool known() const { return !after_trip_.empty(); }
  // c[row][col] when `step` is done: 0 before the first product.
  double at(int step, std::int64_t row, std::int64_t col) const;
  double largest() const { return largest_; }  // of all that a sum ever is, without its sign

 private:
  std::vector<int> multiply_steps_;             // of the trips that are multiplied, in the order of their k
  std::vector<std::vector<float>> after_trip_;  // [trip][row x col]
  Span rows_, cols_;
  double largest_ = 0;
};

}  // namespace lockstep
