#include "head_figures.hpp"

#include <algorithm>
#include <vector>

#include "controls.hpp"

namespace lockstep {
namespace {

// Behind the note; where the two do not fit side by side, the symbol alone with its word as a hint. Returns
// what is left for the note.
float draw_figure_badge(Canvas& canvas, const Theme& theme, Rect r, const HeadFigure& f, float note) {
  const float type = theme.type, gap = 8 * type, y = r.y + 41 * type;
  const float badge = badge_width(canvas, theme, f.provenance);
  if (note + gap + badge <= r.w) {
    draw_badge(canvas, theme, {r.x + note + gap + badge, y}, f.provenance);
    return r.w;
  }
  const float symbol = badge_symbol_width(theme), left = std::min(note, r.w - symbol - gap);
  const Vec2 at{r.x + left + gap + symbol / 2, y};
  draw_badge_symbol(canvas, theme, at, f.provenance);
  canvas.hint({at.x - symbol, y - symbol, 2 * symbol, 2 * symbol}, provenance_text(f.provenance));
  return left;
}

void draw_figure(Canvas& canvas, const Theme& theme, Rect r, const HeadFigure& f) {
  const float type = theme.type;
  const TextStyle value{Font::words_semibold, 26 * type,
                        f.trouble ? theme.readable(color::trouble) : theme.ink};
  const TextStyle unit{Font::words_semibold, 13.5f * type, theme.ink};
  const float width = canvas.measure(f.value, value);
  canvas.text_fit({r.x, r.y + 16 * type}, f.value, value, r.w);
  if (const float room = r.w - width - 8 * type; room > 20 * type)
    canvas.text_fit({r.x + width + 8 * type, r.y + 20 * type}, f.unit, unit, room);
  const TextStyle words{Font::words, 11.5f * type, theme.dim};
  float room = r.w;
  if (!f.provenance.empty()) room = draw_figure_badge(canvas, theme, r, f, canvas.measure(f.note, words));
  canvas.text_fit({r.x, r.y + 41 * type}, f.note, words, room);
}

// How much each may have beyond its least, so that all get `extra` together: short notes stay whole, and what
// is cut is the longest.
float level_of(const std::vector<float>& least, const std::vector<float>& wanted, float extra) {
  std::vector<float> more;
  for (std::size_t i = 0; i < least.size(); ++i) more.push_back(wanted[i] - least[i]);
  std::sort(more.begin(), more.end());
  float level = 0;
  for (std::size_t i = 0; i < more.size(); ++i) {
    const float next = std::min(more[i], level + extra / float(more.size() - i));
    extra -= (next - level) * float(more.size() - i), level = next;
  }
  return level;
}

// Equal columns where all fits into them; else first the values with their units, then the notes.
std::vector<float> column_widths(const Canvas& canvas, const Theme& theme,
                                 std::span<const HeadFigure> figures, float room) {
  const float type = theme.type, equal = room / float(figures.size());
  std::vector<float> least, wanted;
  float sum_least = 0, sum_wanted = 0, most = 0;
  for (const HeadFigure& f : figures) {
    const float unit =
        f.unit.empty() ? 0 : canvas.measure(f.unit, {Font::words_semibold, 13.5f * type, {}}) + 8 * type;
    const float note = canvas.measure(f.note, {Font::words, 11.5f * type, {}}),
                badge = f.provenance.empty() ? 0 : badge_width(canvas, theme, f.provenance) + 8 * type;
    least.push_back(canvas.measure(f.value, {Font::words_semibold, 26 * type, {}}) + unit + 1);
    wanted.push_back(std::max(least.back(), note + badge + 1));
    sum_least += least.back(), sum_wanted += wanted.back(), most = std::max(most, wanted.back());
  }
  if (most <= equal) return std::vector<float>(figures.size(), equal);
  if (sum_least > room) {  // even the values do not fit: the longest is cut
    const float level = level_of(std::vector<float>(least.size(), 0), least, room);
    for (float& width : least) width = std::min(width, level);
    return least;
  }
  const float spare = std::max(0.f, room - sum_wanted) / float(figures.size());
  const float level = level_of(least, wanted, room - sum_least);
  for (std::size_t i = 0; i < least.size(); ++i) least[i] += std::min(wanted[i] - least[i], level) + spare;
  return least;
}

}  // namespace

float head_figures_height(const Theme& theme) { return 52 * theme.type; }

void draw_head_figures(Canvas& canvas, const Theme& theme, Rect r, std::span<const HeadFigure> figures) {
  if (figures.empty()) return;
  const float gap = 20 * theme.type;
  const auto widths = column_widths(canvas, theme, figures, r.w - gap * float(figures.size() - 1));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    draw_figure(canvas, theme, {r.x, r.y, widths[i], r.h}, figures[i]);
    r.x += widths[i] + gap;
  }
}

}  // namespace lockstep
