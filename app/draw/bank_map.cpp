#include "bank_map.hpp"

#include <algorithm>
#include <array>

namespace lockstep {
namespace {

constexpr int kBanks = 32;

// Bank numbers above the columns; banks that more than one word is wanted from are in trouble.
void draw_bank_numbers(Canvas& canvas, const Theme& theme, Rect cells, const BankPicture& p) {
  const float w = cells.w / kBanks, type = theme.type;
  const float widest = canvas.measure("31", {Font::mono, 9.5f * type, theme.dim}) + 3;
  const int every = w >= widest ? 1 : 4 * w >= widest ? 4 : 8;
  for (int bank = 0; bank < kBanks; ++bank) {
    const int load = p.load_of_bank.empty() ? 0 : p.load_of_bank[std::size_t(bank)];
    if (bank % every != 0) continue;
    const TextStyle style{load > 1 ? Font::mono_semibold : Font::mono, 9.5f * type,
                          load > 1 ? theme.readable(color::trouble) : theme.dim, Align::center};
    canvas.text({cells.x + (float(bank) + 0.5f) * w, cells.y - 8 * type}, std::to_string(bank), style);
  }
}

int rows_of(const BankPicture& p) { return int((p.words.size() + kBanks - 1) / kBanks); }

// Squares where there are no more rows than banks; else as wide as there is room.
Rect cells_area(const Theme& theme, Rect r, const BankPicture& p) {
  const float header = kCellsBelow * theme.type;
  const int rows = rows_of(p);
  if (rows == 0 || r.h <= header) return {r.x, r.y + header, 0, 0};
  const float h = std::min((r.h - header) / float(rows), r.w / kBanks);
  const float w = rows <= kBanks + 4 ? h : r.w / kBanks;
  return {r.x, r.y + header, w * kBanks, h * float(rows)};
}

}  // namespace

std::optional<Rect> word_rect(const Theme& theme, Rect r, const BankPicture& p, std::uint64_t word) {
  const Rect cells = cells_area(theme, r, p);
  if (word >= p.words.size() || cells.w <= 0) return {};
  const float w = cells.w / kBanks, h = cells.h / float(rows_of(p));
  return Rect{cells.x + float(word % kBanks) * w, cells.y + float(word / kBanks) * h, w, h};
}

BankHit draw_banks(Canvas& canvas, const Theme& theme, Rect r, const BankPicture& p) {
  canvas.landmark("banks", r);
  const float type = theme.type;
  canvas.text_fit({r.x, r.y + 10 * type}, p.title, {Font::words_semibold, 13.5f * type, theme.ink}, r.w);
  canvas.text_fit({r.x, r.y + 28 * type}, p.subtitle, {Font::words, 11.5f * type, theme.dim}, r.w);
  const Rect cells = cells_area(theme, r, p);
  if (cells.w <= 0) return {};
  const int rows = rows_of(p);
  const float h = cells.h / float(rows);
  draw_bank_numbers(canvas, theme, cells, p);
  std::array<Color, 256> colors{};
  const auto palette = cell_palette(theme, color::shared);
  std::copy(palette.begin(), palette.end(), colors.begin());
  std::vector<std::uint8_t> values(std::size_t(rows) * kBanks, std::uint8_t(CellState::absent));
  std::transform(p.words.begin(), p.words.end(), values.begin(), [](CellState s) { return std::uint8_t(s); });
  canvas.grid(p.id, cells, kBanks, rows, values, colors, h >= 4 ? 1.f : 0.f);
  if (h >= 4)
    for (std::size_t w = 0; w < p.words.size(); ++w)
      if (p.words[w] == CellState::reads_now || p.words[w] == CellState::writes_now ||
          p.words[w] == CellState::trouble)
        canvas.stroke_rect({cells.x + float(w % kBanks) * cells.w / kBanks, cells.y + float(w / kBanks) * h,
                            cells.w / kBanks, h},
                           color::current, 1, 1);
  BankHit hit;
  if (const Hit at = canvas.hit(p.id + "/words", cells); at.hovered) {
    const int bank = std::clamp(int((at.pointer.x - cells.x) / cells.w * kBanks), 0, kBanks - 1);
    const int row = std::clamp(int((at.pointer.y - cells.y) / h), 0, rows - 1);
    if (const auto word = std::size_t(row * kBanks + bank); word < p.words.size())
      hit.hovered = word, hit.clicked = at.clicked;
  }
  return hit;
}

}  // namespace lockstep
