// A text of many lines that is being edited: caret, selection, clipboard, undo, search, indentation. Knows no
// screen. Positions are bytes of the UTF-8 text, always between two characters; lines count from 0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

class CodeEdit {
 public:
  enum class Move { left, right, up, down, word_left, word_right, line_begin, line_end, begin, end };
  static constexpr std::size_t kMost = std::size_t{4} << 20;  // bytes of a text
  static constexpr int kIndent = 4;                           // columns, where the text shows none of its own

  // Line ends become '\n'; file_text() gives them back as they were.
  explicit CodeEdit(std::string_view text = "");

  const std::string& text() const { return text_; }
  std::string file_text() const;
  // Another one after every change of the text, also by undo.
  std::uint64_t version() const { return version_; }
  int lines() const { return int(starts_.size()); }
  std::string_view line(int index) const;
  std::size_t line_begin(int index) const { return starts_[std::size_t(index)]; }
  int line_of(std::size_t at) const;
  int caret_line() const { return line_of(caret_); }
  std::size_t caret() const { return caret_; }
  struct Range {
    std::size_t first = 0, last = 0;  // behind its end
    bool empty() const { return first == last; }
  };
  Range selection() const;
  std::string selected() const {
    return text_.substr(selection().first, selection().last - selection().first);
  }
  int indent() const { return indent_; }

  void move(Move to, bool select);
  void move_lines(int lines, bool select);  // a page
  void place(std::size_t at, bool select);
  void select(Range range);
  void select_all() { select({0, text_.size()}); }
  void select_word(std::size_t at);
  void go_to_line(int index);

  // Control characters are left out.
  void type(char32_t c);
  void enter();                 // the next line begins under this one, further in behind a brace
  void tab(bool back = false);  // spaces up to the next stop; of a selection of lines all of them
  void paste(std::string_view utf8);
  std::string cut();
  void erase_left(bool word = false);
  void erase_right(bool word = false);
  bool undo();
  bool redo();
  // All of the text becomes this one, as one change that can be undone: what came from outside.
  void replace_all(std::string_view text);

  // The next place behind the caret (or the one before it), around the end; letters match in either case.
  bool find(std::string_view wanted, bool backward = false);
  int count(std::string_view wanted) const;

 private:
  struct Change {
    std::size_t at = 0;
    std::string removed, inserted;
    std::size_t caret = 0, anchor = 0;  // before it
    bool typed = false;                 // one character, to which the next one may be added
  };
  void apply(std::size_t at, std::size_t removed, std::string_view inserted);
  void change(Range range, std::string_view inserted, bool typed = false);
  void index();
  void settle(std::size_t caret, std::size_t anchor);
  std::size_t left_of(std::size_t at) const;
  std::size_t right_of(std::size_t at) const;
  std::size_t word_left_of(std::size_t at) const;
  std::size_t word_right_of(std::size_t at) const;
  std::size_t line_begin_of(std::size_t at) const;
  int column_of(std::size_t at) const;
  std::size_t at_column(int line, int column) const;
  std::optional<std::size_t> found(std::string_view wanted, std::size_t from, bool backward) const;
  void shift_lines(bool back);

  std::string text_;
  std::vector<std::size_t> starts_;  // of the lines
  std::size_t caret_ = 0, anchor_ = 0;
  std::optional<int> column_;  // that up and down keep to
  std::uint64_t version_ = 0;
  std::vector<Change> done_, undone_;
  bool sealed_ = true;  // the next character begins a change of its own
  bool carriage_returns_ = false;
  int indent_ = kIndent;
};

// Columns on screen up to a byte of a line: a tab goes to the next stop of four.
constexpr int kTabStop = 4;
// The line as it is drawn, tabs as blanks, and of each byte of it (and its end) the byte there.
struct ShownLine {
  std::string text;
  std::vector<std::size_t> at;  // [bytes of the line + 1]
};
ShownLine shown_line(std::string_view line);

}  // namespace lockstep
