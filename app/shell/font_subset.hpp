// The fonts that an SVG brings along: of each face what its text needs, as CSS.
#pragma once
#include <string>

#include "app/draw/canvas_svg.hpp"

namespace lockstep {

std::string own_fonts_css(const SvgCanvas::Characters& characters);

}  // namespace lockstep
