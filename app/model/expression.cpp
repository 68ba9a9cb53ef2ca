#include "expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "expression_parser.hpp"
#include "portable.hpp"

namespace lockstep {
namespace {

constexpr double kKilo = 1024;
// 1 KB is 1024 bytes; rates are decimal, as vendors print them.
constexpr UnitOfMeasure kUnits[] = {
    {"B", "bytes", 1},
    {"byte", "bytes", 1},
    {"bytes", "bytes", 1},
    {"KB", "bytes", kKilo},
    {"KiB", "bytes", kKilo},
    {"kB", "bytes", kKilo},
    {"MB", "bytes", kKilo* kKilo},
    {"MiB", "bytes", kKilo* kKilo},
    {"GB", "bytes", kKilo* kKilo* kKilo},
    {"GiB", "bytes", kKilo* kKilo* kKilo},
    {"ns", "s", 1e-9},
    {"us", "s", 1e-6},
    {"µs", "s", 1e-6},
    {"ms", "s", 1e-3},
    {"s", "s", 1},
    {"Hz", "Hz", 1},
    {"MHz", "Hz", 1e6},
    {"GHz", "Hz", 1e9},
    {"MB/s", "bytes/s", 1e6},
    {"GB/s", "bytes/s", 1e9},
    {"TB/s", "bytes/s", 1e12},
    {"FLOP", "FLOP", 1},
    {"GFLOP", "FLOP", 1e9},
    {"TFLOP", "FLOP", 1e12},
    {"FLOP/s", "FLOP/s", 1},
    {"GFLOP/s", "FLOP/s", 1e9},
    {"TFLOP/s", "FLOP/s", 1e12},
};

}  // namespace

std::span<const UnitOfMeasure> known_units() { return kUnits; }

const UnitOfMeasure* unit_named(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& u) { return u.name == name; });
  return found == std::end(kUnits) ? nullptr : found;
}

bool is_number(const Value& value) { return !std::holds_alternative<std::string>(value); }

double number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string to_text(const FigurePath& figure) {
  std::string text = figure.root;
  if (figure.called) {
    text += "(" + (figure.rung.empty() ? "" : "\"" + figure.rung + "\"");
    bool first = figure.rung.empty();
    for (const auto& [name, value] : figure.settings)
      text += (first ? "" : ", ") + name + "=" + to_string(value), first = false;
    text += ")";
  }
  return figure.path.empty() ? text : text + "." + figure.path;
}

Error Expression::error_at(std::uint32_t offset, Message what) const {
  const auto is_first_byte = [](char c) { return (c & 0xc0) != 0x80; };
  const auto end = text_.begin() + std::ptrdiff_t(std::min<std::size_t>(offset, text_.size()));
  const int column = at_.column + int(std::count_if(text_.begin(), end, is_first_byte));
  return bad_input("{0}:{1}: {2}", {std::to_string(at_.line), std::to_string(column), what.text()});
}

bool Expression::asks_for(std::string_view root) const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const Node& node) { return node.kind == Kind::figure && node.figure.root == root; });
}

std::vector<std::string> Expression::figure_paths() const {
  std::vector<std::string> paths;
  for (const Node& node : nodes_)
    if (node.kind == Kind::figure && !node.figure.path.empty()) paths.push_back(node.figure.path);
  return paths;
}

Result<Expression> Expression::parse(std::string_view text, std::span<const ExpressionFunction> functions,
                                     TextPlace at) {
  ExpressionParser parser(text, functions, at);
  if (parser.read()) return std::move(parser.expression);
  return parser.expression.error_at(std::uint32_t(parser.fault_at),
                                    {"expected {0}, found {1}", {parser.expected, parser.found()}});
}

// --- evaluation

namespace {

using Code = BinaryCode;

// What a double holds exactly stays whole.
Value whole_if_exact(double x) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  if (std::abs(x) <= kMost && x == std::floor(x)) return std::int64_t(x);
  return x;
}

std::optional<Value> wrapping(Code code, std::int64_t a, std::int64_t b) {
  const auto x = std::uint64_t(a), y = std::uint64_t(b);
  switch (code) {
    case Code::plus:
      return std::int64_t(x + y);
    case Code::minus:
      return std::int64_t(x - y);
    case Code::times:
      return std::int64_t(x * y);
    default:
      return {};
  }
}

std::optional<Value> exact(Code code, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool over = false;
  switch (code) {
    case Code::plus:
      over = __builtin_add_overflow(a, b, &result);
      return over ? Value{double(a) + double(b)} : Value{result};
    case Code::minus:
      over = __builtin_sub_overflow(a, b, &result);
      return over ? Value{double(a) - double(b)} : Value{result};
    case Code::times:
      over = __builtin_mul_overflow(a, b, &result);
      return over ? Value{double(a) * double(b)} : Value{result};
    default:
      return {};
  }
}

// Bits, shifts and remainders: of whole numbers alone. Nothing for a shift by less than 0 or more than 63.
std::optional<std::int64_t> bits(Code code, std::int64_t a, std::int64_t b) {
  switch (code) {
    case Code::bit_or:
      return a | b;
    case Code::bit_xor:
      return a ^ b;
    case Code::bit_and:
      return a & b;
    case Code::left:
      return b < 0 || b > 63 ? std::nullopt : std::optional(std::int64_t(std::uint64_t(a) << b));
    case Code::right:
      return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
    case Code::remainder:
      return b == 0 ? std::nullopt : std::optional(b == -1 ? 0 : a % b);
    case Code::divided:
      return b == 0 ? std::nullopt : std::optional(b == -1 ? std::int64_t(0 - std::uint64_t(a)) : a / b);
    default:
      return {};
  }
}

bool is_comparison(Code code) { return code >= Code::equal && code <= Code::not_less; }

template <class T>
bool holds(Code code, const T& a, const T& b) {
  switch (code) {
    case Code::equal:
      return a == b;
    case Code::different:
      return a != b;
    case Code::less:
      return a < b;
    case Code::not_greater:
      return a <= b;
    case Code::greater:
      return a > b;
    default:
      return a >= b;
  }
}

double of_reals(Code code, double a, double b) {
  switch (code) {
    case Code::plus:
      return a + b;
    case Code::minus:
      return a - b;
    case Code::times:
      return a * b;
    default:
      return a / b;
  }
}

}  // namespace

// One evaluation.
class ExpressionWork {
 public:
  ExpressionWork(const Expression& expression, FigureSource& figures)
      : expression_(expression), figures_(figures) {}

  Result<Value> of(int index) {
    const Node& node = expression_.nodes_[std::size_t(index)];
    switch (node.kind) {
      case Kind::constant:
        return node.value;
      case Kind::figure:
        return figure(node);
      case Kind::function:
        return function(node);
      case Kind::builtin:
        return builtin(node);
      case Kind::unary:
        return unary(node);
      case Kind::binary:
        return binary(node);
      case Kind::conditional:
        break;
    }
    const auto which = truth(node.children[0]);
    return which ? of(node.children[*which ? 1 : 2]) : which.error();
  }

 private:
  using Kind = Expression::Kind;
  using Node = Expression::Node;

  Error error(const Node& node, Message what) const {
    return expression_.error_at(node.offset, std::move(what));
  }
  const Node& at(int index) const { return expression_.nodes_[std::size_t(index)]; }

  Result<std::vector<Value>> values_of(const Node& node) {
    std::vector<Value> values;
    for (const int child : node.children) {
      auto value = of(child);
      if (!value) return value.error();
      values.push_back(std::move(*value));
    }
    return values;
  }

  Result<bool> truth(int index) {
    const auto value = of(index);
    if (!value) return value.error();
    if (!is_number(*value)) return error(at(index), {"a number is needed here, not a text", {}});
    return number_of(*value) != 0;
  }

  Result<Value> figure(const Node& node) {
    auto values = values_of(node);
    if (!values) return values.error();
    FigurePath asked = node.figure;
    std::size_t next = 0;
    if (node.names_rung) {
      if (is_number((*values)[0])) return error(node, {"the rung is a text in quotes", {}});
      asked.rung = std::get<std::string>((*values)[next++]);
    }
    for (const std::string& name : node.setting_names) asked.settings[name] = (*values)[next++];
    auto found = figures_.figure(asked);
    if (found || found.error().exit == Exit::unavailable) return found;
    return error(node, found.error().message);
  }

  Result<Value> function(const Node& node) {
    auto values = values_of(node);
    if (!values) return values.error();
    auto result = node.function->call(*values);
    if (result || result.error().exit == Exit::unavailable) return result;
    return error(node, result.error().message);
  }

  Result<Value> builtin(const Node& node) {
    auto values = values_of(node);
    if (!values) return values.error();
    for (const Value& value : *values)
      if (!is_number(value)) return error(node, {"this function takes numbers, not texts", {}});
    const auto less = [](const Value& a, const Value& b) { return number_of(a) < number_of(b); };
    const Value& first = values->front();
    const double x = number_of(first);
    const bool whole = std::holds_alternative<std::int64_t>(first);
    switch (BuiltinCode(node.code)) {
      case BuiltinCode::min:
        return *std::min_element(values->begin(), values->end(), less);
      case BuiltinCode::max:
        return *std::max_element(values->begin(), values->end(), less);
      case BuiltinCode::abs:
        return whole ? whole_if_exact(std::abs(x)) : Value{std::abs(x)};
      case BuiltinCode::ceil:
        return whole ? first : whole_if_exact(std::ceil(x));
      case BuiltinCode::floor:
        return whole ? first : whole_if_exact(std::floor(x));
      case BuiltinCode::round:
        return whole ? first : whole_if_exact(std::round(x));
      case BuiltinCode::log2:
        break;
    }
    if (!(x > 0)) return error(node, {"log2 takes a number above 0", {}});
    return whole_if_exact(std::log2(x));
  }

  Result<Value> unary(const Node& node) {
    auto value = of(node.children[0]);
    if (!value) return value;
    if (!is_number(*value)) return error(node, {"a number is needed here, not a text", {}});
    const auto* whole = std::get_if<std::int64_t>(&*value);
    if (node.code == '!') return Value{std::int64_t(number_of(*value) == 0)};
    if (node.code == '~' && !whole) return error(node, {"~ takes a whole number", {}});
    if (node.code == '~') return Value{~*whole};
    if (whole) return Value{std::int64_t(0 - std::uint64_t(*whole))};
    return Value{-number_of(*value)};
  }

  Result<Value> binary(const Node& node) {
    const Code code = Code(node.code);
    if (code == Code::both || code == Code::either) return joined(node, code == Code::either);
    auto a = of(node.children[0]);
    if (!a) return a;
    auto b = of(node.children[1]);
    if (!b) return b;
    if (is_number(*a) != is_number(*b)) return error(node, {"a text and a number do not go together", {}});
    if (!is_number(*a)) return of_texts(node, code, std::get<std::string>(*a), std::get<std::string>(*b));
    const auto *x = std::get_if<std::int64_t>(&*a), *y = std::get_if<std::int64_t>(&*b);
    if (x && y) return of_whole(node, code, *x, *y);
    if (is_comparison(code)) return Value{std::int64_t(holds(code, number_of(*a), number_of(*b)))};
    if (code > Code::divided) return error(node, {"% << >> & | ^ take whole numbers", {}});
    if (code == Code::divided && number_of(*b) == 0) return error(node, {"this divides by zero", {}});
    return Value{of_reals(code, number_of(*a), number_of(*b))};
  }

  // && and ||: the right side is left alone where the left one decides.
  Result<Value> joined(const Node& node, bool decided_by) {
    auto value = truth(node.children[0]);
    if (value && *value != decided_by) value = truth(node.children[1]);
    if (!value) return value.error();
    return Value{std::int64_t(*value)};
  }

  Result<Value> of_texts(const Node& node, Code code, const std::string& a, const std::string& b) {
    if (code != Code::equal && code != Code::different)
      return error(node, {"texts can only be compared with == and !=", {}});
    return Value{std::int64_t(holds(code, a, b))};
  }

  Result<Value> of_whole(const Node& node, Code code, std::int64_t a, std::int64_t b) {
    if (is_comparison(code)) return Value{std::int64_t(holds(code, a, b))};
    if (!expression_.wraps_ && code == Code::divided && b != 0 && b != -1 && a % b != 0)
      return Value{double(a) / double(b)};
    if (const auto value = expression_.wraps_ ? wrapping(code, a, b) : exact(code, a, b)) return *value;
    const auto value = bits(code, a, b);
    if (!value) return error(node, {"this divides by zero or shifts by {0} bits", {std::to_string(b)}});
    return Value{*value};
  }

  const Expression& expression_;
  FigureSource& figures_;
};

Result<Value> Expression::evaluate(FigureSource& figures) const {
  return ExpressionWork(*this, figures).of(root_);
}

}  // namespace lockstep
