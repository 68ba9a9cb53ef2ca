// The parts of the scheduler's stage.
#pragma once
#include <string>

#include "scene.hpp"

namespace lockstep {

// The cycles that stand enlarged around a step.
CycleWindow enlarged_window(const PlayedWarps& played, int step);

// A title with a remark behind it where it has room; the height that both take.
bool remark_fits(const Canvas& canvas, const Theme& theme, float width, const std::string& title,
                 const std::string& remark);
float draw_heading(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                   const std::string& remark);

// The followed scheduler's warps around the current cycle, and the issue slots of all four.
void draw_enlarged(Canvas& canvas, const StageInput& in, const SchedulerScene& scene, Rect r,
                   StageEvents& events);
// The whole run, all four schedulers: the model's states, its iterations, and the iterations that a GPU
// stamped, over the same cycles.
float iterations_from(const Theme& theme);  // the height from which on it shows the iterations, too
void draw_whole_run(Canvas& canvas, const StageInput& in, const SchedulerScene& scene, Rect r,
                    StageEvents& events);

// Why this warp and not that one, scheduler's warp by warp's state.
void draw_reasons(Canvas& canvas, const StageInput& in, const PlayedWarps& played, Rect r);
void draw_stalls(Canvas& canvas, const Theme& theme, const PlayedWarps& played, Rect r);
void draw_throughput(Canvas& canvas, const Theme& theme, const SchedulerScene& scene, Rect r);

}  // namespace lockstep
