// The inks of code: words of the text, and the numbers beside it.
#pragma once
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

}  // namespace lockstep
