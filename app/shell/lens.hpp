// A pointer that enlarges what it is on, for the last row of a room: the presentation is drawn again there,
// larger, line by line and letter by letter, not as a picture of itself.
#pragma once
#include "app/draw/canvas.hpp"

namespace lockstep {

class App;
class ImGuiCanvas;

constexpr float kLensScale = 2.5f, kLensRadius = 10;
// Where the lens stands: around the pointer, inside the window.
Rect lens_area(Rect window, Vec2 pointer);
// The window's drawing, enlarged around the pointer, which stays where it is. Coordinates of `canvas` begin
// at `origin`; what lies outside the lens is cut off by its maker.
void draw_enlarged(Canvas& canvas, App& app, Rect window, Vec2 pointer, Vec2 origin);
void draw_lens_rim(Canvas& canvas, const App& app, Rect lens);
// The same on the canvas itself, with the lens' rim: for a maker that enlarges letters as well as lines
// (SVG).
void draw_lens(Canvas& canvas, App& app, Rect window, Vec2 pointer);

// On the screen, whose letters have fixed sizes: cairo draws, and a texture shows it. Needs a current GL
// context; the texture goes with it.
class Lens {
 public:
  // `pixels`: of the screen per logical one.
  void draw(ImGuiCanvas& canvas, App& app, Rect window, Vec2 pointer, float pixels);

 private:
  [[maybe_unused]] unsigned texture_ = 0;  // a browser has none
};

}  // namespace lockstep
