// Which thread of a launch computes which element, and the other way round: the arithmetic of this folder's
// kernels without running them. Plain C++.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep {

// x runs fastest. An index into such extents has the same type.
struct Extent3 {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t count() const { return x * y * z; }
  std::int64_t linear(const Extent3& at) const { return (at.z * y + at.y) * x + at.x; }
  Extent3 at(std::int64_t linear) const { return {linear % x, linear / x % y, linear / x / y}; }
  bool holds(const Extent3& at) const { return at.x < x && at.y < y && at.z < z; }
  bool operator==(const Extent3&) const = default;
};

constexpr std::int64_t kLanes = 32;  // of a warp

// A thread of a grid: blockIdx and threadIdx.
struct ThreadPlace {
  Extent3 block, thread;
  bool operator==(const ThreadPlace&) const = default;
};

// What becomes of the lanes of a block's warps. Every warp has 32; the last one of a block may have fewer
// threads.
struct LaneUse {
  std::int64_t working = 0;  // threads that have an element
  std::int64_t masked = 0;   // threads that have none: beyond the edge
  std::int64_t absent = 0;   // lanes without a thread
  bool operator==(const LaneUse&) const = default;
};

struct IndexMap {
  Extent3 grid, block, problem;
  bool grid_stride = false;  // along x: the loop of 04_grid_stride; y and z are one

  Extent3 threads() const { return {grid.x * block.x, grid.y * block.y, grid.z * block.z}; }

  // The thread that computes an element; none where the grid does not reach it.
  std::optional<ThreadPlace> thread_of(Extent3 element) const {
    if (grid_stride) element.x %= threads().x;
    if (!threads().holds(element)) return {};
    return ThreadPlace{{element.x / block.x, element.y / block.y, element.z / block.z},
                       {element.x % block.x, element.y % block.y, element.z % block.z}};
  }

  // The first element that a thread would compute, within the problem or beyond its edge.
  Extent3 first_of(const ThreadPlace& t) const {
    return {t.block.x * block.x + t.thread.x, t.block.y * block.y + t.thread.y,
            t.block.z * block.z + t.thread.z};
  }

  // In the thread's order, the first `most` of them. Empty: the thread is masked.
  std::vector<Extent3> elements_of(const ThreadPlace& t, std::size_t most = SIZE_MAX) const {
    std::vector<Extent3> found;
    for (Extent3 e = first_of(t); problem.holds(e) && found.size() < most; e.x += threads().x) {
      found.push_back(e);
      if (!grid_stride) break;
    }
    return found;
  }

  std::int64_t warps_per_block() const { return (block.count() + kLanes - 1) / kLanes; }
  std::int64_t linear_thread(const ThreadPlace& t) const { return block.linear(t.thread); }
  std::int64_t warp_of(const ThreadPlace& t) const { return linear_thread(t) / kLanes; }
  std::int64_t lane_of(const ThreadPlace& t) const { return linear_thread(t) % kLanes; }

  LaneUse of_block(const Extent3& index) const {
    const auto reached = [](std::int64_t extent, std::int64_t first, std::int64_t across) {
      return std::clamp<std::int64_t>(extent - first, 0, across);
    };
    const std::int64_t working = reached(problem.x, index.x * block.x, block.x) *
                                 reached(problem.y, index.y * block.y, block.y) *
                                 reached(problem.z, index.z * block.z, block.z);
    return {working, block.count() - working, warps_per_block() * kLanes - block.count()};
  }

  LaneUse of_grid() const {
    const Extent3 all = threads();
    const std::int64_t working =
        std::min(problem.x, all.x) * std::min(problem.y, all.y) * std::min(problem.z, all.z);
    return {working, all.count() - working, grid.count() * (warps_per_block() * kLanes - block.count())};
  }

  // Elements that no thread computes: the grid is too small.
  std::int64_t left_out() const { return grid_stride ? 0 : problem.count() - of_grid().working; }
};

}  // namespace lockstep
