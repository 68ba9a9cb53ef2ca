// What stands under a figure: which run and step, the settings, whose word the numbers are, and the command
// that draws it again.
#pragma once
#include <string>
#include <vector>

#include "figure.hpp"

namespace lockstep {

struct FigureCaption {
  std::string title, settings, step, command;
  std::vector<std::string> sources, warnings;
};

FigureCaption caption_of(App& app, const FigureOptions& options, const std::string& file);
float caption_height(const Canvas& canvas, const FigureCaption& caption, float width, const Theme& theme);
void draw_caption(Canvas& canvas, const FigureCaption& caption, Rect r, const Theme& theme);

}  // namespace lockstep
