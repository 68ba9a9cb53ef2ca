#include "text_edits.hpp"

#include <algorithm>

namespace lockstep::reader {

void TextEdits::replace(std::size_t begin, std::size_t size, std::string text) {
  std::erase(text, '\n');
  edits_.push_back({begin, size, std::move(text)});
}

namespace {

// Writes the text and knows where it is, in both.
class Writer {
 public:
  explicit Writer(std::string_view text) : text_(text) {}

  void copy_to(std::size_t end) {
    for (; at_ < end; ++at_) {
      out_.text += text_[at_];
      if (text_[at_] == '\n')
        next_line();
      else
        ++original_, ++rewritten_;
    }
  }
  void replace(std::size_t size, const std::string& by) {
    if (!by.empty()) out_.columns.add(line_, rewritten_, original_, true);
    out_.text += by;
    rewritten_ += int(by.size());
    for (const std::size_t end = at_ + size; at_ < end; ++at_) {
      ++original_;
      if (text_[at_] != '\n') continue;
      out_.text += '\n';
      next_line();
    }
    out_.columns.add(line_, rewritten_, original_, false);
  }
  std::size_t at() const { return at_; }
  TextEdits::Edited take() {
    copy_to(text_.size());
    return std::move(out_);
  }

 private:
  void next_line() { ++line_, original_ = rewritten_ = 1; }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, original_ = 1, rewritten_ = 1;
  TextEdits::Edited out_;
};

}  // namespace

TextEdits::Edited TextEdits::apply() const {
  std::vector<const Edit*> order;
  for (const Edit& edit : edits_) order.push_back(&edit);
  std::stable_sort(order.begin(), order.end(), [](const Edit* a, const Edit* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->size == 0 && b->size != 0;
  });
  Writer writer(text_);
  for (const Edit* edit : order) {
    if (edit->begin < writer.at() || edit->begin + edit->size > text_.size()) continue;
    writer.copy_to(edit->begin);
    writer.replace(edit->size, edit->text);
  }
  return writer.take();
}

}  // namespace lockstep::reader
