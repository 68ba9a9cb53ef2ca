// Tiny pictures for words of the glossary that a picture says better than a sentence. Each is one of a few
// drawings, told apart by the word where several share one: "L2" is lit in the tower.
#pragma once
#include <span>
#include <string_view>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

std::span<const std::string_view> word_pictures();  // their names
bool has_word_picture(std::string_view picture);
// `word`: its English name. Fits any room from about 200 x 70 on.
void draw_word_picture(Canvas& canvas, const Theme& theme, std::string_view picture, std::string_view word,
                       Rect r);

}  // namespace lockstep
