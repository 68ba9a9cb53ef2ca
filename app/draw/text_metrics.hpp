// Advance widths from the font files themselves, the same for every maker of a picture; needs no ImGui and no
// screen.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "canvas.hpp"

namespace lockstep {

struct FontFiles {
  std::filesystem::path files[4];  // by Font; empty where none was found
  std::filesystem::path cjk;
  int cjk_index = 0;             // face within the collection
  std::vector<Message> missing;  // what could not be found, for `doctor` and a notice
};

// Looks in $LOCKSTEP_FONTS, beside the program (assets/fonts) and in the system's folders. Another sans or
// mono face stands in for a missing one.
const FontFiles& font_files();

// Ascender - descender in ems: what ImGui calls the size of a font.
float line_height_of(Font font);
float cjk_line_height();

// Half the height of the capitals in ems: text is centred by it (Inter 0.727, JetBrains Mono 0.730).
constexpr float kHalfCapital = 0.364f;

// Width in logical pixels of one line without kerning; `size` is the em, as in CSS. Where no font file was
// found: that of ImGui's own font.
float text_width(std::string_view utf8, Font font, float size);

// A character as it is drawn: in the font's own face, or in the one for Chinese that stands in.
constexpr int kCjkFace = 4;  // the other faces are numbered as Font
// That face has one weight: where the words beside it are semibold, its strokes grow by so much (ems).
constexpr float kCjkSemiboldStroke = 0.045f;
constexpr bool is_semibold(Font font) { return font == Font::words_semibold || font == Font::mono_semibold; }
struct Glyph {
  int face = -1;  // -1: no font file was found
  std::uint32_t index = 0;
  float advance = 0;  // ems
};
Glyph glyph_of(Font font, char32_t character);
// The d of an SVG path in thousandths of an em, y down from the baseline; "" for a blank.
std::string glyph_outline(int face, std::uint32_t index);

// The next code point of utf8, taken off its front; U+FFFD for a damaged sequence.
char32_t take_code_point(std::string_view& utf8);
// Its characters outside ASCII, each once: what a font has to hold beside those that it always does.
std::string characters_beyond_ascii(std::string_view utf8);

}  // namespace lockstep
