// The glyph atlas: every face at the sizes in use, Chinese glyphs only where a sentence needs them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/canvas.hpp"

struct ImFont;

namespace lockstep {

// Fills io.Fonts for this scale (framebuffer pixels per logical pixel, times the theme's type) and builds it.
// `extra` holds further text whose characters must be there, `large` what may stand at a headline's size:
// only its Chinese characters are sharp there. Call again when the scale or the language changes.
// `sizes`: the only logical sizes of text, where not those of the window (`scale` is then without the type).
void build_fonts(float scale, const std::string& extra, const std::string& large = "",
                 const std::vector<float>& sizes = {});

// The face nearest to a size in framebuffer pixels (em). `em_px` receives the size it was built for.
ImFont* font_for(Font font, float size_px, float* em_px);
// The same for the characters of a text that the four fonts lack; null where no Chinese font was found.
ImFont* cjk_font_for(float size_px, std::string_view utf8, float* em_px);

}  // namespace lockstep
