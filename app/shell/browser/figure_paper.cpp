// A browser makes the pixels of a PNG itself: it is handed an SVG of that size, and the page knows by the
// file's name.
#include "app/shell/figure_paper.hpp"

#include <cmath>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/font_subset.hpp"

namespace lockstep {

Result<std::vector<std::uint8_t>> pdf_file(const PaperSheet&) {
  return bad_input("a page in a browser makes no PDF: save it as .svg or .png, or print it");
}

Result<std::vector<std::uint8_t>> png_file(const PaperSheet& s) {
  SvgCanvas paper(s.width, s.height, s.ground, SvgCanvas::TextAs::text_in_own_fonts);
  s.draw(paper);
  const auto pixels = [&](float size) { return std::to_string(std::lround(size * s.scale)) + "px"; };
  paper.set_paper_size(pixels(s.width), pixels(s.height));
  const std::string text = paper.finish(own_fonts_css(paper.characters()));
  return std::vector<std::uint8_t>(text.begin(), text.end());
}

}  // namespace lockstep
