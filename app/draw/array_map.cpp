#include "array_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "language.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

constexpr float kNameHeight = 20, kLeastSide = 3, kMostSide = 12, kUnderCells = 4;
constexpr std::uint64_t kLanesOfWarp = 32;

// ArrayCells in rows; each stands for `across` x `down` elements of a matrix, or `across` of a flat array.
struct ArrayCells {
  std::uint64_t elements_a_row = 1, across = 1, down = 1;
  int columns = 1, rows = 1;
  float w = 1, h = 1;
};

std::uint64_t rounded_up(std::uint64_t n, std::uint64_t by) { return (n + by - 1) / by; }

ArrayCells flat_cells(std::uint64_t n, float width, float height) {
  ArrayCells c;
  c.elements_a_row = kLanesOfWarp;
  const auto rows_of = [&] { return float(rounded_up(n, c.elements_a_row * c.across)); };
  while (rows_of() * kLeastSide * 2 > height && width / float(2 * c.elements_a_row) >= kLeastSide * 1.4f)
    c.elements_a_row *= 2;
  while (rows_of() * kLeastSide > height) c.across *= 2;
  c.columns = int(std::min<std::uint64_t>(c.elements_a_row, n));
  c.rows = std::max(1, int(rows_of()));
  c.w = width / float(c.elements_a_row);
  c.h = std::clamp(height / float(c.rows), kLeastSide, std::min(kMostSide, std::max(kLeastSide, c.w)));
  c.elements_a_row *= c.across;
  return c;
}

ArrayCells matrix_cells(std::uint64_t rows, std::uint64_t cols, float width, float height) {
  ArrayCells c;
  while (float(rounded_up(cols, c.across)) * kLeastSide > width) ++c.across;
  while (float(rounded_up(rows, c.down)) * kLeastSide > height) ++c.down;
  if (c.across > 1 || c.down > 1) c.across = c.down = std::max(c.across, c.down);
  c.columns = int(rounded_up(cols, c.across)), c.rows = int(rounded_up(rows, c.down));
  c.h = std::clamp(height / float(c.rows), kLeastSide, kMostSide);
  c.w = std::clamp(width / float(c.columns), kLeastSide, std::max(c.h, kLeastSide));
  c.h = std::min(c.h, std::max(c.w, kLeastSide));
  c.elements_a_row = cols;
  return c;
}

ArrayCells array_cells(const ArrayPicture& p, float width, float height) {
  height = std::max(height, kLeastSide);
  if (p.cols == 0) return flat_cells(std::max<std::uint64_t>(1, p.elements), width, height);
  return matrix_cells(std::max<std::uint64_t>(1, rounded_up(p.elements, p.cols)), p.cols, width, height);
}

std::pair<int, int> cell_of(const ArrayCells& c, std::uint64_t element) {
  const std::uint64_t row = element / c.elements_a_row, col = element % c.elements_a_row;
  return {int(row / c.down), int(col / c.across)};
}

std::array<Color, 256> strength_palette(const Theme& theme, Color level) {
  std::array<Color, 256> colors{};
  colors[0] = mix(theme.ground, level, theme.dark ? 0.10f : 0.08f);
  for (int i = 1; i <= kMostStrength; ++i)
    colors[std::size_t(i)] = mix(theme.ground, level, 0.22f + 0.68f * float(i) / kMostStrength);
  colors[kMostStrength + 1] = color::current;
  return colors;
}

// The strongest of a cell's elements, of at most a few.
std::vector<std::uint8_t> values_of(const ArrayPicture& p, const ArrayCells& c) {
  std::vector<std::uint8_t> values(std::size_t(c.columns) * std::size_t(c.rows), 0);
  for (int row = 0; row < c.rows; ++row)
    for (int col = 0; col < c.columns; ++col) {
      std::uint8_t& value = values[std::size_t(row) * std::size_t(c.columns) + std::size_t(col)];
      for (std::uint64_t d = 0; d < std::min<std::uint64_t>(c.down, 4); ++d)
        for (std::uint64_t a = 0; a < std::min<std::uint64_t>(c.across, 4); ++a) {
          const std::uint64_t e =
              (std::uint64_t(row) * c.down + d) * c.elements_a_row + std::uint64_t(col) * c.across + a;
          if (e < p.strength.size()) value = std::max(value, std::min(p.strength[e], kMostStrength));
        }
    }
  return values;
}

struct Run {
  int row = 0, first = 0, last = 0, rows = 1;
};

// Cells beside each other in a row are one run; runs that lie below each other, one block of them.
std::vector<Run> runs_of(const ArrayPicture& p, const ArrayCells& c) {
  std::vector<std::pair<int, int>> cells;
  for (const std::uint64_t e : p.now)
    if (e < p.elements) cells.push_back(cell_of(c, e));
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<Run> runs;
  for (const auto& [row, col] : cells) {
    if (!runs.empty() && runs.back().row == row && runs.back().last + 1 == col)
      runs.back().last = col;
    else
      runs.push_back({row, col, col, 1});
  }
  std::vector<Run> blocks;
  for (const Run& run : runs) {
    const auto above = std::find_if(blocks.begin(), blocks.end(), [&](const Run& b) {
      return b.row + b.rows == run.row && b.first == run.first && b.last == run.last;
    });
    above == blocks.end() ? blocks.push_back(run) : void(++above->rows);
  }
  return blocks;
}

void frame_now(Canvas& canvas, const Theme& theme, Rect area, const ArrayPicture& p, const ArrayCells& c) {
  constexpr float kSeen = 5;  // a small one must be
  for (const Run& run : runs_of(p, c)) {
    Rect frame{area.x + float(run.first) * c.w, area.y + float(run.row) * c.h,
               float(run.last - run.first + 1) * c.w, float(run.rows) * c.h};
    const Vec2 middle = frame.center();
    frame.w = std::max(frame.w, kSeen) + 1, frame.h = std::max(frame.h, kSeen) + 1;
    frame.x = middle.x - frame.w / 2, frame.y = middle.y - frame.h / 2;
    if (!theme.dark)
      canvas.stroke_rect(frame, theme.ink.with_alpha(0.5f), 3.5f, 2);  // yellow on white needs an edge
    canvas.stroke_rect(frame, color::current, 2, 2);
  }
}

}  // namespace

float array_map_height(const Theme& theme, float width, float most, const ArrayPicture& p) {
  const float title = kNameHeight * theme.type;
  const ArrayCells c = array_cells(p, width, most - title - kUnderCells);
  return title + float(c.rows) * c.h + kUnderCells;
}

ArrayHit draw_array_map(Canvas& canvas, const Theme& theme, Rect r, const ArrayPicture& p) {
  const float type = theme.type, title_h = kNameHeight * type;
  ArrayHit result;
  const ArrayCells c = array_cells(p, r.w, r.h - title_h - kUnderCells);
  const TextStyle name{Font::mono_semibold, 12 * type, theme.ink},
      about{Font::words, 11.5f * type, theme.dim};
  std::string words = p.about;
  const float y = r.y + 8 * type, name_w = std::min(r.w / 2, canvas.measure(p.title, name)),
              room = r.w - name_w - 12 * type;
  if (c.across * c.down > 1)
    words += " · " + tr("a cell stands for {0} elements", {grouped(std::int64_t(c.across * c.down))});
  canvas.text_fit({r.x, y}, p.title, name, name_w + 1);
  const std::string* shown = &words;
  for (const std::string* shorter : {&p.about, &p.brief})
    if (canvas.measure(*shown, about) > room && !shorter->empty()) shown = shorter;
  canvas.text_fit({r.x + name_w + 12 * type, y}, *shown, about, room);
  if (shown != &words) canvas.hint({r.x + name_w, r.y, room, title_h}, words);
  result.title_clicked = canvas.hit(p.id + "/title", {r.x, r.y, name_w, title_h - 2}, true).clicked;
  const Rect area{r.x, r.y + title_h, c.w * float(c.columns), c.h * float(c.rows)};
  const auto values = values_of(p, c);
  canvas.grid(p.id, area, c.columns, c.rows, values, strength_palette(theme, p.color), 1);
  frame_now(canvas, theme, area, p, c);
  if (p.pinned && *p.pinned < p.elements) {
    const auto [row, col] = cell_of(c, *p.pinned);
    canvas.stroke_rect({area.x + float(col) * c.w - 1, area.y + float(row) * c.h - 1, c.w + 2, c.h + 2},
                       theme.ink, 2, 2);
  }
  const Hit hit = canvas.hit(p.id, area);
  if (!hit.hovered) return result;
  const auto col = std::uint64_t(std::clamp(int((hit.pointer.x - area.x) / c.w), 0, c.columns - 1)),
             row = std::uint64_t(std::clamp(int((hit.pointer.y - area.y) / c.h), 0, c.rows - 1));
  const std::uint64_t element = row * c.down * c.elements_a_row + col * c.across;
  if (element < p.elements) result.element = element, result.clicked = hit.clicked;
  return result;
}

}  // namespace lockstep
