// A page as a file of another kind than SVG.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/model/result.hpp"

namespace lockstep {

struct PaperSheet {
  float width = 0, height = 0;  // logical pixels
  double scale = 1;             // points (PDF) or pixels (PNG) of each
  Color ground;
  bool outlines = false;  // PDF: text as curves
  std::string title;      // PDF
  std::function<void(Canvas&)> draw;
};

Result<std::vector<std::uint8_t>> pdf_file(const PaperSheet& sheet);
Result<std::vector<std::uint8_t>> png_file(const PaperSheet& sheet);

}  // namespace lockstep
