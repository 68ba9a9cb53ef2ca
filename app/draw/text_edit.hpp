// A line of text that is being edited: caret, selection, clipboard, undo. Knows no screen. Positions count
// code points: 0 is in front of the first one.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep {

class TextEdit {
 public:
  // What moves the caret.
  enum class Move { left, right, word_left, word_right, begin, end };
  static constexpr std::size_t kMost = 4096;  // code points, as long as a path may be

  // All of it selected, so that typing replaces it: what stands in a field when it opens is a proposal.
  explicit TextEdit(std::string_view utf8 = "", std::size_t most = kMost);
  ~TextEdit();
  TextEdit(const TextEdit& other);
  TextEdit(TextEdit&&) noexcept;
  TextEdit& operator=(TextEdit other) noexcept;

  std::string text() const;
  int length() const;
  int caret() const;
  struct Range {
    int first = 0, last = 0;  // behind its end
    bool empty() const { return first == last; }
  };
  Range selection() const;
  std::string text_between(int first, int last) const;
  std::string text_before(int position) const { return text_between(0, position); }
  std::string selected() const;  // "" without a selection

  void move(Move to, bool select);
  void place(int position, bool select);  // the caret, by the pointer
  void select_all();
  void select_word(int position);  // the one around it

  // Control characters are left out, and what no longer fits.
  void type(char32_t c);
  void paste(std::string_view utf8);
  std::string cut();
  void erase_left(bool word = false);
  void erase_right(bool word = false);
  void undo();
  void redo();

  float scroll_px = 0;  // by how much the text is moved to the left; kept by the field that draws it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep
