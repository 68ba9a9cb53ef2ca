#include "code_edit.hpp"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

constexpr std::size_t kUndoDepth = 2000;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

enum class Class { blank, word, sign };
Class class_of(char c) {
  if (c == ' ' || c == '\t' || c == '\n') return Class::blank;
  const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                    static_cast<unsigned char>(c) >= 0x80;
  return word ? Class::word : Class::sign;
}

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80)
    text += char(c);
  else if (c < 0x800)
    text += {char(0xc0 | c >> 6), char(0x80 | (c & 0x3f))};
  else if (c < 0x10000)
    text += {char(0xe0 | c >> 12), char(0x80 | (c >> 6 & 0x3f)), char(0x80 | (c & 0x3f))};
  else
    text += {char(0xf0 | c >> 18), char(0x80 | (c >> 12 & 0x3f)), char(0x80 | (c >> 6 & 0x3f)),
             char(0x80 | (c & 0x3f))};
}

std::string with_newlines(std::string_view text, bool* carriage_returns) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      if (carriage_returns) *carriage_returns = true;
      continue;
    }
    if (text[i] != '\0') plain += text[i] == '\r' ? '\n' : text[i];
  }
  return plain.substr(0, std::min(plain.size(), CodeEdit::kMost));
}

// The least indentation that lines of this text have: its own habit.
int indent_of(std::string_view text) {
  int least = 9;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t blanks = 0;
    while (at + blanks < end && text[at + blanks] == ' ') ++blanks;
    if (blanks >= 2 && at + blanks < end && text[at + blanks] != '*') least = std::min(least, int(blanks));
    at = end + 1;
  }
  return least <= 8 ? least : CodeEdit::kIndent;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

bool matches(std::string_view text, std::size_t at, std::string_view wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (lower(text[at + i]) != lower(wanted[i])) return false;
  return true;
}

}  // namespace

CodeEdit::CodeEdit(std::string_view text) {
  text_ = with_newlines(text, &carriage_returns_);
  indent_ = indent_of(text_);
  index();
}

std::string CodeEdit::file_text() const {
  if (!carriage_returns_) return text_;
  std::string text;
  for (const char c : text_) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return text;
}

void CodeEdit::index() {
  starts_.assign(1, 0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') starts_.push_back(i + 1);
}

std::string_view CodeEdit::line(int at) const {
  const std::size_t first = starts_[std::size_t(at)];
  const std::size_t end = at + 1 < lines() ? starts_[std::size_t(at + 1)] - 1 : text_.size();
  return std::string_view(text_).substr(first, end - first);
}

int CodeEdit::line_of(std::size_t at) const {
  return int(std::upper_bound(starts_.begin(), starts_.end(), at) - starts_.begin()) - 1;
}

CodeEdit::Range CodeEdit::selection() const { return {std::min(caret_, anchor_), std::max(caret_, anchor_)}; }

// --- where the caret goes

std::size_t CodeEdit::left_of(std::size_t at) const {
  if (at > 0) --at;
  while (at > 0 && continues(text_[at])) --at;
  return at;
}

std::size_t CodeEdit::right_of(std::size_t at) const {
  if (at < text_.size()) ++at;
  while (at < text_.size() && continues(text_[at])) ++at;
  return at;
}

std::size_t CodeEdit::word_left_of(std::size_t at) const {
  while (at > 0 && class_of(text_[at - 1]) == Class::blank) --at;
  if (at == 0) return at;
  const Class what = class_of(text_[at - 1]);
  while (at > 0 && class_of(text_[at - 1]) == what) --at;
  return at;
}

std::size_t CodeEdit::word_right_of(std::size_t at) const {
  if (at >= text_.size()) return at;
  const Class what = class_of(text_[at]);
  while (at < text_.size() && class_of(text_[at]) == what) ++at;
  while (what != Class::blank && at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
  return at;
}

// To the first character that is no blank; from there to the edge.
std::size_t CodeEdit::line_begin_of(std::size_t at) const {
  const std::size_t first = starts_[std::size_t(line_of(at))];
  std::size_t text = first;
  while (text < text_.size() && (text_[text] == ' ' || text_[text] == '\t')) ++text;
  return at == text ? first : text;
}

int CodeEdit::column_of(std::size_t at) const {
  const int row = line_of(at);
  const ShownLine shown = shown_line(line(row));
  const std::size_t end = shown.at[at - starts_[std::size_t(row)]];
  return int(std::count_if(shown.text.begin(), shown.text.begin() + std::ptrdiff_t(end),
                           [](char c) { return !continues(c); }));
}

std::size_t CodeEdit::at_column(int row, int column) const {
  const ShownLine shown = shown_line(line(row));
  std::size_t best = 0;
  int reached = 0;
  for (std::size_t i = 0, drawn = 0; i < shown.at.size(); ++i) {
    for (; drawn < shown.at[i]; ++drawn) reached += !continues(shown.text[drawn]);
    if (reached > column) break;
    if (i == line(row).size() || !continues(line(row)[i])) best = i;
  }
  return starts_[std::size_t(row)] + best;
}

void CodeEdit::place(std::size_t at, bool select) {
  at = std::min(at, text_.size());
  while (at > 0 && at < text_.size() && continues(text_[at])) --at;
  caret_ = at;
  if (!select) anchor_ = at;
  column_.reset(), sealed_ = true;
}

void CodeEdit::move(Move to, bool select) {
  const Range range = selection();
  switch (to) {
    case Move::left:
      return place(select || range.empty() ? left_of(caret_) : range.first, select);
    case Move::right:
      return place(select || range.empty() ? right_of(caret_) : range.last, select);
    case Move::up:
      return move_lines(-1, select);
    case Move::down:
      return move_lines(1, select);
    case Move::word_left:
      return place(word_left_of(caret_), select);
    case Move::word_right:
      return place(word_right_of(caret_), select);
    case Move::line_begin:
      return place(line_begin_of(caret_), select);
    case Move::line_end:
      return place(starts_[std::size_t(caret_line())] + line(caret_line()).size(), select);
    case Move::begin:
      return place(0, select);
    case Move::end:
      return place(text_.size(), select);
  }
}

void CodeEdit::move_lines(int by, bool select) {
  const int wanted = column_.value_or(column_of(caret_)), row = caret_line() + by;
  if (row < 0 || row >= lines())
    place(row < 0 ? 0 : text_.size(), select);
  else
    place(at_column(row, wanted), select);
  column_ = wanted;
}

void CodeEdit::select(Range range) { place(range.first, false), place(range.last, true); }

void CodeEdit::select_word(std::size_t at) {
  at = std::min(at, text_.size());
  if (at == text_.size() || text_[at] == '\n') at = left_of(at);
  if (at >= text_.size() || text_[at] == '\n') return place(at, false);
  const Class what = class_of(text_[at]);
  std::size_t first = at, last = at;
  while (first > 0 && class_of(text_[first - 1]) == what && text_[first - 1] != '\n') --first;
  while (last < text_.size() && class_of(text_[last]) == what && text_[last] != '\n') ++last;
  select({first, last});
}

void CodeEdit::go_to_line(int row) { place(starts_[std::size_t(std::clamp(row, 0, lines() - 1))], false); }

// --- changes

void CodeEdit::apply(std::size_t at, std::size_t removed, std::string_view inserted) {
  text_.replace(at, removed, inserted);
  index();
  ++version_;
}

void CodeEdit::settle(std::size_t caret, std::size_t anchor) {
  caret_ = std::min(caret, text_.size()), anchor_ = std::min(anchor, text_.size());
  column_.reset();
}

void CodeEdit::change(Range range, std::string_view inserted, bool typed) {
  if (range.empty() && inserted.empty()) return;
  if (text_.size() - (range.last - range.first) + inserted.size() > kMost) return;
  undone_.clear();
  const bool continues_last = typed && !sealed_ && range.empty() && !done_.empty() && done_.back().typed &&
                              done_.back().at + done_.back().inserted.size() == range.first;
  if (continues_last)
    done_.back().inserted += inserted;
  else
    done_.push_back({range.first, text_.substr(range.first, range.last - range.first), std::string(inserted),
                     caret_, anchor_, typed});
  if (done_.size() > kUndoDepth) done_.erase(done_.begin());
  apply(range.first, range.last - range.first, inserted);
  settle(range.first + inserted.size(), range.first + inserted.size());
  sealed_ = !typed;
}

void CodeEdit::type(char32_t c) {
  if (c < 32 || (c >= 0x7f && c < 0xa0) || c >= 0x110000 || (c >= 0xd800 && c < 0xe000)) return;
  std::string inserted;
  append_utf8(inserted, c);
  // A brace that ends a block goes back to where the block began.
  const std::string_view row = line(caret_line());
  const bool blank = row.find_first_not_of(' ') == row.npos && selection().empty();
  if (c == U'}' && blank && row.size() >= std::size_t(indent_)) {
    change({caret_ - std::min<std::size_t>(caret_ - starts_[std::size_t(caret_line())], std::size_t(indent_)),
            caret_},
           inserted);
    return;
  }
  change(selection(), inserted, true);
  if (c == U' ') sealed_ = true;
}

void CodeEdit::enter() {
  const Range range = selection();
  const std::string_view row = line(line_of(range.first));
  const std::size_t before = range.first - starts_[std::size_t(line_of(range.first))];
  const std::size_t blanks = std::min(row.find_first_not_of(" \t"), row.size());
  std::string inserted = "\n" + std::string(row.substr(0, std::min(blanks, before)));
  const std::string_view left = row.substr(0, before);
  if (const std::size_t last = left.find_last_not_of(" \t"); last != left.npos && left[last] == '{')
    inserted += std::string(std::size_t(indent_), ' ');
  change(range, inserted);
}

// Every line that the selection touches, by one step.
void CodeEdit::shift_lines(bool back) {
  const Range range = selection();
  const int first = line_of(range.first);
  const int last = line_of(range.last > range.first ? left_of(range.last) : range.last);
  std::string shifted;
  for (int row = first; row <= last; ++row) {
    std::string_view text = line(row);
    if (back) {
      std::size_t blanks = 0;
      while (blanks < text.size() && blanks < std::size_t(indent_) && text[blanks] == ' ') ++blanks;
      text.remove_prefix(blanks == 0 && text.starts_with('\t') ? 1 : blanks);
    } else if (!text.empty()) {
      shifted += std::string(std::size_t(indent_), ' ');
    }
    shifted += std::string(text) + (row < last ? "\n" : "");
  }
  const std::size_t begin = starts_[std::size_t(first)], end = starts_[std::size_t(last)] + line(last).size();
  if (text_.compare(begin, end - begin, shifted) == 0) return;
  change({begin, end}, shifted);
  select({begin, begin + shifted.size()});
}

void CodeEdit::tab(bool back) {
  const Range range = selection();
  if (back || line_of(range.first) != line_of(range.last)) {
    const std::size_t from_end = text_.size() - caret_;
    shift_lines(back);
    if (range.empty()) place(text_.size() - std::min(from_end, text_.size()), false);
    return;
  }
  const int column = column_of(range.first);
  change(range, std::string(std::size_t(indent_ - column % indent_), ' '));
}

void CodeEdit::paste(std::string_view utf8) {
  std::string plain;
  for (const char c : with_newlines(utf8, nullptr))
    if (static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t') plain += c;
  change(selection(), plain);
}

std::string CodeEdit::cut() {
  std::string text = selected();
  change(selection(), "");
  return text;
}

void CodeEdit::erase_left(bool word) {
  if (!selection().empty()) return change(selection(), "");
  if (word) return change({word_left_of(caret_), caret_}, "");
  const std::size_t begin = starts_[std::size_t(caret_line())];
  const std::string_view before = std::string_view(text_).substr(begin, caret_ - begin);
  const bool indentation = !before.empty() && before.find_first_not_of(' ') == before.npos;
  if (indentation)  // back to the stop before
    return change({caret_ - ((before.size() - 1) % std::size_t(indent_) + 1), caret_}, "");
  change({left_of(caret_), caret_}, "");
}

void CodeEdit::erase_right(bool word) {
  if (!selection().empty()) return change(selection(), "");
  change({caret_, word ? word_right_of(caret_) : right_of(caret_)}, "");
}

bool CodeEdit::undo() {
  if (done_.empty()) return false;
  Change last = std::move(done_.back());
  done_.pop_back();
  apply(last.at, last.inserted.size(), last.removed);
  settle(last.caret, last.anchor);
  undone_.push_back(std::move(last));
  return sealed_ = true;
}

bool CodeEdit::redo() {
  if (undone_.empty()) return false;
  Change next = std::move(undone_.back());
  undone_.pop_back();
  apply(next.at, next.removed.size(), next.inserted);
  settle(next.at + next.inserted.size(), next.at + next.inserted.size());
  done_.push_back(std::move(next));
  return sealed_ = true;
}

// The caret stays in its line, wherever that has gone.
void CodeEdit::replace_all(std::string_view whole) {
  const std::string text = with_newlines(whole, nullptr);
  if (text == text_) return;
  const int row = caret_line();
  const std::string of_caret(line(row));
  const std::size_t within = caret_ - line_begin(row);
  change({0, text_.size()}, text);
  int nearest = std::min(row, lines() - 1);
  for (int by = 0; by < lines(); ++by)
    for (const int other : {row - by, row + by})
      if (other >= 0 && other < lines() && line(other) == of_caret) nearest = other, by = lines();
  place(line_begin(nearest) + std::min(within, line(nearest).size()), false);
}

// --- search

std::optional<std::size_t> CodeEdit::found(std::string_view wanted, std::size_t from, bool backward) const {
  if (wanted.empty() || wanted.size() > text_.size()) return {};
  const std::size_t places = text_.size() - wanted.size() + 1;
  for (std::size_t i = 0; i < places; ++i) {
    const std::size_t at = backward ? (from + 2 * places - 1 - i) % places : (from + i) % places;
    if (matches(text_, at, wanted)) return at;
  }
  return {};
}

bool CodeEdit::find(std::string_view wanted, bool backward) {
  const Range range = selection();
  const bool on_match =
      range.last - range.first == wanted.size() && !wanted.empty() && matches(text_, range.first, wanted);
  const auto at = found(wanted, backward || !on_match ? range.first : range.first + 1, backward);
  if (!at) return false;
  select({*at, *at + wanted.size()});
  return true;
}

int CodeEdit::count(std::string_view wanted) const {
  int n = 0;
  if (wanted.empty()) return n;
  for (std::size_t at = 0; at + wanted.size() <= text_.size();) {
    const bool hit = matches(text_, at, wanted);
    n += hit, at += hit ? wanted.size() : 1;
  }
  return n;
}

// --- on screen

ShownLine shown_line(std::string_view line) {
  ShownLine shown;
  shown.at.reserve(line.size() + 1);
  std::size_t column = 0;
  for (const char c : line) {
    shown.at.push_back(shown.text.size());
    if (c == '\t') {
      const std::size_t blanks = kTabStop - column % kTabStop;
      shown.text.append(blanks, ' '), column += blanks;
    } else {
      shown.text += c, column += !continues(c);
    }
  }
  shown.at.push_back(shown.text.size());
  return shown;
}

}  // namespace lockstep
