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
  // Text in the colour of a memory level, dark enough on the panel to read.
  Color readable(Color level) const;
};
// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2).
double contrast(Color a, Color b);

const Theme& light_theme();
const Theme& dark_theme();

}  // namespace lockstep
