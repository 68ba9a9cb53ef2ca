#include "level_bars.hpp"

#include <algorithm>
#include <cmath>

#include "controls.hpp"
#include "language.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

constexpr double kSector = 32, kMost = 1 << 26;  // bytes at the ends of a bar

float share(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  const double s =
      (1 + std::log2(std::max(double(bytes), kSector) / kSector)) / (1 + std::log2(kMost / kSector));
  return float(std::clamp(s, 0.0, 1.0));
}

}  // namespace

void draw_level_bars(Canvas& canvas, const Theme& theme, Rect r, std::string_view title,
                     std::span<const LevelBar> bars) {
  canvas.landmark("levels", r);
  if (bars.empty()) return;
  const float type = theme.type, head = 24 * type;
  canvas.text_fit({r.x, r.y + 8 * type}, title, {Font::words_semibold, 12.5f * type, theme.ink}, r.w);
  const float step = std::min(46 * type, (r.h - head) / float(bars.size()));
  const float bar_h = std::min(14 * type, step * 0.36f);
  float y = r.y + head;
  for (const LevelBar& bar : bars) {
    const float name_y = y + (step - bar_h) * 0.45f;
    const std::string amount = bar.bytes > 0 ? bytes_text(double(bar.bytes)) : std::string("0");
    const TextStyle figure{Font::mono, 11.5f * type, theme.ink, Align::right};
    canvas.text({r.right(), name_y}, amount, figure);
    float room = r.w - canvas.measure(amount, figure) - 8 * type;
    if (bar.modelled) {
      canvas.stroke_circle({r.x + room - 4 * type, name_y}, 3.6f * type, theme.dim, 1.2f, 1.6f);
      canvas.hint({r.x + room - 10 * type, name_y - 8 * type, 14 * type, 16 * type}, tr("modelled"));
      room -= 14 * type;
    }
    canvas.text_fit({r.x, name_y}, bar.name, {Font::words_semibold, 12.5f * type, theme.readable(bar.color)},
                    room);
    const Rect track{r.x, y + step - bar_h, r.w, bar_h};
    canvas.fill_rect(track, theme.soft, 3);
    if (bar.bytes > 0)
      canvas.fill_rect({track.x, track.y, track.w * share(bar.bytes), track.h}, bar.color, 3);
    y += step;
  }
}

}  // namespace lockstep
