#include "story_text.hpp"

#include "app/draw/language.hpp"

namespace lockstep {

Result<std::string> figure_text(const Inline& piece, FigureSource& figures) {
  bool drops_remainder = false;
  const auto value = piece.expression.evaluate(figures, drops_remainder);
  if (!value && value.error().exit == Exit::unavailable)
    return tr("(not answerable here, because {0})", {tr(value.error().message)});
  if (!value) return value.error();
  const bool reads_as_real =
      piece.format.decimals.value_or(0) > 0 || piece.format.kind == FigureFormat::Kind::percent;
  if (drops_remainder && reads_as_real && std::holds_alternative<std::int64_t>(*value)) {
    const TextPlace at = piece.expression.place();
    return bad_input(
        "{0}:{1}: a division of whole numbers drops its remainder here, and decimals are asked for: write "
        "1.0 * in front",
        {std::to_string(at.line), std::to_string(at.column)});
  }
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
