// The application as a picture's options describe it: without a window, its runs handed over.
#pragma once
#include "app.hpp"
#include "shell.hpp"

namespace lockstep {

App app_for(const ShotOptions& options);
// To the step that the options name; an error where this run has no such step.
Status go_there(App& app, const ShotOptions& options);
void draw_shot(Canvas& canvas, App& app, const ShotOptions& options);
// The whole window.
std::string svg_of_window(App& app, const ShotOptions& options);
// What --figure stands for: headline, stage and sentence; of a run without steps its numbers.
FigureOptions usual_figure(App& app, const ShotOptions& options);

}  // namespace lockstep
