// Reads the one-line records that runs keep among their metrics. The text may be a stranger's: what is not as
// expected makes the reader not ok, and it stays so.
#pragma once
#include <charconv>
#include <cstdint>
#include <string_view>

namespace lockstep {

class RecordReader {
 public:
  explicit RecordReader(std::string_view text) : text_(text) {}
  bool at(char c) const { return !text_.empty() && text_.front() == c; }
  bool done() const { return text_.empty(); }
  bool take(char c) {
    if (!at(c)) return ok_ = false;
    text_.remove_prefix(1);
    return true;
  }
  // A number from `low` to `high`, and the character behind it.
  std::int64_t number(std::int64_t low, std::int64_t high, char end) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value < low || value > high) return ok_ = false, low;
    text_.remove_prefix(std::size_t(stop - text_.data()));
    take(end);
    return value;
  }
  // So many bytes, and the character behind them.
  std::string_view bytes(std::size_t count, char end) {
    if (count > text_.size()) return ok_ = false, std::string_view();
    const std::string_view taken = text_.substr(0, count);
    text_.remove_prefix(count);
    take(end);
    return taken;
  }
  void refuse() { ok_ = false; }
  bool ok() const { return ok_; }

 private:
  std::string_view text_;
  bool ok_ = true;
};

}  // namespace lockstep
