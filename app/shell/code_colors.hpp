// The inks of code: words of the text, and the numbers beside it.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "app/draw/theme.hpp"
#include "kernels/plain/syntax.hpp"

namespace lockstep {

struct CodeColors {
  Color ink, dim, trouble;
  Color keyword, builtin, literal, comment;
  Color of(Syntax syntax) const;
};
// On a ground of this theme (the panel, or the executing line's): each at least 4.5 : 1.
CodeColors code_colors(const Theme& theme, Color ground);

// The pieces of bytes [first, last) of a line, from left to right, each with its ink.
void code_pieces(const std::vector<SyntaxSpan>& syntax, std::size_t first, std::size_t last,
                 const CodeColors& colors,
                 const std::function<void(std::size_t from, std::size_t to, Color ink)>& piece);

}  // namespace lockstep
