// The colours of LOOK: a colour names a place in the machine or a warp's state, the same in every lab.
#pragma once
#include "canvas.hpp"

namespace lockstep {

namespace color {  // Okabe-Ito and tints
constexpr Color hbm = Color::hex(0x0072B2), l2 = Color::hex(0x56B4E9), l1 = Color::hex(0xA6D8C8),
                shared = Color::hex(0x009E73), registers = Color::hex(0xE69F00),
                tensor = Color::hex(0xCC79A7), trouble = Color::hex(0xD55E00), current = Color::hex(0xF0E442),
                barrier = Color::hex(0xCC79A7);
}

struct Theme {
  bool dark = false;
  Color ground, panel, line, ink, dim, soft;
  Color accent = color::hbm;  // Run, selected lab
  Color highlight;            // ground of the current source line
  float type = 1;             // times all sizes; larger in the presentation
  // The colour of words that name a place: LOOK's text tint where it has one, else one that reads as well (at
  // least 4.5 : 1 on ground, panel and soft). Fills are no text colours.
  Color readable(Color level) const;
  // Words on a fill: near black or white, whichever reads better.
  static Color on(Color fill);
};
// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2).
double contrast(Color a, Color b);

const Theme& light_theme();
const Theme& dark_theme();

}  // namespace lockstep
