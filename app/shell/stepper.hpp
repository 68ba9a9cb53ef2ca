// The stepper under a stage: buttons, phases, a track, and where the reader is. Of a lab and of a reader's
// own program alike.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "app/draw/controls.hpp"
#include "app/labs/lab.hpp"

namespace lockstep {

struct StepperPicture {
  const LabScene* scene = nullptr;  // nullptr: nothing to step through
  LabView view;
  std::span<const Segment> segments;  // the axis' phases in their colours
  bool playing = false;
  double steps_per_second = 8;
  std::string notice;  // in the place of the speed
};
struct StepperEvents {
  std::optional<int> go_to;
  bool stop = false;  // with go_to: playing ends
  int by = 0;
  bool play = false;  // or pause
  std::optional<double> steps_per_second;
};
StepperEvents draw_steps(Canvas& canvas, const Theme& theme, Rect r, const StepperPicture& picture);

}  // namespace lockstep
