// The gemm lab's stage: the three matrices with their card, the fragments of tensor cores, the tower.
#include "app/draw/language.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_tower.hpp"
#include "fragments.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

struct StageRects {
  Rect product, fragments, tower, table;
};

StageRects stage_rects(Rect r, const Theme& theme, bool fragments) {
  const float type = theme.type;
  const TowerRoom room = tower_room(r, theme);
  StageRects at{room.rest, {}, room.tower, room.table};
  if (fragments && at.product.h > 420 * type) {
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
  if (hit.matrix == 0 || hit.matrix == 1)
    show_element_story(canvas, scene.run(), scene.steps, *views[hit.matrix], hit.element, hit.clicked,
                       events);
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
  const StageRects at = stage_rects(in.area, in.theme, tensor_cores);
  const auto legend = product_legend(*shown);
  Rect product = at.product;
  const float legend_h = legend_height(canvas, in.theme, product.w, legend);
  product.h -= legend_h + 8;
  const ProductPicture picture = product_picture(*shown, product_room(in.theme, product));
  take_hit(canvas, *shown, draw_product(canvas, in.theme, product, picture), events);
  draw_legend(canvas, in.theme, {product.x, product.bottom() + 8, product.w, legend_h}, legend);
  if (at.fragments.w > 0) draw_fragments(canvas, *shown, at.fragments);
  const std::string title = tr("Bytes so far, block {0}", {block_text(*launch, launch->trace.block)});
  if (at.tower.w > 0)
    draw_tower(canvas, in.theme, at.tower, title, gemm_levels(*shown), gemm_links(*shown), in.motion);
  if (at.table.w > 0)
    draw_tower_table(canvas, in.theme, at.table, title, gemm_levels(*shown), gemm_links(*shown));
}

}  // namespace lockstep
