#include "fragment_map.hpp"

#include <algorithm>
#include <vector>

#include "language.hpp"

namespace lockstep {
namespace {

std::string n(int x) { return std::to_string(x); }

// Values of a grid: the register's tint, or lit.
constexpr int kRegisters = 4;
constexpr std::uint8_t kLit = kRegisters;

Color tint(const Theme& theme, int reg) {
  constexpr float kShare[kRegisters] = {0.14f, 0.27f, 0.40f, 0.53f};
  return mix(theme.panel, color::registers, kShare[reg]);
}
std::array<Color, 256> palette(const Theme& theme) {
  std::array<Color, 256> colors{};
  for (int reg = 0; reg < kRegisters; ++reg) colors[std::size_t(reg)] = tint(theme, reg);
  colors[kLit] = color::registers;
  return colors;
}

constexpr float kSubtitleLine = 14;  // px at type size 1
TextStyle subtitle_style(const Theme& theme) { return {Font::words, 11.5f * theme.type, theme.dim}; }

// A title with what stands below it, in as many lines as that needs.
void draw_title(Canvas& canvas, const Theme& theme, Rect r, std::string_view title,
                std::string_view subtitle) {
  TextStyle style{Font::words_semibold, 13.5f * theme.type, theme.ink};
  if (canvas.measure(title, style) > r.w) style.size = 12 * theme.type;
  canvas.text_fit({r.x, r.y + 10 * theme.type}, title, style, r.w);
  canvas.text_wrap({r.x, r.y + 21 * theme.type}, subtitle, subtitle_style(theme), r.w,
                   kSubtitleLine * theme.type);
}

// The size of a lane number in a cell of w x h: sizes that fonts have a face for; 0 where two digits do not
// fit.
float digits_in(const Theme& theme, float w, float h) {
  for (const float size : {11.5f, 9.5f})
    if (w >= 1.4f * size * theme.type && h >= 1.25f * size * theme.type) return size * theme.type;
  return 0;
}

// The cells of a matrix with their lanes; lit ones are framed.
template <class Slot>
void draw_cells(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, int rows, int cols,
                std::optional<int> lane, Slot&& slot_at) {
  const float w = r.w / float(cols), h = r.h / float(rows);
  std::vector<std::uint8_t> values;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const FragmentSlot slot = slot_at(row, col);
      values.push_back(slot.lane == lane ? kLit : std::uint8_t(slot.reg));
    }
  const auto colors = palette(theme);
  canvas.grid(id, r, cols, rows, values, colors, 1);
  const float size = digits_in(theme, w, h);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const FragmentSlot slot = slot_at(row, col);
      const bool lit = slot.lane == lane;
      const Rect cell{r.x + float(col) * w, r.y + float(row) * h, w, h};
      if (lit) canvas.stroke_rect({cell.x, cell.y, w - 1, h - 1}, theme.ink, 1.5f, 2);
      if (size == 0) continue;
      canvas.text(cell.center(), n(slot.lane),
                  {lit ? Font::mono_semibold : Font::mono, size, lit ? Color::hex(0x1E2124) : theme.ink,
                   Align::center});
    }
}

// --- fragments
// ------------------------------------------------------------------------------------------------

struct FragmentRects {
  Rect a, b, c, corner;
  Rect of(Fragment f) const { return f == Fragment::a ? a : f == Fragment::b ? b : c; }
};

// Square cells: A is 16 wide and high, B 8 wide and 16 high, C 8 wide and 16 high. In a wide place they stand
// in a row, and what a lane holds beside them.
FragmentRects fragment_rects(const Theme& theme, Rect r) {
  const float type = theme.type, top = 44 * type, axis = 20 * type, gap = 26 * type;
  if (r.w > 1.5f * r.h) {
    const float side = std::min((r.w - axis - 2 * gap) / 32, (r.h - top - 2 * axis) / 16);
    const float y = r.y + top + axis, b = r.x + axis + 16 * side + gap, c = b + 8 * side + gap;
    const float corner = c + 8 * side + gap;
    return {{r.x + axis, y, 16 * side, 16 * side},
            {b, y, 8 * side, 16 * side},
            {c, y, 8 * side, 16 * side},
            {corner, r.y + top, std::max(0.f, r.right() - corner) + 16 * type, 16 * side + axis}};
  }
  const float cell = std::min((r.w - axis - gap) / 24, (r.h - top - axis - gap - axis) / 32);
  const float left = r.x + axis, high = r.y + top + axis;
  const float ax = left, bx = left + 16 * cell + gap, ay = high + 16 * cell + gap;
  return {{ax, ay, 16 * cell, 16 * cell},
          {bx, high, 8 * cell, 16 * cell},
          {bx, ay, 8 * cell, 16 * cell},
          {r.x, r.y + top, 16 * cell + axis, 16 * cell + axis}};
}

const char* name_of(Fragment f) { return f == Fragment::a ? "A" : f == Fragment::b ? "B" : "C"; }

// "A[1][2..3] in a0": one line per register; C has one element in each.
std::vector<std::string> holdings(int lane) {
  std::vector<std::string> lines;
  for (const Fragment f : {Fragment::a, Fragment::b, Fragment::c})
    for (int reg = 0; reg < shape_of(f).registers; ++reg) {
      const MatrixIndex low = element_in(f, {lane, reg, 0}), high = element_in(f, {lane, reg, 1});
      const std::string rows = f == Fragment::b ? n(low.row) + ".." + n(high.row) : n(low.row);
      const std::string cols = f == Fragment::a ? n(low.col) + ".." + n(high.col) : n(low.col);
      const std::string element = std::string(name_of(f)) + "[" + rows + "][" + cols + "]";
      lines.push_back(tr("{0} in {1}", {element, register_name(f, reg)}));
    }
  return lines;
}

// The same in short, of any lane.
std::vector<std::string> amounts_held() {
  std::vector<std::string> lines;
  for (const Fragment f : {Fragment::a, Fragment::b, Fragment::c}) {
    const int each = f == Fragment::c ? 1 : 2;  // bf16 in pairs, sums alone
    lines.push_back(tr("{0} elements of {1}", {n(shape_of(f).registers * each), name_of(f)}));
  }
  return lines;
}

// Four swatches with their registers.
float draw_key(Canvas& canvas, const Theme& theme, Vec2 at, float room) {
  const float type = theme.type, step = std::min(40 * type, room / kRegisters);
  for (int reg = 0; reg < kRegisters; ++reg) {
    const float x = at.x + float(reg) * step;
    canvas.fill_rect({x, at.y, 11 * type, 11 * type}, tint(theme, reg), 2);
    canvas.text({x + 15 * type, at.y + 5.5f * type}, n(reg), {Font::mono, 10.5f * type, theme.dim});
  }
  return 11 * type;
}

// What the lit lane holds, in the corner that A and B leave.
void draw_corner(Canvas& canvas, const Theme& theme, Rect r, std::optional<int> lane) {
  const float type = theme.type, step = 15 * type, room = r.w - 16 * type;
  if (room < 120 * type || r.h < 48 * type) return;
  canvas.text_fit({r.x, r.y + 8 * type}, tr("register, by tint"), {Font::words, 10.5f * type, theme.dim},
                  room);
  float y = r.y + 20 * type;
  y += draw_key(canvas, theme, {r.x, y}, room) + 18 * type;
  if (!lane) {
    const std::string hint = tr("Point at an element: the same lane lights up in A, B and C.");
    const TextStyle style{Font::words, 11.5f * type, theme.dim};
    if (y + float(canvas.count_lines(hint, style, room)) * step < r.bottom())
      canvas.text_wrap({r.x, y}, hint, style, room, step);
    return;
  }
  auto lines = holdings(*lane);
  bool two_columns = y + step * float(lines.size() + 1) > r.bottom();
  const TextStyle mono{Font::mono, 10.5f * type, theme.ink};
  const auto too_wide = [&](const std::string& line) { return canvas.measure(line, mono) > room / 2 - 6; };
  if (two_columns && std::any_of(lines.begin(), lines.end(), too_wide))
    lines = amounts_held(), two_columns = false;
  const std::size_t per_column = two_columns ? (lines.size() + 1) / 2 : lines.size();
  if (y + step * float(per_column + 1) > r.bottom()) return;  // the tooltip says it
  canvas.text_fit({r.x, y}, tr("lane {0} holds", {n(*lane)}), {Font::words_semibold, 12.5f * type, theme.ink},
                  room);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Vec2 at{r.x + float(i / per_column) * room / 2, y + step * float(i % per_column + 1)};
    canvas.text_fit(at, lines[i], mono, two_columns ? room / 2 - 6 : room);
  }
}

// Every fourth row and column number along A and B, and below each matrix its name.
void draw_edges(Canvas& canvas, const Theme& theme, const FragmentRects& at) {
  const float type = theme.type, cell = at.a.w / 16;
  TextStyle style{Font::mono, 9.5f * type, theme.dim, Align::center};
  const auto across = [&](Rect r, int cols) {
    for (int c = 0; c < cols; c += 4)
      canvas.text({r.x + (float(c) + 0.5f) * cell, r.y - 8 * type}, n(c), style);
  };
  const auto down = [&](Rect r) {
    style.align = Align::right;
    for (int row = 0; row < 16; row += 4)
      canvas.text({r.x - 5, r.y + (float(row) + 0.5f) * cell}, n(row), style);
    style.align = Align::center;
  };
  across(at.a, 16), across(at.b, 8);
  down(at.a), down(at.b);
  const TextStyle name{Font::words_semibold, 12.5f * type, theme.ink, Align::right};
  for (const auto& [text, r] : {std::pair{"A  16 × 16", at.a}, {"B  16 × 8", at.b}, {"C  16 × 8", at.c}})
    canvas.text({r.right(), r.bottom() + 11 * type}, text, name);
}

std::string joined(const std::string& first, const std::vector<std::string>& lines) {
  std::string all = first;
  for (const std::string& line : lines) all += "\n" + line;
  return all;
}

// The cell of a grid of rows x cols under the pointer.
MatrixIndex cell_under(Rect r, int rows, int cols, Vec2 pointer) {
  return {std::clamp(int((pointer.y - r.y) / r.h * float(rows)), 0, rows - 1),
          std::clamp(int((pointer.x - r.x) / r.w * float(cols)), 0, cols - 1)};
}

}  // namespace

FragmentHit draw_fragments(Canvas& canvas, const Theme& theme, Rect r, const FragmentPicture& picture) {
  const FragmentRects at = fragment_rects(theme, r);
  if (at.a.w < 16 * 4) return {};
  FragmentHit result;
  for (const Fragment f : {Fragment::a, Fragment::b, Fragment::c}) {
    const FragmentShape shape = shape_of(f);
    const Hit hit = canvas.hit(picture.id + "/" + name_of(f), at.of(f));
    if (!hit.hovered) continue;
    const MatrixIndex element = cell_under(at.of(f), shape.rows, shape.cols, hit.pointer);
    result.hovered = FragmentHit::Cell{f, element, slot_of(f, element)}, result.clicked = hit.clicked;
  }
  const std::optional<int> lane = result.hovered ? std::optional(result.hovered->slot.lane) : picture.pinned;
  const bool numbered = digits_in(theme, at.a.w / 16, at.a.h / 16) > 0;
  draw_title(canvas, theme, r, picture.title,
             numbered ? tr("each number is the lane that holds the element")
                      : tr("one lane is framed; point at others"));
  draw_edges(canvas, theme, at);
  for (const Fragment f : {Fragment::a, Fragment::b, Fragment::c})
    draw_cells(canvas, theme, picture.id + "/" + name_of(f), at.of(f), shape_of(f).rows, shape_of(f).cols,
               lane, [&](int row, int col) {
                 return slot_of(f, {row, col});
               });
  draw_corner(canvas, theme, at.corner, lane);
  if (result.hovered) canvas.tooltip(joined(tr("lane {0} holds", {n(*lane)}), holdings(*lane)));
  return result;
}

// --- ldmatrix
// -------------------------------------------------------------------------------------------------

namespace {

constexpr int kUnits = 8, kRows = kLdmatrixRows;

// One matrix: addresses, its 8 x 8 elements, the bank units of its rows.
struct LdmatrixRects {
  Rect addresses, cells, units;
};

struct LdmatrixLayout {
  Rect area;
  int across = 1, down = 1;
  float type = 1;
  bool addresses = true;  // in words beside the rows; without them the pointer tells
  float gap() const { return 28 * type; }
  float labels() const { return addresses ? 116 * type : 0; }
  float head() const { return 34 * type; }
  float foot() const { return 22 * type; }
  float width() const { return (area.w - gap() * float(across - 1)) / float(across); }
  float cell() const {
    const float h = (area.h - gap() * float(down - 1)) / float(down);
    return std::min((width() - labels() - 18 * type) / float(kRows + kUnits), (h - head() - foot()) / kRows);
  }
  Rect block(int matrix) const {
    const float h = head() + cell() * kRows + foot();
    return {area.x + float(matrix % across) * (width() + gap()),
            area.y + float(matrix / across) * (h + gap()), width(), h};
  }
  LdmatrixRects parts(int matrix) const {
    const Rect b = block(matrix);
    const Rect cells{b.x + labels(), b.y + head(), cell() * kRows, cell() * kRows};
    return {{b.x, cells.y, std::max(0.f, labels() - 8 * type), cells.h},
            cells,
            {cells.right() + 18 * type, cells.y, cell() * kUnits, cells.h}};
  }
};

// As many side by side as make the cells largest.
LdmatrixLayout ldmatrix_layout(const Theme& theme, Rect r, int matrices, int subtitle_lines) {
  const float top = (28 + kSubtitleLine * float(subtitle_lines)) * theme.type;
  LdmatrixLayout best;
  constexpr float kLegible = kRows * 13;  // cells that hold a lane number
  for (const bool addresses : {true, false})
    for (int across = 1; across <= matrices; across *= 2) {
      const LdmatrixLayout layout{
          {r.x, r.y + top, r.w, r.h - top}, across, matrices / across, theme.type, addresses};
      const float now = layout.parts(0).cells.w, before = best.area.w > 0 ? best.parts(0).cells.w : 0.f;
      if (now > before && (addresses || before < kLegible * theme.type)) best = layout;
    }
  return best;
}

std::span<const std::uint32_t, kRows> rows_of(const LdmatrixPicture& p, int matrix) {
  return std::span<const std::uint32_t, kRows>(p.row_bytes.data() + matrix * kRows, kRows);
}

// Rows of the matrix that stand in this row's unit at another address.
bool in_conflict(std::span<const std::uint32_t, kRows> rows, int row) {
  return std::any_of(rows.begin(), rows.end(), [&](std::uint32_t other) {
    return other != rows[std::size_t(row)] && bank_unit(other) == bank_unit(rows[std::size_t(row)]);
  });
}

void draw_addresses(Canvas& canvas, const Theme& theme, Rect r, const LdmatrixPicture& p, int matrix,
                    std::optional<int> lane) {
  const float h = r.h / kRows, size = 10.5f * theme.type;
  if (h < size * 1.1f || r.w <= 0) return;
  for (int row = 0; row < kRows; ++row) {
    const int from = address_lane(matrix, row);
    const bool lit = from == lane;
    canvas.text_fit(
        {r.right(), r.y + (float(row) + 0.5f) * h},
        tr("lane {0}: byte {1}", {n(from), n(int(p.row_bytes[std::size_t(from)]))}),
        {lit ? Font::words_semibold : Font::words, size, lit ? theme.ink : theme.dim, Align::right}, r.w);
  }
}

// A row's unit filled; in the colour of trouble where another row wants the same.
void draw_units(Canvas& canvas, const Theme& theme, Rect r, const LdmatrixPicture& p, int matrix,
                float text_room) {
  const auto rows = rows_of(p, matrix);
  const float w = r.w / kUnits, h = r.h / kRows;
  for (int row = 0; row < kRows; ++row)
    for (int unit = 0; unit < kUnits; ++unit) {
      const Rect cell{r.x + float(unit) * w, r.y + float(row) * h, w - 1, h - 1};
      const bool here = bank_unit(rows[std::size_t(row)]) == unit;
      const bool bad = here && in_conflict(rows, row);
      canvas.fill_rect(cell, !here ? theme.soft : bad ? color::trouble : color::shared, 2);
      if (bad)
        canvas.line({cell.x + 3, cell.bottom() - 3}, {cell.right() - 3, cell.y + 3}, theme.panel, 1.2f);
    }
  const float size = 9.5f * theme.type;
  for (int unit = 0; unit < kUnits && w > 0.8f * size; ++unit)
    canvas.text({r.x + (float(unit) + 0.5f) * w, r.y - 8 * theme.type}, n(unit),
                {Font::mono, size, theme.dim, Align::center});
  const int wavefronts = ldmatrix_wavefronts(rows);
  canvas.text_fit({r.right(), r.bottom() + 11 * theme.type}, tr("wavefronts: {0}", {n(wavefronts)}),
                  {Font::words_semibold, 10.5f * theme.type,
                   wavefronts > 1 ? theme.readable(color::trouble) : theme.ink, Align::right},
                  text_room);
}

std::string ldmatrix_story(const LdmatrixPicture& p, int lane) {
  std::vector<std::string> lines;
  for (int matrix = 0; matrix < p.matrices; ++matrix) {
    const MatrixIndex low = loaded_element({lane, matrix, 0}, p.transposed),
                      high = loaded_element({lane, matrix, 1}, p.transposed);
    const std::string rows = p.transposed ? n(low.row) + ".." + n(high.row) : n(low.row);
    const std::string cols = p.transposed ? n(low.col) : n(low.col) + ".." + n(high.col);
    lines.push_back(tr("[{0}][{1}] of matrix {2} in register {3}", {rows, cols, n(matrix), n(matrix)}));
  }
  std::string story = joined(tr("lane {0} receives", {n(lane)}), lines);
  if (const auto row = row_of_address_lane(lane, p.matrices)) {
    const std::uint32_t byte = p.row_bytes[std::size_t(lane)];
    story += "\n" + tr("and gives the address of row {0} of matrix {1}: byte {2}, unit {3} of the banks",
                       {n(row->row), n(row->matrix), n(int(byte)), n(bank_unit(byte))});
  }
  return story;
}

void draw_heads(Canvas& canvas, const Theme& theme, const LdmatrixRects& at, Rect block, int matrix) {
  const float y = block.y + 9 * theme.type;
  canvas.text_fit({block.x, y}, tr("matrix {0}", {n(matrix)}),
                  {Font::words_semibold, 12.5f * theme.type, theme.ink},
                  at.addresses.w > 0 ? at.addresses.w : at.cells.w);
  const TextStyle style{Font::words, 10.5f * theme.type, theme.dim};
  if (at.addresses.w > 0) canvas.text_fit({at.cells.x, y}, tr("receiving lane"), style, at.cells.w);
  const std::string units = tr("16-byte units");
  canvas.text_fit({at.units.x, y}, canvas.measure(units, style) <= at.units.w ? units : tr("bank units"),
                  style, at.units.w);
}

}  // namespace

LdmatrixHit draw_ldmatrix(Canvas& canvas, const Theme& theme, Rect r, const LdmatrixPicture& picture) {
  LdmatrixPicture p = picture;
  const int matrices = p.matrices = p.matrices == 1 || p.matrices == 2 ? p.matrices : 4;
  const std::string subtitle =
      tr("each lane gives the address of a row and receives two neighbours of every matrix");
  const LdmatrixLayout layout =
      ldmatrix_layout(theme, r, matrices, canvas.count_lines(subtitle, subtitle_style(theme), r.w));
  if (layout.parts(0).cells.w < kRows * 5) return {};
  LdmatrixHit result;
  for (int m = 0; m < matrices; ++m) {
    const Rect cells = layout.parts(m).cells;
    const Hit hit = canvas.hit(p.id + "/" + n(m), cells);
    if (!hit.hovered) continue;
    const MatrixIndex element = cell_under(cells, kRows, kRows, hit.pointer);
    result.hovered = LdmatrixHit::Cell{m, element, loaded_slot(m, element, p.transposed)};
    result.clicked = hit.clicked;
  }
  const std::optional<int> lane = result.hovered ? std::optional(result.hovered->slot.lane) : p.pinned;
  draw_title(canvas, theme, r, p.title, subtitle);
  for (int m = 0; m < matrices; ++m) {
    const LdmatrixRects at = layout.parts(m);
    draw_heads(canvas, theme, at, layout.block(m), m);
    draw_addresses(canvas, theme, at.addresses, p, m, lane);
    draw_cells(canvas, theme, p.id + "/" + n(m), at.cells, kRows, kRows, lane, [&](int row, int col) {
      return loaded_slot(m, {row, col}, p.transposed);
    });
    draw_units(canvas, theme, at.units, p, m, at.units.right() - layout.block(m).x);
  }
  if (result.hovered) canvas.tooltip(ldmatrix_story(p, *lane));
  return result;
}

}  // namespace lockstep
