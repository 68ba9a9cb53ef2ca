// A layout typed by hand: where element (row, col) of a tile stands. The part of the expressions' language
// (expression.hpp) that counts places: + - * / % << >> & | ^ ~ and parentheses, whole numbers, and the names
// that the caller gives.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression.hpp"

namespace lockstep {

class Formula {
 public:
  // The error says where the text cannot be read. `names` are the variables, in the order of evaluate()'s
  // values.
  static Result<Formula> parse(std::string_view text, std::span<const std::string_view> names);
  // 64-bit arithmetic that wraps; a division by zero or a shift by less than 0 or more than 63 bits is an
  // error.
  Result<std::int64_t> evaluate(std::span<const std::int64_t> values) const;

 private:
  Expression expression_;
  std::vector<std::string> names_;
};

}  // namespace lockstep
