// Triton's program of the same problem: its text, the line at hand, and where its compiler put the element
// that is picked.
#pragma once
#include "app/devices/triton.hpp"
#include "scene.hpp"

namespace lockstep {

// What is said of the element that is picked: its program, its place in the program's block, and the thread
// that holds it by the recorded layout.
std::vector<IndexLine> triton_seat_lines(const ThreadsScene& scene, const Pick& pick);
// The line of the program that does what the step does, from 1; 0: none.
int triton_line(const ThreadsScene& scene, int step);

std::string triton_provenance(const TritonRecord& record);  // words of its badge

// 0 for a rung that has no such program.
float triton_height(const Canvas& canvas, const Theme& theme, const ThreadsScene& scene, float width);
// Of the program's text alone, without PTX and without the element.
float triton_text_height(const Theme& theme, const ThreadsScene& scene);
void draw_triton(Canvas& canvas, const Theme& theme, Rect r, const ThreadsScene& scene, const LabView& view,
                 const Pick& pick);

}  // namespace lockstep
