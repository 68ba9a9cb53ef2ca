#include "lexer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace lockstep {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

constexpr std::array<std::string_view, 20> kOperators{
    "...", "->*", "::", "->", "++", "--", "+=", "-=", "*=", "/=",
    "%=",  "&=",  "|=", "^=", "==", "!=", "<=", ">=", "&&", "||"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  std::vector<Token> run() {
    while (at_ < text_.size()) {
      const auto [kind, size] = next();
      tokens_.push_back({kind, text_.substr(at_, size), line_});
      line_ += int(
          std::count(text_.begin() + std::ptrdiff_t(at_), text_.begin() + std::ptrdiff_t(at_ + size), '\n'));
      line_begins_ =
          (kind == TokenKind::newline && !carried_on_) || (line_begins_ && kind == TokenKind::space);
      carried_on_ = tokens_.back().is("\\") || (carried_on_ && kind == TokenKind::space);
      at_ += size;
    }
    return std::move(tokens_);
  }

 private:
  struct Piece {
    TokenKind kind;
    std::size_t size;
  };
  char at(std::size_t i) const { return at_ + i < text_.size() ? text_[at_ + i] : '\0'; }
  bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  Piece next() const {
    const char c = at(0);
    if (c == '\n') return {TokenKind::newline, 1};
    if (c == ' ' || c == '\t' || c == '\r') return {TokenKind::space, blanks()};
    if (c == '#' && line_begins_) return {TokenKind::directive, directive()};
    if (starts("//")) return {TokenKind::comment, to_line_end()};
    if (starts("/*")) return {TokenKind::comment, up_to("*/", 2)};
    if (const std::size_t size = raw_string()) return {TokenKind::text, size};
    if (c == '"' || c == '\'') return {TokenKind::text, quoted(c)};
    if (starts_word(c)) return {TokenKind::word, word()};
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(at(1)))))
      return {TokenKind::number, number()};
    for (const std::string_view op : kOperators)
      if (starts(op)) return {TokenKind::punctuation, op.size()};
    return {TokenKind::punctuation, 1};
  }
  std::size_t blanks() const {
    std::size_t n = 0;
    while (at(n) == ' ' || at(n) == '\t' || at(n) == '\r') ++n;
    return n;
  }
  std::size_t word() const {
    std::size_t n = 0;
    while (in_word(at(n))) ++n;
    return n;
  }
  // A backslash at its end carries a line on.
  std::size_t to_line_end() const {
    std::size_t n = 0;
    while (at_ + n < text_.size() && (at(n) != '\n' || carried_on(n))) ++n;
    return n;
  }
  bool carried_on(std::size_t newline) const {
    std::size_t n = newline;
    if (n > 0 && at(n - 1) == '\r') --n;
    return n > 0 && at(n - 1) == '\\';
  }
  // A comment that begins in its line may end in a later one.
  std::size_t directive() const {
    std::size_t n = 0;
    while (at_ + n < text_.size() && (at(n) != '\n' || carried_on(n))) {
      if (at(n) == '/' && at(n + 1) == '/') return n + Lexer(text_.substr(at_ + n)).to_line_end();
      if (at(n) == '/' && at(n + 1) == '*') {
        n += Lexer(text_.substr(at_ + n)).up_to("*/", 2);
        continue;
      }
      n += at(n) == '"' || at(n) == '\'' ? Lexer(text_.substr(at_ + n)).quoted(at(n)) : 1;
    }
    return n;
  }
  std::size_t up_to(std::string_view end, std::size_t from) const {
    const std::size_t found = text_.find(end, std::min(at_ + from, text_.size()));
    return found == text_.npos ? text_.size() - at_ : found + end.size() - at_;
  }
  std::size_t quoted(char quote) const {
    std::size_t n = 1;
    while (at_ + n < text_.size() && at(n) != quote && at(n) != '\n')
      n += at(n) != '\\' ? 1 : at(n + 1) == '\r' && at(n + 2) == '\n' ? 3 : 2;
    return std::min(n + (at(n) == quote ? 1 : 0), text_.size() - at_);
  }
  std::size_t raw_string() const {
    std::size_t prefix = 0;
    for (const std::string_view with : {"R\"", "u8R\"", "uR\"", "UR\"", "LR\""})
      if (starts(with)) prefix = with.size();
    constexpr std::size_t kLongestDelimiter = 16;
    const std::size_t open =
        prefix ? text_.substr(0, at_ + prefix + kLongestDelimiter + 1).find('(', at_) : text_.npos;
    if (open == text_.npos) return 0;
    const std::string_view delimiter = text_.substr(at_ + prefix, open - at_ - prefix);
    return up_to(")" + std::string(delimiter) + "\"", open - at_ + 1);
  }
  // 0x1p-24f, 1'000, 1e-5f: letters, digits, points and ' between them; signs behind an exponent's letter.
  std::size_t number() const {
    std::size_t n = 1;
    const bool hex = at(0) == '0' && (at(1) == 'x' || at(1) == 'X');
    const auto signs = [&](char c) { return hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E'; };
    while (in_word(at(n)) || at(n) == '.' || (at(n) == '\'' && in_word(at(n + 1))) ||
           ((at(n) == '+' || at(n) == '-') && signs(at(n - 1))))
      ++n;
    return n;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true, carried_on_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Lexer(text).run(); }

std::vector<int> bracket_partners(const std::vector<Token>& tokens) {
  std::vector<int> partners(tokens.size(), -1), open;
  const auto opening = [](const Token& t) {
    return t.is("(") ? '(' : t.is("[") ? '[' : t.is("{") ? '{' : '\0';
  };
  const auto closing = [](const Token& t) {
    return t.is(")") ? '(' : t.is("]") ? '[' : t.is("}") ? '{' : '\0';
  };
  for (int i = 0; i < int(tokens.size()); ++i) {
    const Token& token = tokens[std::size_t(i)];
    if (token.kind != TokenKind::punctuation) continue;
    if (opening(token)) open.push_back(i);
    const char wanted = closing(token);
    if (!wanted || open.empty() || opening(tokens[std::size_t(open.back())]) != wanted) continue;
    partners[std::size_t(i)] = open.back(), partners[std::size_t(open.back())] = i;
    open.pop_back();
  }
  return partners;
}

}  // namespace lockstep
