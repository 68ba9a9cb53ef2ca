#include "head_figures.hpp"

#include <algorithm>
#include <vector>

#include "controls.hpp"

namespace lockstep {
namespace {

// Where the first line of at most `width` ends: behind a space, or between two characters of Chinese.
std::size_t first_line_end(const Canvas& canvas, const std::string& text, const TextStyle& style,
                           float width) {
  std::size_t best = 0;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    const bool character = end == text.size() || (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (!character) continue;
    if (canvas.measure(std::string_view(text).substr(0, end), style) > width) break;
    const bool chinese = end < text.size() && static_cast<unsigned char>(text[end]) >= 0xE3;
    if (end == text.size() || text[end - 1] == ' ' || chinese) best = end;
  }
  return best ? best : text.size();
}

// In one line with its badge behind it; where that is too long, in two that lie close together.
void draw_note(Canvas& canvas, const Theme& theme, Rect r, const HeadFigure& f) {
  const float type = theme.type, line = 13 * type;
  const TextStyle style{Font::words, 11.5f * type, theme.dim};
  const float note = canvas.measure(f.note, style), gap = 8 * type,
              badge = f.provenance.empty() ? 0 : badge_width(canvas, theme, f.provenance);
  const bool two = note + (badge > 0 ? gap + badge : 0) > r.w;
  float x = r.x + note + gap, y = r.y;
  if (two) {
    r.y -= 6 * type, y = r.y + line;
    const std::size_t end = first_line_end(canvas, f.note, style, r.w);
    canvas.text_fit({r.x, r.y}, f.note.substr(0, end), style, r.w);
    const std::string rest = f.note.substr(end);
    const float room = badge > 0 && badge < 0.6f * r.w ? r.w - badge - gap : r.w;
    if (!rest.empty()) canvas.text_fit({r.x, y}, rest, style, room);
    x = rest.empty() ? r.x : r.x + std::min(canvas.measure(rest, style), room) + gap;
  } else {
    canvas.text_fit({r.x, r.y}, f.note, style, r.w);
  }
  if (badge == 0) return;
  if (x + badge <= r.x + r.w + 1) return draw_badge(canvas, theme, {x + badge, y}, f.provenance);
  const float symbol = badge_symbol_width(theme);  // alone, its word as a hint
  const Vec2 at{std::min(x + symbol / 2, r.x + r.w - symbol / 2), y};
  draw_badge_symbol(canvas, theme, at, f.provenance);
  canvas.hint({at.x - symbol, y - symbol, 2 * symbol, 2 * symbol}, provenance_text(f.provenance));
}

void draw_figure(Canvas& canvas, const Theme& theme, Rect r, const HeadFigure& f) {
  const float type = theme.type;
  const TextStyle value{Font::words_semibold, 26 * type,
                        f.trouble ? theme.readable(color::trouble) : theme.ink};
  const TextStyle unit{Font::words_semibold, 13.5f * type, theme.ink};
  const float width = canvas.measure(f.value, value);
  canvas.text_fit({r.x, r.y + 16 * type}, f.value, value, r.w);
  if (const float room = r.w - width - 8 * type; room > 20 * type) {
    constexpr float kSmallest = 11;
    canvas.text_shrunk({r.x + width + 8 * type, r.y + 20 * type}, f.unit, unit, kSmallest * type, room);
  }
  draw_note(canvas, theme, {r.x, r.y + 41 * type, r.w, 0}, f);
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

// Of a value with its unit, whole.
float least_width(const Canvas& canvas, const Theme& theme, const HeadFigure& f) {
  const float type = theme.type,
              unit = f.unit.empty()
                         ? 0
                         : canvas.measure(f.unit, {Font::words_semibold, 13.5f * type, {}}) + 8 * type;
  return canvas.measure(f.value, {Font::words_semibold, 26 * type, {}}) + unit + 1;
}

// Equal columns where all fits into them; else first the values with their units, then the notes.
std::vector<float> column_widths(const Canvas& canvas, const Theme& theme,
                                 std::span<const HeadFigure> figures, float room) {
  const float type = theme.type, equal = room / float(figures.size());
  std::vector<float> least, wanted;
  float sum_least = 0, sum_wanted = 0, most = 0;
  for (const HeadFigure& f : figures) {
    const float note = canvas.measure(f.note, {Font::words, 11.5f * type, {}}),
                badge = f.provenance.empty() ? 0 : badge_width(canvas, theme, f.provenance) + 8 * type;
    least.push_back(least_width(canvas, theme, f));
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
  const float usual = 20 * theme.type, narrow = 12 * theme.type, gaps = float(figures.size() - 1);
  float values = 0;
  for (const HeadFigure& f : figures) values += least_width(canvas, theme, f);
  const float gap = gaps > 0 ? std::clamp((r.w - values) / gaps, narrow, usual) : usual;
  const auto widths = column_widths(canvas, theme, figures, r.w - gap * gaps);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    draw_figure(canvas, theme, {r.x, r.y, widths[i], r.h}, figures[i]);
    r.x += widths[i] + gap;
  }
}

}  // namespace lockstep
