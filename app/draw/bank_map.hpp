// Shared memory as it is built: rows of 32 banks x 4 bytes. Each cell is one word of an array.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "matrix.hpp"
#include "theme.hpp"

namespace lockstep {

struct BankPicture {
  std::string id;
  std::string title, subtitle;
  std::vector<CellState> words;   // word w stands in row w / 32, bank w % 32
  std::vector<int> load_of_bank;  // different words wanted per bank by this step, 32 entries; empty: none
};

struct BankHit {
  std::optional<std::uint64_t> hovered;  // word under the pointer
  bool clicked = false;
};

// Where a word stands.
std::optional<Rect> word_rect(const Theme& theme, Rect r, const BankPicture& picture, std::uint64_t word);
BankHit draw_banks(Canvas& canvas, const Theme& theme, Rect r, const BankPicture& picture);

}  // namespace lockstep
