// A story's texts with their figures computed.
#pragma once
#include <string>

#include "app/model/result.hpp"
#include "story.hpp"

namespace lockstep {

// One figure as it is printed; where it is not to be had here, the sentence that says so. An error is the
// author's, with line and column.
Result<std::string> figure_text(const Inline& piece, FigureSource& figures);
// The text without its marks (`*`, backquotes), all figures computed.
Result<std::string> computed_text(const InlineText& text, FigureSource& figures);

}  // namespace lockstep
