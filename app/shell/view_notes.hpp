// What the one who speaks reads on a second window: the notes of the scene at hand, its question with answer
// and why, the clock, and what comes next.
#pragma once
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"

namespace lockstep {

class App;

// The sizes of its text in a window of this size, ascending.
std::vector<float> notes_type_scale(float width, float height);
void draw_notes(Canvas& canvas, App& app, Rect window);
// "Notes · 3 of 14 · Rows in, columns out"
std::string notes_title(const App& app);
// "12:05"
std::string clock_text(double seconds);

}  // namespace lockstep
