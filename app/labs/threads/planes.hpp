// The problem of an index run as planes of cells: rows of a 1-D one, a plane, slices.
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "scene.hpp"

namespace lockstep {

// What the pointer is on: an element, or what stands beyond the edge.
struct ProblemHit {
  std::optional<Extent3> element;
  bool clicked = false;
  std::map<std::int64_t, Vec2> of_step;  // where the elements of this step stand, those in sight
};
ProblemHit draw_problem(Canvas& canvas, const StageInput& in, Rect r, const ThreadsScene& scene,
                        const Pick& pick);

}  // namespace lockstep
