// The fonts that an SVG brings along: of each face what its text needs, as CSS; and a web site's, as files.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "app/draw/canvas_svg.hpp"

namespace lockstep {

std::string own_fonts_css(const SvgCanvas::Characters& characters);
// A font file with these characters alone; empty where the program has no such font.
std::vector<std::uint8_t> font_with(Font face, const std::set<char32_t>& characters);
bool has_cff_outlines(const std::vector<std::uint8_t>& font);  // "OTTO", in CSS "opentype"

}  // namespace lockstep
