#include "expression_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "portable.hpp"

namespace lockstep {
namespace {

constexpr int kMaxDepth = 40;  // of parentheses, signs and branches

struct Operator {
  std::string_view text;
  BinaryCode code;
  int level;           // binds tighter from 0 up
  bool whole = false;  // a layout has it
};
// C's order, loosest first; of two that begin alike the longer one stands first.
constexpr Operator kOperators[] = {
    {"||", BinaryCode::either, 0},       {"&&", BinaryCode::both, 1},
    {"|", BinaryCode::bit_or, 2, true},  {"^", BinaryCode::bit_xor, 3, true},
    {"&", BinaryCode::bit_and, 4, true}, {"==", BinaryCode::equal, 5},
    {"!=", BinaryCode::different, 5},    {"<<", BinaryCode::left, 7, true},
    {">>", BinaryCode::right, 7, true},  {"<=", BinaryCode::not_greater, 6},
    {">=", BinaryCode::not_less, 6},     {"<", BinaryCode::less, 6},
    {">", BinaryCode::greater, 6},       {"+", BinaryCode::plus, 8, true},
    {"-", BinaryCode::minus, 8, true},   {"*", BinaryCode::times, 9, true},
    {"/", BinaryCode::divided, 9, true}, {"%", BinaryCode::remainder, 9, true}};
constexpr int kTightest = 9;

struct Builtin {
  std::string_view name;
  BuiltinCode code;
  std::size_t least, most;  // arguments
};
constexpr Builtin kBuiltins[] = {{"min", BuiltinCode::min, 2, 8},     {"max", BuiltinCode::max, 2, 8},
                                 {"abs", BuiltinCode::abs, 1, 1},     {"ceil", BuiltinCode::ceil, 1, 1},
                                 {"floor", BuiltinCode::floor, 1, 1}, {"round", BuiltinCode::round, 1, 1},
                                 {"log2", BuiltinCode::log2, 1, 1}};

// Roots of figures that may have parentheses.
bool is_called_root(std::string_view name) { return name == "run" || name == "recorded"; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

const Operator* operator_at(std::string_view rest, bool whole_only) {
  const auto stands_here = [&](const Operator& o) {
    return (o.whole || !whole_only) && rest.starts_with(o.text);
  };
  const auto found = std::find_if(std::begin(kOperators), std::end(kOperators), stands_here);
  return found == std::end(kOperators) ? nullptr : found;
}

// The longest unit that stands here as a word of its own.
const UnitOfMeasure* unit_at(std::string_view rest) {
  const UnitOfMeasure* longest = nullptr;
  for (const UnitOfMeasure& unit : known_units()) {
    if (!rest.starts_with(unit.name) || (longest && longest->name.size() >= unit.name.size())) continue;
    const std::size_t end = unit.name.size();
    if (end >= rest.size() || !(is_word(rest[end]) || rest[end] == '(' || rest[end] == '.')) longest = &unit;
  }
  return longest;
}

}  // namespace

ExpressionParser::ExpressionParser(std::string_view text, std::span<const ExpressionFunction> functions,
                                   TextPlace at)
    : text_(text), functions_(functions) {
  expression.text_ = text.substr(0, Expression::kMaxBytes);
  expression.at_ = at;
}

ExpressionParser::ExpressionParser(std::string_view text, std::span<const std::string_view> names)
    : text_(text), names_(names), whole_only_(true) {
  expression.text_ = text.substr(0, Expression::kMaxBytes);
  expression.wraps_ = true;
}

bool ExpressionParser::read() {
  if (text_.size() > Expression::kMaxBytes)
    return fail("at most " + std::to_string(Expression::kMaxBytes) + " characters", Expression::kMaxBytes);
  if (!conditional(0, expression.root_)) return false;
  skip_spaces();
  return at_ == text_.size() || fail("an operator or the end");
}

std::string ExpressionParser::found() const {
  if (fault_at >= text_.size()) return "the end";
  std::size_t end = fault_at + 1;
  if (is_word(text_[fault_at]))
    while (end < text_.size() && is_word(text_[end])) ++end;
  else
    while (end < text_.size() && (text_[end] & 0xc0) == 0x80) ++end;  // a character has several bytes
  return "'" + std::string(text_.substr(fault_at, std::min<std::size_t>(end - fault_at, 40))) + "'";
}

bool ExpressionParser::fail(std::string what, std::size_t at) {
  if (expected.empty()) expected = std::move(what), fault_at = at;
  return false;
}

void ExpressionParser::skip_spaces() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool ExpressionParser::stands(std::string_view word) {
  skip_spaces();
  return text_.substr(at_).starts_with(word);
}

bool ExpressionParser::take(std::string_view word) {
  if (!stands(word)) return false;
  at_ += word.size();
  return true;
}

int ExpressionParser::add(Node node) {
  expression.nodes_.push_back(std::move(node));
  return int(expression.nodes_.size()) - 1;
}

bool ExpressionParser::conditional(int depth, int& node) {
  if (!binary(0, depth, node)) return false;
  if (whole_only_ || !take("?")) return true;
  if (depth > kMaxDepth) return fail("fewer branches in each other");
  Node choice{Kind::conditional, 0, std::uint32_t(at_ - 1)};
  int yes = -1, no = -1;
  if (!conditional(depth + 1, yes)) return false;
  if (!take(":")) return fail("':'");
  if (!conditional(depth + 1, no)) return false;
  choice.children = {node, yes, no};
  node = add(std::move(choice));
  return true;
}

bool ExpressionParser::binary(int level, int depth, int& node) {
  if (level > kTightest) return unary(depth, node);
  if (!binary(level + 1, depth, node)) return false;
  for (;;) {
    skip_spaces();
    const Operator* o = operator_at(text_.substr(at_), whole_only_);
    if (!o || o->level != level) return true;
    Node both{Kind::binary, std::uint8_t(o->code), std::uint32_t(at_)};
    at_ += o->text.size();
    int right = -1;
    if (!binary(level + 1, depth, right)) return false;
    both.children = {node, right};
    node = add(std::move(both));
  }
}

bool ExpressionParser::unary(int depth, int& node) {
  if (depth > kMaxDepth) return fail("fewer parentheses and signs in each other");
  skip_spaces();
  const std::size_t from = at_;
  for (const char sign : {'-', '~', '!'})
    if ((sign != '!' || !whole_only_) && take(std::string_view(&sign, 1))) {
      int operand = -1;
      if (!unary(depth + 1, operand)) return false;
      Node signed_one{Kind::unary, std::uint8_t(sign), std::uint32_t(from)};
      signed_one.children = {operand};
      node = add(std::move(signed_one));
      return true;
    }
  return primary(depth, node);
}

bool ExpressionParser::primary(int depth, int& node) {
  if (take("(")) {
    if (!conditional(depth + 1, node)) return false;
    return take(")") || fail("')'");
  }
  if (at_ < text_.size() && is_digit(text_[at_])) return number(node);
  if (!whole_only_ && stands("\"")) return text(node);
  if (at_ < text_.size() && is_letter(text_[at_])) return named(depth, node);
  return fail("a number, a name, a text in quotes or '('");
}

bool ExpressionParser::number(int& node) {
  const std::size_t from = at_;
  std::size_t end = at_;
  const auto digits = [&] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  digits();
  bool whole = true;
  if (!whole_only_ && end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]))
    ++end, whole = false, digits();
  if (!whole_only_ && end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    const bool sign = end + 1 < text_.size() && (text_[end + 1] == '-' || text_[end + 1] == '+');
    const std::size_t first = end + (sign ? 2 : 1);
    if (first < text_.size() && is_digit(text_[first])) end = first, whole = false, digits();
  }
  std::int64_t count = 0;
  const std::string_view written = text_.substr(from, end - from);
  if (whole && std::from_chars(written.data(), written.data() + written.size(), count).ec != std::errc{})
    return fail("a number below 2^63");
  const auto real = number_in(written);
  if (!real || !std::isfinite(*real)) return fail("a number that is not too large");
  Value value = whole ? Value{count} : Value{*real};
  at_ = end;
  if (!whole_only_) {
    const bool space = at_ < text_.size() && text_[at_] == ' ';
    if (const UnitOfMeasure* unit = unit_at(text_.substr(std::min(text_.size(), at_ + (space ? 1 : 0))))) {
      at_ += unit->name.size() + (space ? 1 : 0);
      const double scaled = *real * unit->scale;
      const bool exact = whole && unit->scale >= 1 && scaled < 0x1p53;
      value = exact ? Value{std::int64_t(scaled)} : Value{scaled};
    }
  }
  if (at_ < text_.size() && is_word(text_[at_])) return fail("an operator, a unit or the end");
  Node constant{Kind::constant, 0, std::uint32_t(from)};
  constant.value = std::move(value);
  node = add(std::move(constant));
  return true;
}

bool ExpressionParser::text(int& node) {
  const std::size_t from = at_, end = text_.find('"', at_ + 1);
  if (end == std::string_view::npos) return fail("'\"' at the end of the text", text_.size());
  Node constant{Kind::constant, 0, std::uint32_t(from)};
  constant.value = std::string(text_.substr(from + 1, end - from - 1));
  at_ = end + 1;
  node = add(std::move(constant));
  return true;
}

std::string_view ExpressionParser::word() {
  const std::size_t from = at_;
  while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  return text_.substr(from, at_ - from);
}

bool ExpressionParser::named(int depth, int& node) {
  const std::size_t from = at_;
  const std::string name(word());
  if (whole_only_) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) return fail("a name", from);
    Node variable{Kind::figure, 0, std::uint32_t(from)};
    variable.figure.root = name;
    node = add(std::move(variable));
    return true;
  }
  return stands("(") && !is_called_root(name) ? call(name, from, depth, node)
                                              : figure(name, from, depth, node);
}

bool ExpressionParser::figure(std::string root, std::size_t from, int depth, int& node) {
  Node figure{Kind::figure, 0, std::uint32_t(from)};
  figure.figure.root = std::move(root);
  if (is_called_root(figure.figure.root) && take("(")) {
    figure.figure.called = true;
    if (!figure_arguments(figure, depth)) return false;
  }
  while (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    const std::string_view segment = word();
    if (segment.empty()) return fail("a name behind the point");
    figure.figure.path += (figure.figure.path.empty() ? "" : ".") + std::string(segment);
  }
  if (figure.figure.called && figure.figure.path.empty()) return fail("'.' and the name of a figure");
  node = add(std::move(figure));
  return true;
}

// "padded", n=64 and the parenthesis behind it.
bool ExpressionParser::figure_arguments(Node& figure, int depth) {
  if (depth > kMaxDepth) return fail("fewer parentheses and signs in each other");
  if (take(")")) return true;
  do {
    skip_spaces();
    const std::size_t from = at_;
    const std::string name(word());
    const bool setting = !name.empty() && stands("=") && !stands("==");
    int child = -1;
    if (!setting) {
      if (!figure.children.empty()) return fail("a setting, as in n=64", from);
      at_ = from;
      figure.names_rung = true;
    } else {
      take("=");
      figure.setting_names.push_back(name);
    }
    if (!conditional(depth + 1, child)) return false;
    figure.children.push_back(child);
  } while (take(","));
  return take(")") || fail("',' or ')'");
}

bool ExpressionParser::arguments(std::vector<int>& children, int depth) {
  take("(");
  if (depth > kMaxDepth) return fail("fewer parentheses and signs in each other");
  if (take(")")) return true;
  do {
    int child = -1;
    if (!conditional(depth + 1, child)) return false;
    children.push_back(child);
  } while (take(","));
  return take(")") || fail("',' or ')'");
}

bool ExpressionParser::call(const std::string& name, std::size_t from, int depth, int& node) {
  Node call{Kind::builtin, 0, std::uint32_t(from)};
  std::size_t least = 0, most = 0;
  std::string takes;
  for (const Builtin& b : kBuiltins)
    if (b.name == name) call.code = std::uint8_t(b.code), least = b.least, most = b.most;
  for (const ExpressionFunction& f : functions_)
    if (f.name == name)
      call.kind = Kind::function, call.function = &f, least = most = f.count, takes = f.arguments;
  if (most == 0) {
    std::string all;
    for (const Builtin& b : kBuiltins) all += std::string(b.name) + ", ";
    for (const ExpressionFunction& f : functions_) all += std::string(f.name) + ", ";
    return fail("one of the functions " + all + "run, recorded", from);
  }
  if (!arguments(call.children, depth)) return false;
  if (call.children.size() < least || call.children.size() > most)
    return fail(takes.empty()
                    ? std::to_string(least) + (most > least ? " or more" : "") + " arguments of " + name
                    : name + "(" + takes + ")",
                from);
  node = add(std::move(call));
  return true;
}

}  // namespace lockstep
