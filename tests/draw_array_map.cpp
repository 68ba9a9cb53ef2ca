// Arrays and launches as pictures, from plain data.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/array_map.hpp"
#include "app/draw/canvas_svg.hpp"
#include "app/draw/launch_strip.hpp"

using namespace lockstep;

namespace {

bool says(const SvgCanvas& canvas, std::string_view part) {
  return std::any_of(canvas.texts().begin(), canvas.texts().end(),
                     [&](const auto& t) { return t.text.find(part) != t.text.npos; });
}

ArrayPicture array_of(std::uint64_t elements, std::uint64_t cols = 0) {
  ArrayPicture p;
  p.id = "array", p.title = "in", p.about = "floats", p.elements = elements, p.cols = cols,
  p.color = color::hbm;
  return p;
}

SvgCanvas drawn(const ArrayPicture& p, float width, float height) {
  SvgCanvas canvas(width, height, light_theme().ground);
  draw_array_map(canvas, light_theme(), {0, 0, width, height}, p);
  return canvas;
}

}  // namespace

TEST_CASE("an array is as high as its rows, and never higher than it may be") {
  const Theme& theme = light_theme();
  CHECK(array_map_height(theme, 640, 400, array_of(32)) < array_map_height(theme, 640, 400, array_of(1024)));
  for (const std::uint64_t n : {1ull, 31ull, 33ull, 1000ull, 16384ull, 1ull << 20, 1ull << 26})
    for (const std::uint64_t cols : {0ull, 1ull, 7ull, 1024ull}) {
      CAPTURE(n);
      CAPTURE(cols);
      CHECK(array_map_height(theme, 640, 200, array_of(n, cols)) <= 200.5f);
    }
}

TEST_CASE("an array that is larger than its picture says how many elements a cell stands for") {
  CHECK_FALSE(says(drawn(array_of(1024), 640, 200), "a cell stands for"));
  CHECK(says(drawn(array_of(1 << 20), 640, 200), "a cell stands for"));
  CHECK(says(drawn(array_of(1 << 20, 1 << 10), 640, 200), "a cell stands for"));
}

TEST_CASE("many launches show the chosen one, and how many lie on either side") {
  std::vector<LaunchCell> cells;
  for (int i = 0; i < 1000; ++i)
    cells.push_back({"launch/" + std::to_string(i), "k" + std::to_string(i), "1 sector",
                     i == 500 ? "1 finding" : "", ""});
  SvgCanvas canvas(900, 80, light_theme().ground);
  draw_launch_strip(canvas, light_theme(), {0, 0, 900, 60}, cells, 500);
  CHECK(says(canvas, "k500"));
  CHECK(says(canvas, "1 finding"));
  CHECK_FALSE(says(canvas, "k0"));
  CHECK(says(canvas, "499"));
  SvgCanvas few(900, 80, light_theme().ground);
  draw_launch_strip(few, light_theme(), {0, 0, 900, 60}, {cells[0], cells[1]}, 0);
  CHECK(says(few, "k0"));
  CHECK(says(few, "k1"));
}
