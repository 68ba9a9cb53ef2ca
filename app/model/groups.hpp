// Coarse steps over fine ones: a tiled product's loop as load, wait, multiply and store.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "progress.hpp"

namespace lockstep {

// What a coarse step does in a tiled loop.
enum class Role : std::uint8_t { load, wait, multiply, store };

// A trip around a tiled loop: the stretch of the loop's dimension that one step loads and one multiplies.
struct Trip {
  Span k;                                  // columns of A; rows of B, or its columns
  int load_step = -1, multiply_step = -1;  // the same step where nothing is kept in shared memory
  int arrival_step = -1;                   // from this step on the data are there; -1 = never waited for
  int return_step = -1;  // where its buffer is given back at a barrier of its own; -1: it is not
  bool async = false;    // fetched by an asynchronous copy
  int tile_of_c = 0;     // into whose sums it goes: the block's tiles of C, in their order
  struct Target {
    std::uint16_t view = 0;
    std::uint32_t first_byte = 0, last_byte = 0;
    bool operator==(const Target&) const = default;
  };
  std::vector<Target> targets;  // where it stands in shared memory
};

// What a coarse step of a tiled loop is.
struct StepGroup {
  Role role = Role::load;
  int trip = -1;                     // that is loaded or multiplied, or that arrives at this wait
  int freed = -1;                    // trip whose buffer this wait waits for
  int tile_of_c = -1;                // whose sums it waits for, makes or stores; -1: of those before it
  Span in_flight;                    // trips whose copies are on their way when the step is done
  std::vector<std::uint16_t> lines;  // of the source, ascending
};

// Whether the second operand of a product stands column by column, n x k: tensor cores read elements of one
// byte along k alone (PTX ISA, "wgmma").
inline bool stands_by_columns(const ViewInfo& b) { return b.element_bytes == 1; }

// The loop of a product C = A B whose views are 0 (A, m x k), 1 (B, k x n or by columns), 2 (C), as coarse
// steps. Within a barrier interval: global loads with the shared stores that keep them, and asynchronous
// copies by commit group, are "load"; shared loads "multiply"; global stores "store"; a barrier is "wait".
// They stand in the order of the threads' streams. A launch that uses neither barriers nor shared memory
// multiplies straight from global memory: visit k of each load site is one "multiply" there. Trip i of the
// loop is the i-th load and the i-th multiply; its k are the columns of A and rows of B that the load
// touches. Keys: "load 8" by the first k that it brings, "wait 8" likewise, "multiply 15" by the last k that
// is then in the sums, "barrier 15" by the last k multiplied before it. Where the copy engine brings the
// tiles (boxed_loop.hpp) waits are those at barriers in shared memory, and "free 8" is the wait for the
// buffer that held k = 8.
class LoopAxis final : public AccessAxis {
 public:
  LoopAxis() = default;
  explicit LoopAxis(const std::vector<Launch>& launches);
  std::vector<StepGroup> groups;  // one per step
  std::vector<Trip> trips;
  SourceLines lines(int step) const override;
  // Tiles of C that the block makes one after the other, and whose sums it makes or stores at a step.
  int tiles_of_c() const { return tiles_of_c_; }
  int tile_of_c(int step) const {
    return tile_of_step_.empty() ? 0 : tile_of_step_[std::size_t(std::clamp(step, 0, int(steps.size()) - 1))];
  }

 private:
  void find_tiles_of_c();
  int tiles_of_c_ = 1;
  std::vector<int> tile_of_step_;
};

// How far the sums of the tile at hand have come after `step`: k = 0 .. k_done - 1 are in them.
std::int64_t k_done(const LoopAxis& axis, int step);
// Where a trip of the loop stands after a step.
enum class TripState : std::uint8_t { ahead, loading, resident, in_use, used };
TripState state_of(const LoopAxis& axis, const Trip& trip, int step);

// The buffers in shared memory, in the order of their addresses: where tiles of different trips take turns
// there are several. Each with the trip that it holds or is filled with after `step`.
struct TileBuffer {
  std::vector<Trip::Target> places;
  int trip = -1;  // -1: nothing was ever put there so far
};
std::vector<TileBuffer> buffers_at(const LoopAxis& axis, int step);

// Which thread of the followed block writes each element of one of its tiles of C, and how often.
struct Owners {
  Region region;
  std::vector<std::int32_t> thread;  // region.rows x region.cols; -1 = nobody
  std::vector<std::uint16_t> writes;
  int step = -1;  // of the store
  std::int32_t of(std::int64_t row, std::int64_t col) const;
  std::int64_t elements_of_thread(std::int32_t thread) const;
};
Owners owners_of(const LoopAxis& axis, const BlockProgress& progress, const ViewInfo& c, int tile_of_c = 0);

}  // namespace lockstep
