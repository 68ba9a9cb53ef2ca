// A reader's own program in the window: launches, editor, stage, steps. All of it is drawn from a
// ProgramDesk.
#pragma once
#include <string>

#include "app/draw/canvas.hpp"
#include "app/draw/theme.hpp"
#include "program_desk.hpp"

namespace lockstep {

class App;

struct ProgramLayout {
  Rect strip, card, editor, drawer, stage, bottom;
};
ProgramLayout lay_out_program(const ProgramDesk& desk, Rect area, const Theme& theme);

// Right of the rail, below the top bar.
void draw_program(Canvas& canvas, App& app, Rect area);
// Its launches, and what main() printed.
void draw_launches(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme);
void draw_editor(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool caret);
// Below the editor, a tab at a time: findings or errors, output, arguments.
void draw_drawer(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool caret);
void draw_program_stage(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme);
// What the same file does on a GPU, at the lower end of r; returns the height with the gap above.
float gpu_box_height(const ProgramDesk& desk, const Theme& theme);
float draw_gpu_box(Canvas& canvas, const ProgramDesk& desk, Rect r, const Theme& theme);
// The emulator alone, or a GPU beside it: the list below the chooser of the top bar.
void draw_program_engines(Canvas& canvas, App& app, Rect chooser, const Theme& theme);
// For a room of people: the step's lanes, the arrays, its line.
void draw_program_presentation(Canvas& canvas, App& app, Rect window);
// Of the stage, for the presentation.
// `worded`: below two lines of words, this high at type size 1, that say what the step does.
constexpr float kLaneWords = 37;
void draw_step_lanes(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool worded = true);
float step_lanes_height(const ProgramDesk& desk, const Theme& theme, bool low);
void draw_program_arrays(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme);
std::string nothing_to_show(const ProgramDesk& desk);  // why there is no picture; "" where there is one

// "histogram<<<64, 256>>>"
std::string launch_title(const reader::ProgramLaunch& launch);
// "race", "out of bounds": a finding's kind in the language in use.
std::string finding_kind_text(const std::string& kind);
// "line 16 against line 19, block (0, 0)".
std::string finding_place_text(const ProgramDesk& desk, const reader::ProgramFinding& finding);
// "race: mine[5] is written by thread 5 …": of one line.
std::string diagnostic_text(const reader::Diagnostic& diagnostic);

}  // namespace lockstep
