// stb_textedit does the editing; this file tells it what a line of text is.
#include "text_edit.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "text_metrics.hpp"

namespace lockstep {
namespace {

struct Line {
  std::u32string text;
  std::size_t most = 0;
};

enum class Class { space, word, sign, ideograph };

// A path or a number is walked part by part; Chinese, which has no spaces, character by character.
Class class_of(char32_t c) {
  if (c == U' ' || c == U'\u3000') return Class::space;
  if (c >= 0x2e80) return Class::ideograph;
  const bool ascii_word = (c >= U'0' && c <= U'9') || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
  return ascii_word || c == U'_' || c > 0x7f ? Class::word : Class::sign;
}

bool one_word(char32_t a, char32_t b) {
  return class_of(a) == class_of(b) && class_of(a) != Class::ideograph;
}

int word_left(const Line* line, int at) {
  const std::u32string& text = line->text;
  while (at > 0 && class_of(text[std::size_t(at - 1)]) == Class::space) --at;
  if (at > 0) --at;
  while (at > 0 && one_word(text[std::size_t(at - 1)], text[std::size_t(at)])) --at;
  return at;
}

int word_right(const Line* line, int at) {
  const std::u32string& text = line->text;
  const int size = int(text.size());
  if (at < size) ++at;
  while (at < size && one_word(text[std::size_t(at - 1)], text[std::size_t(at)])) ++at;
  while (at < size && class_of(text[std::size_t(at)]) == Class::space) ++at;
  return at;
}

bool insert(Line* line, int at, const char32_t* text, int count) {
  if (line->text.size() + std::size_t(count) > line->most) return false;
  line->text.insert(std::size_t(at), text, std::size_t(count));
  return true;
}

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += char(c);
  } else if (c < 0x800) {
    text += {char(0xc0 | c >> 6), char(0x80 | (c & 0x3f))};
  } else if (c < 0x10000) {
    text += {char(0xe0 | c >> 12), char(0x80 | (c >> 6 & 0x3f)), char(0x80 | (c & 0x3f))};
  } else {
    text += {char(0xf0 | c >> 18), char(0x80 | (c >> 12 & 0x3f)), char(0x80 | (c >> 6 & 0x3f)),
             char(0x80 | (c & 0x3f))};
  }
}

std::string utf8_of(std::u32string_view text) {
  std::string utf8;
  for (const char32_t c : text) append_utf8(utf8, c);
  return utf8;
}

bool can_stand(char32_t c) {
  return c >= 32 && !(c >= 0x7f && c < 0xa0) && c < 0x110000 && !(c >= 0xd800 && c < 0xe000);
}

std::u32string code_points(std::string_view utf8) {
  std::u32string text;
  while (!utf8.empty())
    if (const char32_t c = take_code_point(utf8); can_stand(c)) text += c;
  return text;
}

// Keys lie above the last code point.
enum : int {
  kFirstKey = 0x200000,
  kLeft = kFirstKey,
  kRight,
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kLineStart,
  kLineEnd,
  kTextStart,
  kTextEnd,
  kDelete,
  kBackspace,
  kUndo,
  kRedo,
  kWordLeft,
  kWordRight,
  kShift = 0x400000
};

}  // namespace
}  // namespace lockstep

#define STB_TEXTEDIT_CHARTYPE char32_t
#define STB_TEXTEDIT_POSITIONTYPE int
#define STB_TEXTEDIT_UNDOSTATECOUNT 200
#define STB_TEXTEDIT_UNDOCHARCOUNT 8192
#include <stb_textedit.h>

// A row of one line; a click's x would be a position, but place() needs no help.
#define STB_TEXTEDIT_STRING lockstep::Line
#define STB_TEXTEDIT_STRINGLEN(line) int((line)->text.size())
#define STB_TEXTEDIT_LAYOUTROW(row, line, start) \
  (*(row) = {0, float((line)->text.size()), 1, 0, 1, int((line)->text.size()) - (start)})
#define STB_TEXTEDIT_GETWIDTH(line, start, index) 1.f
#define STB_TEXTEDIT_KEYTOTEXT(key) ((key) < lockstep::kFirstKey ? (key) : 0)
#define STB_TEXTEDIT_GETCHAR(line, index) (line)->text[std::size_t(index)]
#define STB_TEXTEDIT_NEWLINE U'\n'
#define STB_TEXTEDIT_DELETECHARS(line, index, count) \
  (line)->text.erase(std::size_t(index), std::size_t(count))
#define STB_TEXTEDIT_INSERTCHARS(line, index, text, count) lockstep::insert(line, index, text, count)
#define STB_TEXTEDIT_K_SHIFT lockstep::kShift
#define STB_TEXTEDIT_K_LEFT lockstep::kLeft
#define STB_TEXTEDIT_K_RIGHT lockstep::kRight
#define STB_TEXTEDIT_K_UP lockstep::kUp
#define STB_TEXTEDIT_K_DOWN lockstep::kDown
#define STB_TEXTEDIT_K_PGUP lockstep::kPageUp
#define STB_TEXTEDIT_K_PGDOWN lockstep::kPageDown
#define STB_TEXTEDIT_K_LINESTART lockstep::kLineStart
#define STB_TEXTEDIT_K_LINEEND lockstep::kLineEnd
#define STB_TEXTEDIT_K_TEXTSTART lockstep::kTextStart
#define STB_TEXTEDIT_K_TEXTEND lockstep::kTextEnd
#define STB_TEXTEDIT_K_DELETE lockstep::kDelete
#define STB_TEXTEDIT_K_BACKSPACE lockstep::kBackspace
#define STB_TEXTEDIT_K_UNDO lockstep::kUndo
#define STB_TEXTEDIT_K_REDO lockstep::kRedo
#define STB_TEXTEDIT_K_WORDLEFT lockstep::kWordLeft
#define STB_TEXTEDIT_K_WORDRIGHT lockstep::kWordRight
#define STB_TEXTEDIT_MOVEWORDLEFT lockstep::word_left
#define STB_TEXTEDIT_MOVEWORDRIGHT lockstep::word_right
#define STB_TEXTEDIT_IMPLEMENTATION
#include <stb_textedit.h>

namespace lockstep {

struct TextEdit::State {
  Line line;
  STB_TexteditState stb;

  void key(int k) { stb_textedit_key(&line, &stb, k); }
  Range selection() const {
    if (stb.select_start == stb.select_end) return {stb.cursor, stb.cursor};  // both may be out of date
    return {std::min(stb.select_start, stb.select_end), std::max(stb.select_start, stb.select_end)};
  }
};

TextEdit::TextEdit(std::string_view utf8, std::size_t most) : state_(std::make_unique<State>()) {
  state_->line = {code_points(utf8).substr(0, most), most};
  stb_textedit_initialize_state(&state_->stb, 1);
  select_all();
}
TextEdit::~TextEdit() = default;
TextEdit::TextEdit(const TextEdit& other)
    : scroll_px(other.scroll_px), state_(std::make_unique<State>(*other.state_)) {}
TextEdit::TextEdit(TextEdit&&) noexcept = default;
TextEdit& TextEdit::operator=(TextEdit other) noexcept {
  std::swap(state_, other.state_), std::swap(scroll_px, other.scroll_px);
  return *this;
}

std::string TextEdit::text() const { return utf8_of(state_->line.text); }
int TextEdit::length() const { return int(state_->line.text.size()); }
int TextEdit::caret() const { return state_->stb.cursor; }
TextEdit::Range TextEdit::selection() const { return state_->selection(); }

std::string TextEdit::text_between(int first, int last) const {
  first = std::clamp(first, 0, length()), last = std::clamp(last, first, length());
  return utf8_of(
      std::u32string_view(state_->line.text).substr(std::size_t(first), std::size_t(last - first)));
}

std::string TextEdit::selected() const {
  const Range s = selection();
  return text_between(s.first, s.last);
}

void TextEdit::move(Move to, bool select) {
  constexpr int keys[] = {kLeft, kRight, kWordLeft, kWordRight, kTextStart, kTextEnd};
  state_->key(keys[std::size_t(to)] | (select ? kShift : 0));
}

void TextEdit::place(int position, bool select) {
  auto& stb = state_->stb;
  position = std::clamp(position, 0, length());
  if (!select)
    stb.select_start = position;
  else if (stb.select_start == stb.select_end)
    stb.select_start = stb.cursor;
  stb.cursor = stb.select_end = position;
}

void TextEdit::select_all() { place(0, false), place(length(), true); }

void TextEdit::select_word(int position) {
  const std::u32string& text = state_->line.text;
  if (text.empty()) return;
  int first = std::clamp(position, 0, length() - 1), last = first + 1;
  while (first > 0 && one_word(text[std::size_t(first - 1)], text[std::size_t(first)])) --first;
  while (last < length() && one_word(text[std::size_t(last - 1)], text[std::size_t(last)])) ++last;
  place(first, false), place(last, true);
}

void TextEdit::type(char32_t c) {
  if (can_stand(c)) state_->key(int(c));
}

void TextEdit::paste(std::string_view utf8) {
  const Range s = selection();
  const std::size_t room = state_->line.most - std::size_t(length() - (s.last - s.first));
  const std::u32string text = code_points(utf8).substr(0, room);
  if (!text.empty()) stb_textedit_paste(&state_->line, &state_->stb, text.data(), int(text.size()));
}

std::string TextEdit::cut() {
  const std::string text = selected();
  stb_textedit_cut(&state_->line, &state_->stb);
  return text;
}

void TextEdit::erase_left(bool word) {
  if (word && selection().empty()) move(Move::word_left, true);
  state_->key(kBackspace);
}

void TextEdit::erase_right(bool word) {
  if (word && selection().empty()) move(Move::word_right, true);
  state_->key(kDelete);
}

// A selection is of the text before: stb_textedit would keep it, past the end of what is left.
void TextEdit::undo() {
  state_->key(kUndo);
  place(caret(), false);
}
void TextEdit::redo() {
  state_->key(kRedo);
  place(caret(), false);
}

}  // namespace lockstep
