// Coarse steps over fine ones: a tiled product's loop as load, wait, multiply and store.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fold.hpp"
#include "progress.hpp"

namespace lockstep {

// `fine` is build_steps(launches) of a product C = A B whose views are 0 (A, m x k), 1 (B, k x n), 2 (C).
// Within a barrier interval: global loads with the shared stores that keep them, and asynchronous copies by
// commit group, are "load"; shared loads "multiply"; global stores "store"; a barrier is "wait". They stand
// in the order of the threads' streams. A launch that uses neither barriers nor shared memory multiplies
// straight from global memory: visit k of each load site is one "multiply" there. Trip i of the loop is the
// i-th load and the i-th multiply; its k are the columns of A and rows of B that the load touches.
StepAxis group_product(const StepAxis& fine, const std::vector<Launch>& launches);

// How far the followed block's sums have come after `step`: k = 0 .. k_done - 1 are in them.
std::int64_t k_done(const StepAxis& axis, int step);
// The step of `to` that is as far as `step` of `from`, and of the same role where there is one; -1 if `to` is
// empty. Both axes are grouped.
int aligned_group(const StepAxis& from, int step, const StepAxis& to);

// Where a trip of the loop stands after a step.
enum class TripState : std::uint8_t { ahead, loading, resident, in_use, used };
TripState state_of(const StepAxis& axis, const Trip& trip, int step);

// The buffers in shared memory, in the order of their addresses: where tiles of different trips take turns
// there are several. Each with the trip that it holds or is filled with after `step`.
struct TileBuffer {
  std::vector<Trip::Target> places;
  int trip = -1;  // -1: nothing was ever put there so far
};
std::vector<TileBuffer> buffers_at(const StepAxis& axis, int step);

// Which thread of the followed block writes each element of C, and how often.
struct Owners {
  Region region;
  std::vector<std::int32_t> thread;  // region.rows x region.cols; -1 = nobody
  std::vector<std::uint16_t> writes;
  int step = -1;  // of the store
  std::int32_t of(std::int64_t row, std::int64_t col) const;
  std::int64_t elements_of_thread(std::int32_t thread) const;
};
Owners owners_of(const StepAxis& axis, const ViewInfo& c);

}  // namespace lockstep
