#include "theme.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

// Relative luminance and contrast as WCAG 2 defines them.
double luminance(Color c) {
  const auto linear = [](std::uint8_t v) {
    const double s = v / 255.0;
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

Theme make(bool dark) {
  Theme t;
  t.dark = dark;
  t.ground = Color::hex(dark ? 0x111417 : 0xF4F4F1), t.panel = Color::hex(dark ? 0x191D21 : 0xFFFFFF);
  t.line = Color::hex(dark ? 0x2B3137 : 0xDEDED8), t.ink = Color::hex(dark ? 0xE8EAEC : 0x1E2124);
  t.dim = Color::hex(dark ? 0x8D959C : 0x62666A), t.soft = Color::hex(dark ? 0x22282D : 0xECECE6);
  t.highlight = Color::hex(dark ? 0x4A4A20 : 0xFBF6BF);  // color::current laid thinly over the panel
  return t;
}

}  // namespace

double contrast(Color a, Color b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

namespace {

// A fill of LOOK and the words that name it.
struct Tint {
  Color fill, light, dark;
};
constexpr Tint kTints[] = {
    {color::hbm, Color::hex(0x006DAB), Color::hex(0x4799C8)},
    {color::l2, Color::hex(0x346C8C), Color::hex(0x56B4E9)},
    {color::l1, Color::hex(0x536C64), Color::hex(0xA6D8C8)},
    {color::shared, Color::hex(0x007857), Color::hex(0x0FA47B)},
    {color::registers, Color::hex(0x8A5F00), Color::hex(0xE69F00)},
    {color::tensor, Color::hex(0x8F5575), Color::hex(0xCC79A7)},
    {color::trouble, Color::hex(0xAA4B00), Color::hex(0xDB7524)},
};

}  // namespace

Color Theme::readable(Color level) const {
  for (const Tint& tint : kTints)
    if (tint.fill == level) return dark ? tint.dark : tint.light;
  constexpr double kWanted = 4.5;  // WCAG AA for small text
  const Color towards = dark ? Color::hex(0xFFFFFF) : Color::hex(0x000000);
  const auto reads = [&](Color c) {
    return std::min({contrast(c, panel), contrast(c, ground), contrast(c, soft)}) >= kWanted;
  };
  Color c = level;
  for (float t = 0; t <= 1 && !reads(c); t += 0.05f) c = mix(level, towards, t);
  return c;
}

Color Theme::on(Color fill) {
  const Color black = Color::hex(0x111417), white = Color::hex(0xFFFFFF);
  return contrast(black, fill) > contrast(white, fill) ? black : white;
}

const Theme& light_theme() {
  static const Theme theme = make(false);
  return theme;
}
const Theme& dark_theme() {
  static const Theme theme = make(true);
  return theme;
}

}  // namespace lockstep
