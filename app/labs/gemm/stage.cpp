// The gemm lab's stage: the three matrices with their card, the fragments of tensor cores, the tower.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_tower.hpp"
#include "fragments.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

struct StageRects {
  Rect product, fragments, tower, table, legend;
};

// Beside a narrow stage's product a slender tower stands all the same: levels are what this lab is about. The
// names of the colours take the whole width below both then.
std::optional<StageRects> slender_rects(const Canvas& canvas, Rect r, const Theme& theme,
                                        const std::vector<LegendItem>& legend) {
  const float type = theme.type, pad = 28, gap = 20;
  const Rect area{r.x + pad, r.y + 12, r.w - 2 * pad, r.h - 20};
  const float names = legend_height(canvas, theme, area.w, legend) + 8, h = area.h - names;
  constexpr float kLeastTower = 262, kTower = 188, kLeastProduct = 200;
  if (area.w < (kTower + kLeastProduct) * type + gap || h < kLeastTower * type) return {};
  StageRects at;
  const float tower = kTower * type;
  at.product = {area.x, area.y, area.w - tower - gap, h};
  at.tower = {area.right() - tower, area.y, tower, h};
  at.legend = {area.x, area.bottom() - names + 8, area.w, names - 8};
  return at;
}

// On tensor cores the fragments of one instruction stand where the tower stands else, over the levels as a
// table.
StageRects tensor_rects(Rect r, const Theme& theme) {
  const float type = theme.type, pad = 28, gap = 26, table = tower_table_height(theme, 6);
  const Rect area{r.x + pad, r.y + 16, r.w - 2 * pad, r.h - 28};
  if (area.h < 340 * type) return {area, {}, {}, {}, {}};
  StageRects at;
  const float right = std::clamp(area.w * 0.44f, 290 * type, 460 * type);
  at.product = {area.x, area.y, area.w - right - gap, area.h};
  const Rect column{area.right() - right, area.y, right, area.h};
  const bool both = column.h > table + 190 * type;
  at.fragments = {column.x, column.y, column.w, both ? column.h - table - gap : column.h};
  if (both) at.table = {column.x, column.bottom() - table, column.w, table};
  return at;
}

StageRects stage_rects(const Canvas& canvas, Rect r, const Theme& theme, bool tensor_cores,
                       const std::vector<LegendItem>& legend) {
  const TowerRoom room = tower_room(r, theme);
  if (room.tower.w <= 0)
    if (const auto slender = slender_rects(canvas, r, theme, legend)) return *slender;
  if (tensor_cores && room.tower.w > 0) return tensor_rects(r, theme);
  StageRects at{room.rest, {}, room.tower, room.table, {}};
  if (tensor_cores && at.product.h > 420 * theme.type) {
    const float h = at.product.h * 0.38f;
    at.fragments = {at.product.x, at.product.bottom() - h, at.product.w, h};
    at.product.h -= h + 14;
  }
  return at;
}

void take_hit(Canvas& canvas, const GemmPicture& shown, const ProductHit& hit, StageEvents& events) {
  const GemmScene& scene = shown.scene;
  const ViewInfo* const views[] = {scene.a, scene.b, scene.c};
  const std::int64_t cols = std::int64_t(scene.c->shape[1]);
  if (hit.matrix == 0 || hit.matrix == 1) {
    const auto place = std::int64_t(hit.element);
    const std::uint64_t element =
        hit.matrix == 1 ? scene.element_of_b(place / cols, place % cols) : hit.element;
    show_element_story(canvas, scene.run(), scene.steps, *views[hit.matrix], element, hit.clicked, events);
  }
  auto element = shown.element;
  if (hit.matrix == 2) element = {std::int64_t(hit.element) / cols, std::int64_t(hit.element) % cols};
  if (!element) return;
  const Card card = element_card(shown, element->first, element->second);
  const bool drawn = draw_card(canvas, shown.in.theme, hit.corner, card) ||
                     draw_card(canvas, shown.in.theme, hit.below, card);
  if (hit.matrix != 2) return;
  const ElementStory story = element_story(scene.run(), scene.steps, *scene.c, hit.element);
  if (!drawn) canvas.tooltip(story.text);
  if (!hit.clicked) return;
  events.pin = {scene.c->id, hit.element};
  if (story.block && *story.block != scene.launch->trace.block) events.follow_block = story.block;
}

}  // namespace

void GemmScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const auto shown = gemm_picture(*this, in);
  if (!shown) return;
  if (in.presentation) return draw_gemm_presentation(canvas, *shown);
  auto legend = product_legend(*shown);
  const StageRects at = stage_rects(canvas, in.area, in.theme, tensor_cores, legend);
  Rect product = at.product;
  Rect names = at.legend;
  if (names.w <= 0) {
    // In a low stage the matrices go before the colours of C, which are named last but for the step's own.
    constexpr float kLeastProduct = 170;
    float height = legend_height(canvas, in.theme, product.w, legend);
    while (legend.size() > 3 && product.h - height - 8 < kLeastProduct * in.theme.type) {
      legend.erase(legend.end() - 2);
      height = legend_height(canvas, in.theme, product.w, legend);
    }
    product.h -= height + 8;
    names = {product.x, product.bottom() + 8, product.w, height};
  }
  ProductPicture picture = product_picture(*shown, product_room(in.theme, product));
  const auto levels = gemm_levels(*shown);
  const auto links = gemm_links(*shown);
  const auto level = [&](int i) {
    return at.tower.w > 0 ? std::optional(tower_level(in.theme, at.tower, levels, links, i)) : std::nullopt;
  };
  constexpr int kShared = 2, kMemory = 5;  // of gemm_levels()
  // A tile's worth of room, not the whole box.
  const auto tile_in = [&](int i) {
    const auto box = level(i);
    const float w = 64 * in.theme.type, h = 26 * in.theme.type;
    return box ? std::optional(Rect{box->x + 14, box->center().y - h / 2 + 4, w, h}) : std::nullopt;
  };
  add_pieces(*shown, tile_in(kShared), tile_in(kMemory), picture);
  std::string title = tr("Bytes so far, block {0}", {block_text(*launch, launch->trace.block)});
  const TextStyle title_style{Font::words_semibold, 13.5f * in.theme.type, in.theme.ink};
  if (at.tower.w > 0 && canvas.measure(title, title_style) > at.tower.w) title = tr("Bytes so far");
  // Before the product: its pieces travel over the tower.
  if (at.tower.w > 0) draw_tower(canvas, in.theme, at.tower, title, levels, links, in.motion);
  if (at.table.w > 0) draw_tower_table(canvas, in.theme, at.table, title, levels, links);
  take_hit(canvas, *shown, draw_product(canvas, in.theme, product, picture), events);
  draw_legend(canvas, in.theme, names, legend);
  if (at.fragments.w > 0) draw_fragments(canvas, *shown, at.fragments);
}

}  // namespace lockstep
