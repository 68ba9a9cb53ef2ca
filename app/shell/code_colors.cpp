#include "code_colors.hpp"

namespace lockstep {
namespace {

Color legible(Color color, Color ground, const Theme& theme) {
  constexpr double kWanted = 4.5;  // WCAG AA for small text
  const Color towards = Color::hex(theme.dark ? 0xFFFFFF : 0x000000);
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
  const auto ink = [&](std::uint32_t light, std::uint32_t dark) {
    return legible(Color::hex(theme.dark ? dark : light), ground, theme);
  };
  CodeColors c;
  c.ink = legible(theme.ink, ground, theme), c.dim = legible(theme.dim, ground, theme);
  c.trouble = legible(theme.readable(color::trouble), ground, theme);
  c.keyword = ink(0x006DAB, 0x7AB4E0), c.builtin = ink(0xA3357A, 0xDB93BE);
  c.literal = ink(0x8A5F00, 0xE0AE52), c.comment = c.dim;
  return c;
}

}  // namespace lockstep
