#include "column_map.hpp"

#include <algorithm>
#include <tuple>

namespace lockstep::reader {

int ColumnMap::original(int line, int column) const {
  auto after = std::upper_bound(pieces_.begin(), pieces_.end(), std::tuple(line, column),
                                [](auto at, auto& p) { return at < std::tuple(p.line, p.rewritten); });
  if (after == pieces_.begin()) return column;
  const Piece& piece = *--after;
  if (piece.line != line) return column;
  return piece.fixed ? piece.original : piece.original + column - piece.rewritten;
}

}  // namespace lockstep::reader
