// What the stage of the architecture lab is made of.
#pragma once
#include "scene.hpp"

namespace lockstep {

// Neighbouring waves differ in strength.
Color wave_color(const Theme& theme, int wave);

// The chip with its SMs, L2 and memory; a GPC, a TPC, an SM, a sub-core. What is clicked goes into `events`.
void draw_chip(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
               StageEvents& events);
void draw_inside(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                 StageEvents& events);

// Which SM is busy when: rows are SMs, or the places of the one that is looked at.
void draw_over_time(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                    StageEvents& events);

// Settings that go to a part.
Params going_to(Part part, int sm);

// An outline around a station that a product's bytes have come to, strong where they are now.
void draw_lit(Canvas& canvas, const ArchitectureScene& scene, Station station, Rect r);

// "Chip › GPC › TPC": buttons from left to right, as many as there is room for.
struct Link {
  std::string id, title;
  bool current = false;
};
// Which one was clicked. `*end`: where the last one ends.
std::optional<std::size_t> draw_chain(Canvas& canvas, const Theme& theme, Rect r,
                                      const std::vector<Link>& links, float* end = nullptr);

// The stations of a product's bytes, and what the one gives that they have come to; the height used.
float way_height(const Canvas& canvas, const Theme& theme, const ArchitectureScene& scene, float width);
void draw_way(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
              StageEvents& events);
// The button that shows them.
void draw_way_button(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                     StageEvents& events);

}  // namespace lockstep
