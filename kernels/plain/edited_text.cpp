#include "edited_text.hpp"

#include <algorithm>

namespace lockstep {

EditedText::EditedText(std::string_view text)
    : tokens_(tokens_of(text)), partners_(bracket_partners(tokens_)), edits_(tokens_.size()) {}

int EditedText::next(int i) const {
  for (++i; i < size(); ++i)
    if (live(i) && (*this)[i].counts()) return i;
  return size();
}

int EditedText::previous(int i) const {
  for (--i; i >= 0; --i)
    if (live(i) && (*this)[i].counts()) return i;
  return -1;
}

int EditedText::close_angle(int open) const {
  int depth = 0;
  for (int i = open; i < size(); i = next(i)) {
    const Token& token = (*this)[i];
    if (token.is("<")) ++depth;
    if (token.is(">") && --depth == 0) return i;
    for (const std::string_view stop : {";", "&&", "||", ")", "]", "}", "{"})
      if (token.is(stop)) return -1;
    if (token.is("(") || token.is("[")) {
      if (partner(i) < 0) return -1;
      i = partner(i);
    }
  }
  return -1;
}

std::vector<EditedText::Range> EditedText::arguments(int open, int close) const {
  std::vector<Range> all;
  int first = next(open), last = open;
  for (int i = first; i < close; i = next(i)) {
    if ((*this)[i].is(",")) {
      all.push_back({first, last});
      first = next(i), last = i;
      continue;
    }
    if (((*this)[i].is("(") || (*this)[i].is("[") || (*this)[i].is("{")) && partner(i) > i &&
        partner(i) < close)
      i = partner(i);
    else if ((*this)[i].is("<") && i > 0 && word(previous(i)))
      if (const int angle = close_angle(i); angle > i && angle < close) i = angle;
    last = i;
  }
  if (first < close) all.push_back({first, last});
  return all;
}

std::string EditedText::text(Range range) const {
  std::string all;
  for (int i = range.first; i <= range.second; ++i)
    if (live(i) && (*this)[i].kind != TokenKind::comment)
      all += (*this)[i].kind == TokenKind::newline ? " " : std::string((*this)[i].text);
  return all;
}

bool EditedText::holds(Range range, std::string_view token) const {
  for (int i = range.first; i <= range.second; ++i)
    if (is(i, token)) return true;
  return false;
}

void EditedText::drop(int first, int last) {
  for (int i = std::max(first, 0); i <= std::min(last, size() - 1); ++i)
    edits_[std::size_t(i)].dropped = true;
}

void EditedText::replace(int i, std::string text) {
  edits_[std::size_t(i)].replaced = true;
  edits_[std::size_t(i)].text = std::move(text);
}

void EditedText::drop_from_list(Range range) {
  const int before = previous(range.first), after = next(range.second);
  drop(range.first, range.second);
  if (is(after, ",")) {
    drop(range.second + 1, after);
    if (live(after + 1) && (*this)[after + 1].kind == TokenKind::space) drop(after + 1);
  } else if (is(before, ",")) {
    drop(before, range.first);
  }
}

namespace {

// Lines as they come out, each with the line that it was made of.
class Lines {
 public:
  void add(std::string_view text, int line, bool counts) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0 && (line_ == 0 || (counts && !has_code_))) line_ = line;
      has_code_ |= counts && end > 0;
      now_ += text.substr(0, end);
      if (end == text.size()) return;
      finish(line);
      text.remove_prefix(end + 1);
    }
  }
  void note_drop() { dropped_ = changed_ = true; }
  void note_change() { changed_ = true; }

  // A comment behind code that has become longer or shorter stays in its column where it can.
  void align_comment(std::size_t column) {
    if (!changed_ || !has_code_) return;
    now_.erase(now_.find_last_not_of(' ') + 1);
    now_.resize(std::max(column, now_.size() + 2), ' ');
  }

  // A line of which nothing is left goes, and so does a second blank line that would then follow the first.
  void finish(int line) {
    const bool blank = now_.find_first_not_of(" \t\r") == now_.npos;
    const bool left_out = (dropped_ && !has_code_) || (blank && after_gap_ && ends_blank());
    if (!left_out) {
      if (changed_) now_.erase(now_.find_last_not_of(" \t\r") + 1);
      all_.text += now_ + '\n';
      all_.kernel_lines.push_back(line_ ? line_ : line);
    }
    after_gap_ = left_out;
    now_.clear();
    line_ = 0, has_code_ = dropped_ = changed_ = false;
  }

  PlainKernel take(int lines_before, bool ends_with_newline) {
    if (!now_.empty()) {
      finish(lines_before);
      if (!ends_with_newline && !all_.text.empty()) all_.text.pop_back();
    }
    auto& plain = all_.plain_lines;
    plain.assign(std::size_t(lines_before), 0);
    for (int i = int(all_.kernel_lines.size()); i-- > 0;)
      plain[std::size_t(all_.kernel_lines[std::size_t(i)] - 1)] = i + 1;
    int following = std::max(1, int(all_.kernel_lines.size()));
    for (int i = lines_before; i-- > 0;) {
      int& line = plain[std::size_t(i)];
      following = line = line ? line : following;
    }
    return std::move(all_);
  }

 private:
  bool ends_blank() const { return all_.text.empty() || all_.text == "\n" || all_.text.ends_with("\n\n"); }

  PlainKernel all_;
  std::string now_;
  int line_ = 0;
  bool has_code_ = false, dropped_ = false, changed_ = false, after_gap_ = false;
};

int nearest(const std::vector<int>& lines, int line) {
  return lines.empty() ? 1 : lines[std::size_t(std::clamp(line, 1, int(lines.size())) - 1)];
}

}  // namespace

PlainKernel EditedText::render() const {
  Lines lines;
  int lines_before = 0;
  std::size_t column = 0;
  bool ends_with_newline = false;
  for (int i = 0; i < size(); ++i) {
    const Edit& edit = edits_[std::size_t(i)];
    const Token& token = (*this)[i];
    lines_before = token.line + int(std::count(token.text.begin(), token.text.end(), '\n'));
    ends_with_newline = token.text.ends_with('\n');
    if (edit.dropped && token.counts()) lines.note_drop();
    if (edit.dropped || edit.replaced || !edit.before.empty() || !edit.after.empty()) lines.note_change();
    if (!edit.dropped && token.kind == TokenKind::comment) lines.align_comment(column);
    lines.add(edit.before, token.line, true);
    if (!edit.dropped) lines.add(edit.replaced ? edit.text : token.text, token.line, token.counts());
    lines.add(edit.after, token.line, true);
    column = token.kind == TokenKind::newline ? 0 : column + token.text.size();
  }
  return lines.take(ends_with_newline ? lines_before - 1 : lines_before, ends_with_newline);
}

int PlainKernel::kernel_line(int plain) const { return nearest(kernel_lines, plain); }
int PlainKernel::plain_line(int kernel) const { return nearest(plain_lines, kernel); }

}  // namespace lockstep
