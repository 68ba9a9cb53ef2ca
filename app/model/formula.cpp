#include "formula.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace lockstep {
namespace {

constexpr int kMaxDepth = 40;  // of parentheses and signs

struct Operator {
  std::string_view text;
  char code;
  int level;  // binds tighter from 0 up
};
// C's order, loosest first.
constexpr Operator kOperators[] = {{"|", '|', 0},  {"^", '^', 1}, {"&", '&', 2}, {"<<", '<', 3},
                                   {">>", '>', 3}, {"+", '+', 4}, {"-", '-', 4}, {"*", '*', 5},
                                   {"/", '/', 5},  {"%", '%', 5}};
constexpr int kTightest = 5;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Arithmetic on the bits, so that overflow wraps.
std::optional<std::int64_t> apply(char code, std::int64_t a, std::int64_t b) {
  const auto x = std::uint64_t(a), y = std::uint64_t(b);
  switch (code) {
    case '|':
      return std::int64_t(x | y);
    case '^':
      return std::int64_t(x ^ y);
    case '&':
      return std::int64_t(x & y);
    case '+':
      return std::int64_t(x + y);
    case '-':
      return std::int64_t(x - y);
    case '*':
      return std::int64_t(x * y);
    case '<':
      return b < 0 || b > 63 ? std::nullopt : std::optional(std::int64_t(x << y));
    case '>':
      return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
    default:
      break;
  }
  if (b == 0) return {};
  if (b == -1) return code == '/' ? std::int64_t(0 - x) : 0;
  return code == '/' ? a / b : a % b;
}

}  // namespace

class FormulaParser {
 public:
  FormulaParser(std::string_view text, std::span<const std::string_view> names)
      : text_(text), names_(names) {}

  Result<Formula> parse() {
    const bool read = binary(0, 0);
    skip_spaces();
    if (read && at_ == text_.size()) return std::move(formula_);
    return bad_input(
        "the formula '{0}' cannot be read from character {1} on: it takes whole numbers, {2}, "
        "parentheses, and + - * / % << >> & | ^ ~",
        {std::string(text_), std::to_string(at_ + 1), all_names()});
  }

 private:
  std::string all_names() const {
    std::string all;
    for (const auto name : names_) all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  void emit(char code, std::int64_t value = 0) { formula_.program_.push_back({code, value}); }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  const Operator* operator_of(int level) {
    skip_spaces();
    const auto stands_here = [&](const Operator& o) {
      return o.level == level && text_.substr(at_).starts_with(o.text);
    };
    const auto found = std::find_if(std::begin(kOperators), std::end(kOperators), stands_here);
    return found == std::end(kOperators) ? nullptr : found;
  }
  bool binary(int level, int depth) {
    if (level > kTightest) return unary(depth);
    if (!binary(level + 1, depth)) return false;
    while (const Operator* o = operator_of(level)) {
      at_ += o->text.size();
      if (!binary(level + 1, depth)) return false;
      emit(o->code);
    }
    return true;
  }
  bool unary(int depth) {
    if (depth > kMaxDepth) return false;
    for (const auto& [sign, code] : {std::pair('-', 'm'), {'~', '~'}})
      if (take(sign)) {
        if (!unary(depth + 1)) return false;
        emit(code);
        return true;
      }
    if (take('(')) return binary(0, depth + 1) && take(')');
    return at_ < text_.size() && (is_digit(text_[at_]) ? number() : name());
  }
  bool number() {
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) return false;
    at_ += std::size_t(stop - begin);
    emit('n', value);
    return true;
  }
  bool name() {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || (end > at_ && is_digit(text_[end])))) ++end;
    const auto known = std::find(names_.begin(), names_.end(), text_.substr(at_, end - at_));
    if (known == names_.end()) return false;
    at_ = end;
    emit('v', known - names_.begin());
    return true;
  }

  std::string_view text_;
  std::span<const std::string_view> names_;
  std::size_t at_ = 0;
  Formula formula_;
};

Result<Formula> Formula::parse(std::string_view text, std::span<const std::string_view> names) {
  return FormulaParser(text, names).parse();
}

Result<std::int64_t> Formula::evaluate(std::span<const std::int64_t> values) const {
  std::vector<std::int64_t> stack;
  stack.reserve(program_.size());
  for (const Instruction& i : program_) {
    if (i.code == 'n' || i.code == 'v') {
      stack.push_back(i.code == 'n' ? i.value : values[std::size_t(i.value)]);
      continue;
    }
    std::int64_t& top = stack.back();
    if (i.code == '~' || i.code == 'm') {
      top = i.code == '~' ? ~top : std::int64_t(0 - std::uint64_t(top));
      continue;
    }
    const std::int64_t b = top;
    stack.pop_back();
    const auto result = apply(i.code, stack.back(), b);
    if (!result) return bad_input("the formula divides by zero or shifts by {0} bits", {std::to_string(b)});
    stack.back() = *result;
  }
  return stack.back();
}

}  // namespace lockstep
