// Where a column of rewritten text stood in the original: lines are the same in both.
#pragma once
#include <vector>

namespace lockstep::reader {

class ColumnMap {
 public:
  // Of this line, from column `rewritten` on, text stands as it stood from `original` on; where `fixed`, all
  // of it stands for that one column. Called in the order of the text; lines and columns count from 1.
  void add(int line, int rewritten, int original, bool fixed) {
    pieces_.push_back({line, rewritten, original, fixed});
  }
  int original(int line, int column) const;

 private:
  struct Piece {
    int line, rewritten, original;
    bool fixed;
  };
  std::vector<Piece> pieces_;
};

}  // namespace lockstep::reader
