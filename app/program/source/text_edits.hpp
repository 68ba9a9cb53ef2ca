// Replacements in a text that leave every line where it is.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "column_map.hpp"

namespace lockstep::reader {

class TextEdits {
 public:
  explicit TextEdits(std::string_view text) : text_(text) {}

  // `text` in the place of `size` bytes; line ends among them stay, behind it. Of several edits that overlap
  // the first one holds; insertions at one place follow each other in the order of the calls.
  void replace(std::size_t begin, std::size_t size, std::string text);
  void insert(std::size_t at, std::string text) { replace(at, 0, std::move(text)); }

  struct Edited {
    std::string text;
    ColumnMap columns;
  };
  Edited apply() const;

 private:
  struct Edit {
    std::size_t begin, size;
    std::string text;
  };
  std::string_view text_;
  std::vector<Edit> edits_;
};

}  // namespace lockstep::reader
