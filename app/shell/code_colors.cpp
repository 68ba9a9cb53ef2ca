#include "code_colors.hpp"

#include <algorithm>

namespace lockstep {
namespace {

Color legible(Color color, Color ground, Color towards) {
  constexpr double kWanted = 4.5;  // WCAG AA for small text
  Color c = color;
  for (float t = 0.05f; t <= 1 && contrast(c, ground) < kWanted; t += 0.05f) c = mix(color, towards, t);
  return c;
}

}  // namespace

Color CodeColors::of(Syntax syntax) const {
  switch (syntax) {
    case Syntax::keyword:
      return keyword;
    case Syntax::builtin:
      return builtin;
    case Syntax::literal:
      return literal;
    case Syntax::comment:
      return comment;
  }
  return ink;
}

CodeColors code_colors(const Theme& theme, Color ground) {
  const Color end = Color::hex(theme.dark ? 0xFFFFFF : 0x000000);
  const auto ink = [&](std::uint32_t light, std::uint32_t dark) {
    return legible(Color::hex(theme.dark ? dark : light), ground, end);
  };
  CodeColors c;
  c.ink = legible(theme.ink, ground, end), c.dim = legible(theme.dim, ground, end);
  // On the dark line of the step it stays an orange.
  c.trouble = theme.dark ? legible(Color::hex(0xDB7524), ground, Color::hex(0xFFC080)) : ink(0xAA4B00, 0);
  c.keyword = ink(0x006DAB, 0x7AB4E0), c.builtin = ink(0xA3357A, 0xDB93BE);
  c.literal = ink(0x8A5F00, 0xE0AE52), c.comment = c.dim;
  return c;
}

void code_pieces(const std::vector<SyntaxSpan>& syntax, std::size_t first, std::size_t last,
                 const CodeColors& colors,
                 const std::function<void(std::size_t from, std::size_t to, Color ink)>& piece) {
  const auto within = [&](std::size_t from, std::size_t to, Color ink) {
    from = std::max(from, first), to = std::min(to, last);
    if (from < to) piece(from, to, ink);
  };
  std::size_t at = first;
  for (const SyntaxSpan& span : syntax) {
    within(at, span.first, colors.ink);
    within(span.first, span.first + span.count, colors.of(span.syntax));
    at = std::max(at, span.first + span.count);
  }
  within(at, last, colors.ink);
}

}  // namespace lockstep
