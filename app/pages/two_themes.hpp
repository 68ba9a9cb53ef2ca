// One SVG for both themes: it follows what the reader's system prefers. Where that is not known it is light.
#pragma once
#include <string>
#include <string_view>

namespace lockstep {

// Two drawings of the same thing by SvgCanvas, of the same size, in the light theme and in the dark one.
std::string two_themes(std::string_view light, std::string_view dark);

}  // namespace lockstep
