// The SVG maker: what it writes, and what it tells a test.
#include <doctest/doctest.h>

#include <array>

#include "app/draw/canvas_svg.hpp"

using namespace lockstep;

namespace {

constexpr Color kBlue = Color::hex(0x0072B2), kInk = Color::hex(0x1E2124), kWhite = Color::hex(0xFFFFFF);

std::string body(SvgCanvas& canvas) {
  const std::string text = canvas.finish();
  const std::size_t after_ground = text.find("/>\n") + 3;
  return text.substr(after_ground, text.size() - after_ground - std::string("</svg>\n").size());
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++found;
  return found;
}

std::string written(const std::string& text) {
  SvgCanvas canvas(10, 10, kWhite);
  canvas.text({0, 0}, text, {Font::words, 10, kInk});
  const std::string out = body(canvas);
  const std::size_t begin = out.find('>') + 1;
  return out.substr(begin, out.rfind("</text>") - begin);
}

}  // namespace

TEST_CASE("a small picture, line by line") {
  SvgCanvas canvas(120, 40.5f, kWhite);
  canvas.fill_rect({1, 2, 30, 10.126f}, kBlue, 6);
  canvas.stroke_rect({1, 2, 30, 10}, kInk, 1, 0);
  canvas.line({0, 0}, {10, 0}, kBlue, 1, 4);
  canvas.text({60, 20}, "L2", {Font::words_semibold, 10, kInk, Align::center});
  canvas.push_clip({0, 0, 50, 20});
  canvas.fill_circle({5, 5}, 3, kBlue.with_alpha(0.5f));
  canvas.pop_clip();
  CHECK(canvas.finish() ==
        R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40.5" viewBox="0 0 120 40.5">
<defs>
<clipPath id="clip0"><rect x="0" y="0" width="50" height="20"/></clipPath>
</defs>
<rect x="0" y="0" width="120" height="40.5" fill="#ffffff"/>
<rect x="1" y="2" width="30" height="10.13" rx="6" fill="#0072b2"/>
<rect x="1" y="2" width="30" height="10" fill="none" stroke="#1e2124" stroke-width="1"/>
<line x1="0" y1="0" x2="10" y2="0" stroke="#0072b2" stroke-width="1" stroke-dasharray="4"/>
<text x="60" y="23.64" font-family="Inter, Noto Sans CJK SC, WenQuanYi Micro Hei, DejaVu Sans, sans-serif" font-size="10" font-weight="600" text-anchor="middle" fill="#1e2124" xml:space="preserve">L2</text>
<g clip-path="url(#clip0)">
<circle cx="5" cy="5" r="3" fill="#0072b2" fill-opacity="0.5"/>
</g>
</svg>
)svg");
}

TEST_CASE("text is escaped, and no byte can make the file unreadable") {
  CHECK(written("a < b && \"c\"") == "a &lt; b &amp;&amp; &quot;c&quot;");
  CHECK(written("线程束 µs") == "线程束 µs");
  CHECK(written("tab\tnul\x01") == "tab nul ");
  CHECK(written("cut \xE7\xBA") == "cut \xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(written("\xEF\xBF\xBE") == "\xEF\xBF\xBD");  // U+FFFE is not a character
}

TEST_CASE("numbers have at most two decimals and no minus before zero") {
  SvgCanvas canvas(10, 10, kWhite);
  canvas.line({1.0f / 3, -0.001f}, {1e6f, -2.5f}, kInk, 0.1f, 0);
  CHECK(body(canvas) ==
        "<line x1=\"0.33\" y1=\"0\" x2=\"1000000\" y2=\"-2.5\" stroke=\"#1e2124\" stroke-width=\"0.1\"/>\n");
}

TEST_CASE("a grid is one path per colour; cells without gaps are merged along their row") {
  std::array<Color, 256> colors{};
  colors[0] = {0, 0, 0, 0}, colors[1] = kBlue, colors[2] = kInk;
  const std::vector<std::uint8_t> values{1, 1, 1, 2, 2, 2, 0, 0};
  SvgCanvas gaps(100, 100, kWhite), merged(100, 100, kWhite);
  gaps.grid("g", {0, 0, 40, 20}, 4, 2, values, colors, 1);
  merged.grid("g", {0, 0, 12, 6}, 4, 2, values, colors, 1);  // cells of 3 px have no gap
  CHECK(count(body(gaps), "<path") == 2);                    // value 0 cannot be seen
  CHECK(count(body(gaps), "M") == 6);
  CHECK(count(body(merged), "M") == 3);
}

TEST_CASE("a grid with too few values is left out, not read past its end") {
  std::array<Color, 256> colors{};
  colors[0] = kBlue;
  SvgCanvas canvas(100, 100, kWhite);
  canvas.grid("g", {0, 0, 40, 20}, 4, 2, std::vector<std::uint8_t>(7), colors, 1);
  CHECK(body(canvas).empty());
}

TEST_CASE("the same drawing gives the same bytes") {
  const auto draw = [] {
    SvgCanvas canvas(100, 100, kWhite);
    canvas.curve({0, 0}, {1.234f, 5}, {6, 7}, {8, 9}, kBlue, 1.5f);
    canvas.text({3, 4}, "warp 3", {Font::mono, 12.5f, kInk, Align::right});
    return canvas.finish();
  };
  CHECK(draw() == draw());
}

TEST_CASE("a test learns where text stands, and the clip in force") {
  SvgCanvas canvas(200, 100, kWhite);
  canvas.push_clip({10, 10, 500, 20});
  canvas.text({100, 20}, "right", {Font::words, 12, kInk, Align::right});
  canvas.pop_clip();
  REQUIRE(canvas.texts().size() == 1);
  const auto& drawn = canvas.texts()[0];
  CHECK(drawn.rect.right() == doctest::Approx(100));
  CHECK(drawn.rect.center().y == doctest::Approx(20));
  CHECK(drawn.clip.right() == 200);  // never wider than the picture
}

TEST_CASE("a scripted pointer reaches the topmost area alone") {
  SvgCanvas first(100, 100, kWhite), second(100, 100, kWhite);
  first.hit("below", {0, 0, 50, 50}, false);
  first.hit("above", {10, 10, 10, 10}, true);
  second.put_pointer({{15, 15}, true}, first.hits());
  CHECK_FALSE(second.hit("below", {0, 0, 50, 50}, false).hovered);
  const Hit above = second.hit("above", {10, 10, 10, 10}, true);
  CHECK(above.hovered);
  CHECK(above.clicked);
  CHECK(above.pointer.x == 15);
}
