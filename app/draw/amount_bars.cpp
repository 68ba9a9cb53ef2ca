#include "amount_bars.hpp"

#include <algorithm>

#include "canvas_story.hpp"
#include "controls.hpp"

namespace lockstep {
namespace {

constexpr float kHead = 40, kRow = 20;

}  // namespace

float amount_bars_height(const Theme& theme, std::size_t bars) {
  return (kHead + kRow * float(bars)) * theme.type;
}

void draw_amount_bars(Canvas& canvas, const Theme& theme, Rect r, const AmountBars& p) {
  canvas.landmark("amounts", r);
  const float type = theme.type;
  float room = r.w;
  if (!p.provenance.empty()) {
    draw_badge(canvas, theme, {r.right(), r.y + 9 * type}, p.provenance);
    room -= badge_width(canvas, theme, p.provenance) + 8 * type;
  }
  canvas.text_fit({r.x, r.y + 9 * type}, p.title, {Font::words_semibold, 12.5f * type, theme.ink}, room);
  canvas.text_fit({r.x, r.y + 26 * type}, p.about, {Font::words, 11 * type, theme.dim}, r.w);
  const TextStyle name{Font::words, 11.5f * type, theme.dim},
      current{Font::words_semibold, 12.5f * type, theme.ink},
      figure{Font::mono_semibold, 11.5f * type, theme.ink};
  float names = 0, figures = 0;
  double most = 0;
  for (const AmountBar& bar : p.bars) {
    names = std::max(names, canvas.measure(bar.name, current) + 10 * type);
    figures = std::max(figures, canvas.measure(bar.figure, figure) + 8 * type);
    most = std::max(most, bar.amount);
  }
  names = std::min(names, r.w * 0.4f);
  const float longest = std::max(4.f, r.w - names - figures);
  float y = r.y + kHead * type;
  canvas.landmark(kScale, {r.x, y, names - 1, r.bottom() - y});
  for (const AmountBar& bar : p.bars) {
    const float middle = y + kRow * type / 2;
    const float w = most > 0 ? std::max(2.f, longest * float(bar.amount / most)) : 2;
    canvas.text_fit({r.x, middle}, bar.name, bar.current ? current : name, names - 6 * type);
    canvas.fill_rect({r.x + names, middle - 5 * type, w, 10 * type},
                     bar.current ? p.color : mix(theme.panel, p.color, 0.45f), 2);
    canvas.text({r.x + names + w + 8 * type, middle}, bar.figure,
                {figure.font, figure.size, bar.current ? theme.ink : theme.dim});
    y += kRow * type;
  }
}

}  // namespace lockstep
