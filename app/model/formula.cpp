#include "formula.hpp"

#include <algorithm>

#include "expression_parser.hpp"

namespace lockstep {
namespace {

class Variables final : public FigureSource {
 public:
  Variables(std::span<const std::string> names, std::span<const std::int64_t> values)
      : names_(names), values_(values) {}
  Result<Value> figure(const FigurePath& asked) override {
    const auto place = std::find(names_.begin(), names_.end(), asked.root) - names_.begin();
    return Value{values_[std::size_t(place)]};  // the parser let known names through alone
  }

 private:
  std::span<const std::string> names_;
  std::span<const std::int64_t> values_;
};

std::string all_names(std::span<const std::string_view> names) {
  std::string all;
  for (const auto name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

}  // namespace

Result<Formula> Formula::parse(std::string_view text, std::span<const std::string_view> names) {
  ExpressionParser parser(text, names);
  if (!parser.read())
    return bad_input(
        "the formula '{0}' cannot be read from character {1} on: it takes whole numbers, {2}, "
        "parentheses, and + - * / % << >> & | ^ ~",
        {std::string(text), std::to_string(parser.fault_at + 1), all_names(names)});
  Formula formula;
  formula.expression_ = std::move(parser.expression);
  formula.names_.assign(names.begin(), names.end());
  return formula;
}

Result<std::int64_t> Formula::evaluate(std::span<const std::int64_t> values) const {
  Variables variables(names_, values);
  const auto value = expression_.evaluate(variables);
  if (!value) return bad_input("the formula cannot be evaluated: {0}", {value.error().text()});
  return std::get<std::int64_t>(*value);
}

}  // namespace lockstep
