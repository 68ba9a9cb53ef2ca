// What the window's stage and the presentation share: the runs that are shown, and their pictures.
#pragma once
#include <span>
#include <string>

#include "app.hpp"

namespace lockstep {

// One of the two runs: what is drawn of it, and where in it the reader is.
struct Shown {
  const LabScene* scene = nullptr;
  LabView view;
  std::string name;  // above its half
};
Shown first_shown(const App& app);
// The second run at the step with the same key.
Shown second_shown(const App& app);

// Why there is nothing to see of a run that is not there yet, or that has no steps.
std::string nothing_yet(const App& app, const Run* run);

// The lab's picture. `keys`: one of two stages answers them.
StageEvents draw_lab(Canvas& canvas, App& app, const Shown& shown, Rect area, const Theme& theme,
                     std::span<const TimelineKey> keys);
// A figure that gives an open question's answer away says "?", and nothing of trouble.
void keep_back(const StoryMask& mask, HeadFigure& figure);
void take_events(App& app, const StageEvents& events, bool second);

// The sentences over the stepper, the first one in ink; returns the height they take of r's lower edge.
float draw_sentences(Canvas& canvas, const Theme& theme, Rect r, const std::vector<std::string>& sentences);

}  // namespace lockstep
