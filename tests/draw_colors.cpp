// The colours of LOOK.
#include <doctest/doctest.h>

#include "app/draw/theme.hpp"

using namespace lockstep;

TEST_CASE("a memory level has the same colour in every lab") {
  CHECK(color::hbm == Color::hex(0x0072B2));
  CHECK(color::l2 == Color::hex(0x56B4E9));
  CHECK(color::l1 == Color::hex(0xA6D8C8));
  CHECK(color::shared == Color::hex(0x009E73));
  CHECK(color::registers == Color::hex(0xE69F00));
  CHECK(color::tensor == Color::hex(0xCC79A7));
  CHECK(color::trouble == Color::hex(0xD55E00));
  CHECK(color::current == Color::hex(0xF0E442));
}

TEST_CASE("grounds and inks are those of the mock-ups") {
  const Theme &light = light_theme(), &dark = dark_theme();
  CHECK(light.ground == Color::hex(0xF4F4F1));
  CHECK(light.line == Color::hex(0xDEDED8));
  CHECK(light.dim == Color::hex(0x62666A));
  CHECK(dark.panel == Color::hex(0x191D21));
  CHECK(dark.soft == Color::hex(0x22282D));
  CHECK(dark.ink == Color::hex(0xE8EAEC));
}

TEST_CASE("words that name a level wear its tint, which reads on every ground") {
  const Color levels[] = {color::hbm,       color::l2,     color::l1,     color::shared,
                          color::registers, color::tensor, color::trouble};
  for (const Theme* theme : {&light_theme(), &dark_theme()}) {
    CAPTURE(theme->dark);
    for (const Color ground : {theme->panel, theme->ground, theme->soft}) {
      for (const Color level : levels) CHECK(contrast(theme->readable(level), ground) >= 4.49);
      CHECK(contrast(theme->dim, ground) >= 4.49);
      CHECK(contrast(theme->ink, ground) >= 12);
    }
    CHECK(contrast(theme->ink, theme->highlight) >= 4.5);
    CHECK(contrast(Color::hex(0xFFFFFF), theme->accent) >= 4.5);
  }
  CHECK(light_theme().readable(color::hbm) == Color::hex(0x006DAB));
  CHECK(light_theme().readable(color::registers) == Color::hex(0x8A5F00));
  CHECK(dark_theme().readable(color::hbm) == Color::hex(0x4799C8));
  CHECK(dark_theme().readable(color::shared) == Color::hex(0x0FA47B));
}

TEST_CASE("a color without a tint is made to read") {
  for (const Theme* theme : {&light_theme(), &dark_theme()})
    for (const Color c : {Color::hex(0x66B99A), Color::hex(0xBFC4C8), Color::hex(0x7A828A)})
      for (const Color ground : {theme->panel, theme->ground, theme->soft})
        CHECK(contrast(theme->readable(c), ground) >= 4.5);
}

TEST_CASE("words on a fill read") {
  for (const Color fill : {color::hbm, color::l2, color::l1, color::shared, color::registers, color::tensor,
                           color::trouble, color::current})
    CHECK(contrast(Theme::on(fill), fill) >= 4.5);
}

TEST_CASE("contrast is that of WCAG: black on white 21, a colour on itself 1") {
  CHECK(contrast(Color::hex(0), Color::hex(0xFFFFFF)) == doctest::Approx(21));
  CHECK(contrast(color::hbm, color::hbm) == doctest::Approx(1));
  CHECK(contrast(Color::hex(0x767676), Color::hex(0xFFFFFF)) == doctest::Approx(4.54).epsilon(0.002));
}

TEST_CASE("mixing goes from one colour to the other") {
  CHECK(mix(color::hbm, color::shared, 0) == color::hbm);
  CHECK(mix(color::hbm, color::shared, 1) == color::shared);
  CHECK(mix(Color::hex(0), Color::hex(0xFFFFFF), 0.5f) == Color::hex(0x808080));
}
