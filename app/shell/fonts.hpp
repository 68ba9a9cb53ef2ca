// The glyph atlas: every face at the sizes in use, Chinese glyphs only where a sentence needs them.
#pragma once
#include <string>

#include "app/draw/canvas.hpp"

struct ImFont;

namespace lockstep {

// Fills io.Fonts for this scale (framebuffer pixels per logical pixel, times the theme's type) and builds it.
// `extra` holds further text whose characters must be there. Call again when the scale or the language
// changes.
void build_fonts(float scale, const std::string& extra);

// The face nearest to a size in framebuffer pixels (em). `em_px` receives the size it was built for.
ImFont* font_for(Font font, float size_px, float* em_px);
// The same for characters that the four fonts lack; null where no Chinese font was found.
ImFont* cjk_font_for(float size_px, float* em_px);

}  // namespace lockstep
