// The card: the SM's warp slots, registers and shared memory, filled by as many blocks as fit.
#include <algorithm>

#include "scene.hpp"

namespace lockstep {
namespace {

// Neighbouring blocks differ in strength, so that they can be counted.
Color shade(const Theme& theme, SmResource resource, int block) {
  return mix(theme.panel, color_of(resource), block % 2 ? 0.45f : 0.85f);
}

void draw_slots(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& sm) {
  const int rows = std::max(1, sm.gpu.warp_granularity),
            columns = std::max(1, sm.gpu.max_warps_per_sm / rows);
  const float w = r.w / float(columns), h = r.h / float(rows);
  for (int slot = 0; slot < rows * columns; ++slot) {
    const int block = slot / warps_of_block(sm);
    canvas.fill_rect({r.x + float(slot / rows) * w, r.y + float(slot % rows) * h, w - 2, h - 2},
                     block < sm.placed ? shade(theme, SmResource::warps, block) : theme.soft, 2);
  }
}

void draw_bar(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& sm, SmResource resource) {
  canvas.fill_rect(r, theme.soft, 2);
  const ResourceUse use = use_of(sm, resource);
  if (sm.placed < 1 || use.all < 1) return;
  const float each = r.w * float(use.taken) / float(use.all) / float(sm.placed);
  for (int block = 0; block < sm.placed && each > 0; ++block)
    canvas.fill_rect({r.x + float(block) * each, r.y, std::max(1.f, each - 1), r.h},
                     shade(theme, resource, block), 2);
}

}  // namespace

void OccupancyScene::card(Canvas& canvas, const StageInput& in) const {
  const auto filled = sm_at(in.view.step);
  if (!filled) return;
  const Rect r = in.area;
  const float bar = r.h * 0.15f, gap = r.h * 0.07f, slots = r.h - 2 * (bar + gap);
  draw_slots(canvas, in.theme, {r.x, r.y, r.w, slots}, *filled);
  draw_bar(canvas, in.theme, {r.x, r.y + slots + gap, r.w, bar}, *filled, SmResource::registers);
  draw_bar(canvas, in.theme, {r.x, r.bottom() - bar, r.w, bar}, *filled, SmResource::shared);
}

}  // namespace lockstep
