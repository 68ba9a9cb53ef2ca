// Fragments and ldmatrix, drawn without a screen.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/fragment_map.hpp"

using namespace lockstep;

namespace {

const Theme& theme() { return light_theme(); }
constexpr Rect kRoom{20, 20, 640, 780};

FragmentPicture fragments(std::optional<int> pinned = {}) { return {"f", "mma.m16n8k16", pinned}; }

LdmatrixPicture ldmatrix(std::uint32_t pitch, bool swizzled = false) {
  LdmatrixPicture p{"l", "ldmatrix.x4", 4, false, {}, {}};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    p.row_bytes[lane] = lane * pitch + (swizzled ? lane % 8 * 16 : 0);
  return p;
}

int count(const SvgCanvas& canvas, std::string_view text) {
  return int(std::count_if(canvas.texts().begin(), canvas.texts().end(),
                           [&](const auto& drawn) { return drawn.text == text; }));
}

bool overlap(Rect a, Rect b) {
  constexpr float kTouch = 0.5f;
  return a.x + kTouch < b.right() && b.x + kTouch < a.right() && a.y + kTouch < b.bottom() &&
         b.y + kTouch < a.bottom();
}

void check_texts(const SvgCanvas& canvas, Rect room) {
  const auto& texts = canvas.texts();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i].text);
    CHECK(texts[i].rect.x >= room.x - 0.5f);
    CHECK(texts[i].rect.right() <= room.right() + 0.5f);
    CHECK(texts[i].rect.bottom() <= room.bottom() + 0.5f);
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      CAPTURE(texts[j].text);
      CHECK_FALSE(overlap(texts[i].rect, texts[j].rect));
    }
  }
}

// The middle of a cell of the area with this id.
Vec2 middle_of(const SvgCanvas& drawn, const std::string& id, int row, int col, int rows, int cols) {
  for (const auto& hit : drawn.hits())
    if (hit.id == id)
      return {hit.rect.x + hit.rect.w * (float(col) + 0.5f) / float(cols),
              hit.rect.y + hit.rect.h * (float(row) + 0.5f) / float(rows)};
  FAIL("no area ", id);
  return {};
}

struct Told {
  FragmentHit hit;
  std::string tooltip;
  SvgCanvas canvas{700, 900, theme().ground};
};
Told point_at(const std::string& matrix, int row, int col, int rows, int cols) {
  SvgCanvas before(700, 900, theme().ground);
  draw_fragments(before, theme(), kRoom, fragments());
  Told told;
  told.canvas.put_pointer({middle_of(before, "f/" + matrix, row, col, rows, cols), true}, before.hits());
  told.hit = draw_fragments(told.canvas, theme(), kRoom, fragments());
  if (!told.canvas.tooltips().empty()) told.tooltip = told.canvas.tooltips().back();
  return told;
}

}  // namespace

TEST_CASE("every element shows its lane: 8 times in A, 4 in B, 4 in C") {
  SvgCanvas canvas(700, 900, theme().ground);
  draw_fragments(canvas, theme(), kRoom, fragments());
  for (const int lane : {5, 13, 30, 31}) CHECK(count(canvas, std::to_string(lane)) == 16);
}

TEST_CASE(
    "an element under the pointer is named with its lane and register, and its lane tells all it holds") {
  const Told told = point_at("A", 1, 3, 16, 16);
  REQUIRE(told.hit.hovered);
  CHECK(told.hit.hovered->matrix == Fragment::a);
  CHECK(told.hit.hovered->element == MatrixIndex{1, 3});
  CHECK(told.hit.hovered->slot == FragmentSlot{5, 0, 1});
  CHECK(told.hit.clicked);
  CHECK(told.tooltip.starts_with("lane 5 holds\nA[1][2..3] in a0\nA[9][2..3] in a1\nA[1][10..11] in a2"));
  CHECK(told.tooltip.find("B[2..3][1] in b0") != std::string::npos);
  CHECK(told.tooltip.find("C[9][3] in c3") != std::string::npos);
  CHECK(point_at("B", 15, 7, 16, 8).hit.hovered->slot == FragmentSlot{31, 1, 1});
  CHECK(point_at("C", 8, 0, 16, 8).hit.hovered->slot == FragmentSlot{0, 2, 0});
}

TEST_CASE("a pinned lane says in the corner what it holds; without one the corner says what to do") {
  SvgCanvas pinned(700, 900, theme().ground), free(700, 900, theme().ground);
  draw_fragments(pinned, theme(), kRoom, fragments(5));
  draw_fragments(free, theme(), kRoom, fragments());
  CHECK(count(pinned, "lane 5 holds") == 1);
  CHECK(count(pinned, "A[1][2..3] in a0") == 1);
  CHECK(count(free, "A[1][2..3] in a0") == 0);
}

TEST_CASE("a lit lane has sixteen framed elements") {
  const auto frames = [](std::optional<int> lane) {
    SvgCanvas canvas(700, 900, theme().ground);
    draw_fragments(canvas, theme(), kRoom, fragments(lane));
    const std::string svg = canvas.finish();
    int found = 0;
    for (std::size_t at = 0; (at = svg.find("fill=\"none\" stroke=\"#1e2124\"", at)) != svg.npos; ++at)
      ++found;
    return found;
  };
  CHECK(frames(17) == 16);
  CHECK(frames({}) == 0);
}

TEST_CASE("no text overlaps another or leaves its room; too small for digits, they are left out") {
  for (const Rect room : {kRoom, Rect{20, 20, 330, 430}, {20, 20, 250, 300}, {20, 20, 900, 500}}) {
    SvgCanvas canvas(1000, 900, theme().ground), matrices(1000, 900, theme().ground);
    CAPTURE(room.w);
    draw_fragments(canvas, theme(), room, fragments(5));
    check_texts(canvas, room);
    draw_ldmatrix(matrices, theme(), room, ldmatrix(144));
    check_texts(matrices, room);
  }
  SvgCanvas small(400, 500, theme().ground), none(400, 500, theme().ground);
  draw_fragments(small, theme(), {20, 20, 330, 430}, fragments());
  CHECK(count(small, "31") == 0);
  CHECK_FALSE(draw_fragments(none, theme(), {20, 20, 60, 60}, fragments()).hovered);
  CHECK(none.texts().empty());
}

TEST_CASE("rows 128 bytes apart want one bank unit and take 8 wavefronts; swizzled, 8 units and one") {
  SvgCanvas plain(1000, 900, theme().ground), swizzled(1000, 900, theme().ground);
  draw_ldmatrix(plain, theme(), {20, 20, 900, 600}, ldmatrix(128));
  draw_ldmatrix(swizzled, theme(), {20, 20, 900, 600}, ldmatrix(128, true));
  CHECK(count(plain, "wavefronts: 8") == 4);
  CHECK(count(swizzled, "wavefronts: 1") == 4);
  const std::string trouble = "#d55e00";
  CHECK(plain.finish().find(trouble) != std::string::npos);
  CHECK(swizzled.finish().find(trouble) == std::string::npos);
}

TEST_CASE("of ldmatrix the pointer learns who receives an element and whose address it was") {
  SvgCanvas before(1000, 900, theme().ground), after(1000, 900, theme().ground);
  const Rect room{20, 20, 900, 600};
  draw_ldmatrix(before, theme(), room, ldmatrix(144));
  after.put_pointer({middle_of(before, "l/2", 1, 3, 8, 8), true}, before.hits());
  const LdmatrixHit hit = draw_ldmatrix(after, theme(), room, ldmatrix(144));
  REQUIRE(hit.hovered);
  CHECK(hit.hovered->matrix == 2);
  CHECK(hit.hovered->element == MatrixIndex{1, 3});
  CHECK(hit.hovered->slot == FragmentSlot{5, 2, 1});
  REQUIRE(after.tooltips().size() == 1);
  CHECK(after.tooltips()[0].starts_with("lane 5 receives\n[1][2..3] of matrix 0 in register 0"));
  CHECK(after.tooltips()[0].ends_with(
      "and gives the address of row 5 of matrix 0: byte 720, unit 5 of the banks"));
}

TEST_CASE(".x1 shows one matrix and .x2 two; any other number is taken as four") {
  for (const auto& [asked, shown] : {std::pair{1, 1}, {2, 2}, {4, 4}, {7, 4}}) {
    SvgCanvas canvas(1000, 900, theme().ground);
    LdmatrixPicture p = ldmatrix(144);
    p.matrices = asked;
    draw_ldmatrix(canvas, theme(), {20, 20, 900, 600}, p);
    CHECK(int(canvas.hits().size()) == shown);
  }
}
