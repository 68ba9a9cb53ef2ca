// A tour on paper: a page per scene with its figure, its text, its question and room for the answer; for who
// teaches, the answers in place of the room.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/model/result.hpp"
#include "shell.hpp"

namespace lockstep {

class App;

// In px of 1/96 inch.
struct PaperSize {
  std::string_view name;
  float width = 0, height = 0;
};
constexpr PaperSize kPapers[] = {{"a4", 793.7f, 1122.5f}, {"letter", 816, 1056}};

struct HandoutOptions {
  PaperSize paper = kPapers[0];
  bool solutions = false;
  std::string tour_name;            // as `lockstep tour` takes it
  std::vector<ShotOptions> scenes;  // each with its run, the tour, and its number
};

// The app stands at the page's scene. An error says which panel of the figure cannot be drawn.
Status draw_handout_page(Canvas& canvas, App& app, const HandoutOptions& options);
Result<std::vector<std::uint8_t>> handout_pdf(const HandoutOptions& options);

}  // namespace lockstep
