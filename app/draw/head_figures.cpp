#include "head_figures.hpp"

#include <algorithm>

#include "controls.hpp"

namespace lockstep {
namespace {

void draw_figure(Canvas& canvas, const Theme& theme, Rect r, const HeadFigure& f) {
  const float type = theme.type;
  const TextStyle value{Font::words_semibold, 26 * type,
                        f.trouble ? theme.readable(color::trouble) : theme.ink};
  const TextStyle unit{Font::words_semibold, 13.5f * type, theme.ink};
  const float width = canvas.measure(f.value, value);
  canvas.text_fit({r.x, r.y + 16 * type}, f.value, value, r.w);
  if (const float room = r.w - width - 8 * type; room > 20 * type)
    canvas.text_fit({r.x + width + 8 * type, r.y + 20 * type}, f.unit, unit, room);
  float room = r.w;
  if (!f.provenance.empty()) {
    const float badge = badge_width(canvas, theme, f.provenance);
    if (badge < 0.6f * r.w) {
      const float note =
          std::min(canvas.measure(f.note, {Font::words, 11.5f * type, theme.dim}), r.w - badge - 8 * type);
      draw_badge(canvas, theme, {r.x + note + 8 * type + badge, r.y + 41 * type}, f.provenance);
      room = r.w - badge - 8 * type;
    }
  }
  canvas.text_fit({r.x, r.y + 41 * type}, f.note, {Font::words, 11.5f * type, theme.dim}, room);
}

}  // namespace

float head_figures_height(const Theme& theme) { return 52 * theme.type; }

void draw_head_figures(Canvas& canvas, const Theme& theme, Rect r, std::span<const HeadFigure> figures) {
  const float gap = 20 * theme.type,
              each = (r.w + gap) / float(std::max<std::size_t>(1, figures.size())) - gap;
  for (std::size_t i = 0; i < figures.size(); ++i)
    draw_figure(canvas, theme, {r.x + float(i) * (each + gap), r.y, each, r.h}, figures[i]);
}

}  // namespace lockstep
