// CUDA C++ text whose tokens are dropped, replaced and surrounded, and which still knows its lines.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lexer.hpp"
#include "plain_cuda.hpp"

namespace lockstep {

// Indices are those of tokens; -1 and size() stand before and behind all of them.
class EditedText {
 public:
  explicit EditedText(std::string_view text);

  int size() const { return int(tokens_.size()); }
  const Token& operator[](int i) const { return tokens_[std::size_t(i)]; }
  // A live token of this text; false outside of the text.
  bool is(int i, std::string_view text) const { return live(i) && (*this)[i].is(text); }
  bool word(int i) const { return live(i) && (*this)[i].is_word(); }
  bool live(int i) const { return i >= 0 && i < size() && !edits_[std::size_t(i)].dropped; }
  int partner(int i) const { return partners_[std::size_t(i)]; }
  // The nearest live token that is no blank and no comment.
  int next(int i) const;
  int previous(int i) const;
  // The > of a template argument list that opens here, -1 where it is a comparison.
  int close_angle(int open) const;
  // [first, last] of what stands between the commas of a list, without blanks at its ends.
  using Range = std::pair<int, int>;
  std::vector<Range> arguments(int open, int close) const;
  // The live tokens of a range, line ends as blanks.
  std::string text(Range range) const;
  bool holds(Range range, std::string_view token) const;

  void drop(int first, int last);
  void drop(int i) { drop(i, i); }
  void replace(int i, std::string text);
  void put_before(int i, const std::string& text) { edits_[std::size_t(i)].before += text; }
  void put_after(int i, const std::string& text) { edits_[std::size_t(i)].after.insert(0, text); }
  // Drops one of a list with the comma that parted it from its neighbour, and the blank beside that.
  void drop_from_list(Range range);

  PlainKernel render() const;

 private:
  struct Edit {
    bool dropped = false, replaced = false;
    std::string before, text, after;
  };
  std::vector<Token> tokens_;
  std::vector<int> partners_;
  std::vector<Edit> edits_;
};

}  // namespace lockstep
