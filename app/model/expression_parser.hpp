// Reads the text of an Expression. What cannot be read leaves `fault_at` and `expected`.
#pragma once
#include "expression.hpp"

namespace lockstep {

// Arithmetic up to `divided` takes doubles too, what follows whole numbers alone; then comparisons.
enum class BinaryCode : std::uint8_t {
  plus,
  minus,
  times,
  divided,
  remainder,
  left,
  right,
  bit_and,
  bit_or,
  bit_xor,
  equal,
  different,
  less,
  not_greater,
  greater,
  not_less,
  both,
  either
};
enum class BuiltinCode : std::uint8_t { min, max, abs, ceil, floor, round, log2 };

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const ExpressionFunction> functions, TextPlace at);
  // Whole numbers, these names and nothing else.
  ExpressionParser(std::string_view text, std::span<const std::string_view> names);
  bool read();
  std::string found() const;  // what stands where it cannot be read

  Expression expression;
  std::size_t fault_at = 0;
  std::string expected;

 private:
  using Node = Expression::Node;
  using Kind = Expression::Kind;
  bool fail(std::string what, std::size_t at);
  bool fail(std::string what) { return fail(std::move(what), at_); }
  void skip_spaces();
  bool take(std::string_view word);
  bool stands(std::string_view word);
  int add(Node node);
  bool conditional(int depth, int& node);
  bool binary(int level, int depth, int& node);
  bool unary(int depth, int& node);
  bool primary(int depth, int& node);
  bool number(int& node);
  bool text(int& node);
  bool named(int depth, int& node);
  bool figure(std::string root, std::size_t from, int depth, int& node);
  bool figure_arguments(Node& figure, int depth);
  bool arguments(std::vector<int>& children, int depth);
  bool call(const std::string& name, std::size_t from, int depth, int& node);
  std::string_view word();

  std::string_view text_;
  std::span<const ExpressionFunction> functions_;
  std::span<const std::string_view> names_;
  bool whole_only_ = false;
  std::size_t at_ = 0;
};

}  // namespace lockstep
