// Lanes on sectors, blocks on a plane, lanes of a block, and large figures: drawn without a screen.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/block_plane.hpp"
#include "app/draw/canvas_svg.hpp"
#include "app/draw/head_figures.hpp"
#include "app/draw/sector_map.hpp"
#include "app/draw/warp_grid.hpp"

using namespace lockstep;

namespace {

constexpr Rect kRoom{20, 20, 640, 460};

GlobalAccess strided(std::uint32_t stride_bytes, std::uint32_t first = 0, int width = 4) {
  GlobalAccess a{~0u, {}, width};
  for (std::uint32_t lane = 0; lane < 32; ++lane) a.offset[lane] = first + lane * stride_bytes;
  return a;
}

bool has(const SvgCanvas& canvas, std::string_view text) {
  return std::any_of(canvas.texts().begin(), canvas.texts().end(),
                     [&](const auto& drawn) { return drawn.text == text; });
}

void check_inside(const SvgCanvas& canvas, Rect room) {
  for (const auto& text : canvas.texts()) {
    CAPTURE(text.text);
    CHECK(text.rect.x >= room.x - 0.5f);
    CHECK(text.rect.right() <= room.right() + 0.5f);
    CHECK(text.rect.y >= room.y - 2);
    CHECK(text.rect.bottom() <= room.bottom() + 2);
  }
}

Vec2 middle_of(const SvgCanvas& drawn, const std::string& id, float across, float down) {
  for (const auto& hit : drawn.hits())
    if (hit.id == id) return {hit.rect.x + hit.rect.w * across, hit.rect.y + hit.rect.h * down};
  FAIL("no area ", id);
  return {};
}

BlockPlane plane_of(int rows, int cols) {
  BlockPlane p{"p", "", cols, rows, true, {}, "blockIdx.x", "blockIdx.y", {}, {}, 0, {}, {}};
  for (int i = 0; i < rows * cols; ++i) p.cells.push_back({i % cols / 4, -1, i / cols == rows - 1, false});
  return p;
}

}  // namespace

TEST_CASE("the used bytes of a sector stand at the end where they are") {
  const auto lines = touched_lines(strided(32, 28));  // the last word of each sector
  REQUIRE(lines.size() == 8);
  for (const TouchedLine& line : lines)
    for (const std::uint32_t used : line.used) CHECK(used == 0xf0000000u);
  CHECK(touched_lines(strided(32))[0].used[0] == 0xfu);
}

TEST_CASE("sectors, the fewest that would do, and the share that is used") {
  const SectorUse tight = sector_use(strided(4)), shifted = sector_use(strided(4, 4)),
                  wide = sector_use(strided(32));
  CHECK(tight.sectors == 4);
  CHECK(tight.used() == 1);
  CHECK(shifted.sectors == 5);
  CHECK(shifted.fewest == 4);
  CHECK(shifted.lines == 2);
  CHECK(wide.sectors == 32);
  CHECK(wide.used() == 0.125);
  CHECK(sector_use(strided(0)).used_bytes == 4);  // all lanes want the same word
  CHECK(sector_use(strided(16, 0, 16)).sectors == 16);
  CHECK(sector_use({0, {}, 4}).sectors == 0);
}

TEST_CASE("32 lines stay inside their room in both themes, and every lane can be pointed at") {
  for (const Theme* theme : {&light_theme(), &dark_theme()})
    for (const std::uint32_t stride : {0u, 4u, 12u, 128u}) {
      SectorPicture p{"s", "title", "subtitle", strided(stride), {}};
      SvgCanvas first(680, 500, Color{});
      draw_sector_map(first, *theme, kRoom, p);
      check_inside(first, kRoom);
      SvgCanvas canvas(680, 500, Color{});
      canvas.put_pointer({middle_of(first, "s", 31.5f / 32, 0.01f)}, first.hits());
      CHECK(draw_sector_map(canvas, *theme, kRoom, p).lane == 31);
    }
}

TEST_CASE("lanes that want the same bytes are counted there") {
  SvgCanvas canvas(680, 500, Color{});
  draw_sector_map(canvas, light_theme(), kRoom, {"s", "", "", strided(0), {}});
  CHECK(has(canvas, "×32"));
}

TEST_CASE("a plane tells which cell is under the pointer, and its labels stay inside") {
  const BlockPlane p = plane_of(6, 16);
  SvgCanvas first(680, 500, Color{});
  draw_block_plane(first, light_theme(), kRoom, p);
  check_inside(first, kRoom);
  SvgCanvas canvas(680, 500, Color{});
  canvas.put_pointer({middle_of(first, "p", 15.5f / 16, 2.5f / 6)}, first.hits());
  CHECK(draw_block_plane(canvas, light_theme(), kRoom, p).cell == std::pair(2, 15));
}

TEST_CASE("a block of 33 threads shows two warps, and a full one its 32 warps in the same room") {
  for (const std::size_t warps : {2u, 32u}) {
    WarpGrid grid{"w", "Block", "", std::vector(warps * 32, LaneState::working), 1, 33};
    SvgCanvas first(680, 500, Color{});
    draw_warp_grid(first, dark_theme(), kRoom, grid);
    check_inside(first, kRoom);
    CHECK(has(first, "warp 0"));
    SvgCanvas canvas(680, 500, Color{});
    canvas.put_pointer({middle_of(first, "w", 1.5f / 32, 1.5f / float(warps))}, first.hits());
    CHECK(draw_warp_grid(canvas, dark_theme(), kRoom, grid).lane == 33);
  }
}

TEST_CASE("a figure's note gives way to its badge, and nothing leaves its column") {
  const std::vector<HeadFigure> figures{
      {"32", "sectors", "for this read of warp 0", "emulated", true},
      {"4", "would do", "for 128 bytes side by side", "", false},
      {"2,278", "GB/s", "asked for, at the recorded size", "recorded: H200", false}};
  for (const float w : {300.f, 640.f}) {
    SvgCanvas canvas(680, 500, Color{});
    const Rect room{20, 20, w, head_figures_height(light_theme())};
    draw_head_figures(canvas, light_theme(), room, figures);
    check_inside(canvas, room);
    CHECK(has(canvas, "32"));
  }
}
