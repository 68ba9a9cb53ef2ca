#include "answer.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/portable.hpp"
#include "markdown.hpp"

namespace lockstep {
namespace {

constexpr std::size_t kMaxTypedBytes = 200;
constexpr double kUsualPercent = 1;  // of an answer that is no whole number

std::string trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return text;
}

// "sector" and "sectors" are one unit.
std::string singular(std::string unit) {
  unit = lower(std::move(unit));
  if (unit.size() > 2 && unit.back() == 's' && unit != "ms" && unit != "us" && unit != "µs") unit.pop_back();
  return unit;
}

// "65,536" and "6.5e4" as numbers; `rest` is what stands behind.
std::optional<double> leading_number(std::string_view text, std::string& rest) {
  std::string digits;
  std::size_t i = 0;
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  if (text.starts_with("−"))
    digits = "-", i = std::string_view("−").size();
  else if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    if (text[0] == '-') digits = "-";
    i = 1;
  }
  for (; i < text.size(); ++i) {
    if (text[i] == ',' && is_digit(i + 1) && is_digit(i + 2) && is_digit(i + 3) && !is_digit(i + 4)) continue;
    const bool exponent =
        (text[i] == 'e' || text[i] == 'E') &&
        (is_digit(i + 1) ||
         (i + 1 < text.size() && (text[i + 1] == '-' || text[i + 1] == '+') && is_digit(i + 2)));
    const bool sign = (text[i] == '-' || text[i] == '+') && !digits.empty() && digits.back() == 'e';
    if (!is_digit(i) && text[i] != '.' && !exponent && !(sign && is_digit(i + 1))) break;
    if (text[i] == '+') continue;
    digits += exponent ? 'e' : text[i];
  }
  rest = trimmed(text.substr(i));
  if (digits.starts_with("-.") || digits.starts_with(".")) digits.insert(digits.find('.'), "0");
  return number_in(digits);
}

bool same_unit(const std::string& a, const std::string& b) { return singular(a) == singular(b); }

// How many of the question's unit are one of the typed one.
std::optional<double> conversion(const std::string& typed, const std::string& unit) {
  if (typed.empty() || same_unit(typed, unit)) return 1;
  const UnitOfMeasure *from = unit_named(typed), *to = unit_named(unit);
  if (!from || !to || from->base != to->base) return {};
  return from->scale / to->scale;
}

bool near(double value, double right, const std::optional<Tolerance>& tolerance, bool whole) {
  if (!std::isfinite(value)) return false;
  // What a rounded number on paper may differ by, so that 0.1 + 0.2 is 0.3.
  const double rounding = 1e-9 * std::abs(right);
  double allowed = whole ? 0 : std::abs(right) * kUsualPercent / 100;
  if (tolerance) allowed = tolerance->percent ? std::abs(right) * tolerance->size / 100 : tolerance->size;
  return std::abs(value - right) <= allowed + rounding;
}

std::string with_unit(const std::string& number, const std::string& unit) {
  if (unit.empty()) return number;
  const bool one = number == "1" && singular(unit) == unit.substr(0, unit.size() - 1);  // "1 sector"
  return number + " " + (one ? singular(unit) : unit);
}

std::string tolerance_text(const Ask& ask) {
  const Tolerance allowed = ask.tolerance.value_or(Tolerance{kUsualPercent, true});
  const std::string size = shortest_text(allowed.size);
  return allowed.percent ? size + " %" : with_unit(size, ask.unit);
}

Verdict not_understood(Message reason) { return {Verdict::Kind::not_understood, std::move(reason)}; }

// The figure that the expression gives, or why there is none here.
struct Computed {
  std::optional<Value> value;
  std::optional<Verdict> unanswerable;
};
Result<Computed> computed(const Expression& expression, FigureSource& figures) {
  auto value = expression.evaluate(figures);
  if (value) return Computed{std::move(*value), {}};
  if (value.error().exit != Exit::unavailable) return value.error();
  return Computed{{},
                  Verdict{Verdict::Kind::unanswerable,
                          msg("not answerable here, because {0}", {tr(value.error().message)})}};
}

const InlineText* tempting_number(const Ask& ask, double given, FigureSource& figures) {
  for (const Tempting& one : ask.tempting) {
    const auto value = one.answer.evaluate(figures);
    if (!value || !is_number(*value)) continue;
    const bool whole = std::holds_alternative<std::int64_t>(*value);
    if (near(given, number_of(*value), ask.tolerance, whole)) return &one.why;
  }
  return nullptr;
}

Message wrong_number(const Ask& ask, const std::string& given, double value, double right, bool exact,
                     bool says_direction) {
  if (says_direction)
    return value > right ? msg("{0} is too high.", {given}) : msg("{0} is too low.", {given});
  if (exact) return msg("It is not {0}.", {given});
  return msg("It is not {0}: it is more than {1} away from the answer.", {given, tolerance_text(ask)});
}

Result<Verdict> check_number(const Ask& ask, std::string_view typed, FigureSource& figures,
                             bool says_direction) {
  auto right = computed(*ask.answer, figures);
  if (!right) return right.error();
  if (right->unanswerable) return *right->unanswerable;
  if (!is_number(*right->value)) {  // a word: "padded"
    const bool same = lower(trimmed(typed)) == lower(std::get<std::string>(*right->value));
    if (same)
      return Verdict{Verdict::Kind::right, msg("Right: {0}.", {std::get<std::string>(*right->value)})};
    return Verdict{Verdict::Kind::wrong, msg("It is not {0}.", {trimmed(typed)})};
  }
  const TypedNumber given = number_typed(typed, ask.unit);
  if (!given.value) return not_understood(given.fault);
  const double wanted = number_of(*right->value);
  const bool whole = std::holds_alternative<std::int64_t>(*right->value);
  if (near(*given.value, wanted, ask.tolerance, whole))
    return Verdict{Verdict::Kind::right,
                   right_reason(ask, typed, with_unit(format_figure(*right->value, {}), ask.unit))};
  const bool exact = ask.tolerance ? ask.tolerance->size == 0 : whole;
  return Verdict{Verdict::Kind::wrong,
                 wrong_number(ask, trimmed(typed), *given.value, wanted, exact, says_direction),
                 tempting_number(ask, *given.value, figures)};
}

// "2", "b", or the option's own words.
std::optional<std::size_t> option_typed(const Ask& ask, const std::string& typed) {
  std::string rest;
  const auto number = leading_number(typed, rest);
  const std::size_t count = ask.options.size();
  if (number && rest.empty() && *number >= 1 && *number <= double(count) && *number == std::floor(*number))
    return std::size_t(*number) - 1;
  if (typed.size() == 1) {
    const char letter = lower(typed)[0];
    if (letter >= 'a' && std::size_t(letter - 'a') < count) return std::size_t(letter - 'a');
  }
  for (std::size_t i = 0; i < count; ++i)
    if (lower(plain_text(ask.options[i].text, [](const Inline&) { return ""; })) == lower(typed)) return i;
  return {};
}

Result<Verdict> check_choice(const Ask& ask, std::string_view typed, FigureSource& figures) {
  const auto chosen = option_typed(ask, trimmed(typed));
  if (!chosen)
    return not_understood(msg("'{0}' is none of the answers: choose one by its number, 1 to {1}.",
                              {trimmed(typed), std::to_string(ask.options.size())}));
  const std::string number = std::to_string(*chosen + 1);
  if (ask.options[*chosen].right) return Verdict{Verdict::Kind::right, msg("Right: {0}.", {number})};
  const InlineText* why = tempting_number(ask, double(*chosen + 1), figures);
  return Verdict{Verdict::Kind::wrong, msg("It is not {0}.", {number}), why};
}

}  // namespace

bool near_enough(const Ask& ask, double given, const Value& right) {
  return near(given, number_of(right), ask.tolerance, std::holds_alternative<std::int64_t>(right));
}

TypedNumber number_typed(std::string_view typed, const std::string& unit) {
  const std::string text = trimmed(typed.substr(0, kMaxTypedBytes));
  std::string rest;
  const auto number = leading_number(text, rest);
  if (!number)
    return {{},
            unit.empty() ? msg("'{0}' is not a number.", {text})
                         : msg("'{0}' is not a number; this asks for {1}.", {text, unit})};
  if (const auto factor = conversion(rest, unit)) return {*number * *factor, {}};
  if (unit.empty()) return {{}, msg("'{0}' is not a unit of this answer: it has none.", {rest})};
  return {{}, msg("'{0}' is another unit: this asks for {1}.", {rest, unit})};
}

Result<Verdict> check_answer(const Ask& ask, std::string_view typed, FigureSource& figures,
                             bool says_direction) {
  if (trimmed(typed).empty()) return not_understood(msg("There is no answer yet."));
  if (ask.kind == Ask::Kind::choice) return check_choice(ask, typed, figures);
  if (ask.kind == Ask::Kind::set) return check_setting(ask, figures);
  return check_number(ask, typed, figures, says_direction);
}

Result<Verdict> check_setting(const Ask& ask, FigureSource& figures) {
  auto fulfilled = computed(*ask.answer, figures);
  if (!fulfilled) return fulfilled.error();
  if (fulfilled->unanswerable) return *fulfilled->unanswerable;
  if (!is_number(*fulfilled->value)) return bad_input("the answer of a 'set:' is a comparison, not a text");
  if (number_of(*fulfilled->value) != 0)
    return Verdict{Verdict::Kind::right, msg("The lab is set that way.")};
  return Verdict{Verdict::Kind::wrong, msg("The lab is not set that way yet.")};
}

std::string allowed_text(const Ask& ask, const Value& answer) {
  const bool whole = std::holds_alternative<std::int64_t>(answer);
  const bool exact = ask.tolerance ? ask.tolerance->size == 0 : whole;
  return exact ? "" : "± " + tolerance_text(ask);
}

Message right_reason(const Ask& ask, std::string_view typed, const std::string& answer) {
  std::string rest;
  const std::string said = trimmed(typed);
  const bool number = ask.kind == Ask::Kind::number && leading_number(said, rest);
  const std::string given = number && rest.empty() ? with_unit(said, ask.unit) : said;
  const TypedNumber here = number_typed(typed, ask.unit), there = number_typed(answer, ask.unit);
  const bool same = !number || !here.value || !there.value ||
                    std::abs(*here.value - *there.value) <= 1e-9 * std::abs(*there.value);
  return same ? msg("Right: {0}.", {answer}) : msg("Right: {0}; exactly {1}.", {given, answer});
}

Result<std::string> right_answer(const Ask& ask, FigureSource& figures) {
  if (ask.kind == Ask::Kind::choice) {
    const auto right =
        std::find_if(ask.options.begin(), ask.options.end(), [](const auto& o) { return o.right; });
    return std::to_string(right - ask.options.begin() + 1);
  }
  if (ask.kind == Ask::Kind::set) return ask.answer->text();
  auto value = ask.answer->evaluate(figures);
  if (!value) return value.error();
  return with_unit(format_figure(*value, {}), ask.unit);
}

}  // namespace lockstep
