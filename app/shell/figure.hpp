// Figures for papers and slides: one panel of the window, or several below each other, without controls and
// hints, with a caption that says what is shown, where its numbers come from and which command draws it
// again.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app.hpp"

namespace lockstep {

enum class FigureGround { white, theme, dark };

// "85mm" or "640px"; a px is 1/96 inch, as in CSS.
struct FigureWidth {
  double amount = 170;
  bool mm = true;
};

struct FigureOptions {
  std::vector<std::string> panels;  // by name, from top to bottom
  FigureWidth width;
  std::optional<std::pair<int, int>> size;  // of the page in px, in place of the width
  std::optional<FigureGround> ground;       // else white in the light theme, dark in the dark one
  float scale = 0;                          // PNG: pixels per px; 0 = 300 per inch for mm, one for px
  bool outlines = false;                    // text as curves
  std::vector<std::string> recordings;      // folders that were named for it
};

// The panels that this lab has with these settings, in the window's order.
std::vector<std::string> figure_panels(App& app);
// "numbers" in the reader's language.
std::string figure_panel_title(App& app, const std::string& panel);

struct Figure {
  std::vector<std::uint8_t> bytes;  // SVG, PDF or PNG by the ending of the file's name
  double smallest_pt = 0;           // the smallest type on paper
};
// Draws it. The app's ground changes: give it one of its own. An error names the panels that there are, or
// the height that a page of this width needs.
Result<Figure> draw_figure(App& app, const FigureOptions& options, const std::filesystem::path& file);

// One for a screen: no caption, on the theme's panel, its smallest type as large as the window's where it is
// shown `width` px wide. While `mask` hides something, that is veiled.
struct ScreenFigure {
  std::string svg;
  int width = 0, height = 0;  // px
};
Result<ScreenFigure> screen_figure(App& app, const std::vector<std::string>& panels, int width,
                                   const StoryMask& mask);
// The words of its caption.
struct FigureCaption;
FigureCaption screen_caption(App& app, const std::vector<std::string>& panels);

// The same as a part of a larger page (px of 1/96 inch) on any canvas: as high as its panels like, at most
// r.h; where they need more it becomes narrower. While `mask` hides something, that is veiled. Returns the
// height; `draws` false: measures alone.
Result<float> place_figure(Canvas& canvas, App& app, const FigureOptions& options, Rect r,
                           const StoryMask& mask, bool draws = true);

// The flags of `lockstep shot` that ask for this figure.
std::vector<std::string> figure_flags(const FigureOptions& options, const AppState& state);

}  // namespace lockstep
