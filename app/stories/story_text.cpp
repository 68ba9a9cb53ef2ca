#include "story_text.hpp"

#include "app/draw/language.hpp"

namespace lockstep {

Result<std::string> figure_text(const Inline& piece, FigureSource& figures) {
  const auto value = piece.expression.evaluate(figures);
  if (!value && value.error().exit == Exit::unavailable)
    return tr("(not answerable here, because {0})", {tr(value.error().message)});
  if (!value) return value.error();
  return format_figure(*value, piece.format);
}

Result<std::string> computed_text(const InlineText& text, FigureSource& figures) {
  std::string all;
  for (const Inline& piece : text) {
    if (piece.kind != Inline::Kind::figure) {
      all += piece.text;
      continue;
    }
    auto figure = figure_text(piece, figures);
    if (!figure) return figure;
    all += *figure;
  }
  return all;
}

}  // namespace lockstep
