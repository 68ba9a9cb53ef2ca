#include "figure_paper.hpp"

#include "canvas_cairo.hpp"

namespace lockstep {

Result<std::vector<std::uint8_t>> pdf_file(const PaperSheet& s) {
  CairoCanvas paper = CairoCanvas::pdf(s.width, s.height, s.scale, s.ground, s.outlines, s.title);
  s.draw(paper);
  return paper.finish_pdf();
}

Result<std::vector<std::uint8_t>> png_file(const PaperSheet& s) {
  CairoCanvas paper = CairoCanvas::png(s.width, s.height, s.scale, s.ground);
  s.draw(paper);
  const auto image = paper.finish_image();
  if (!image) return image.error();
  return encode_png(*image);
}

}  // namespace lockstep
