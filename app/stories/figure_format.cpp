#include "figure_format.hpp"

#include <cmath>
#include <cstdio>

#include "app/draw/number_text.hpp"
#include "app/model/expression.hpp"

namespace lockstep {
namespace {

constexpr double kMostGrouped = 9e15;

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string with_decimals(double x, int decimals, bool separators) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::abs(x));
  std::string digits = text;
  const std::size_t point = std::min(digits.size(), digits.find('.'));
  if (separators)
    for (std::size_t i = point; i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  const bool zero = digits.find_first_not_of("0.,") == std::string::npos;
  return (std::signbit(x) && !zero ? "−" : "") + digits;
}

// Four significant digits, without zeros that say nothing.
std::string four_digits(double x, bool separators) {
  const double size = std::abs(x);
  if (x == std::floor(x) || size >= 1000) return with_decimals(x, 0, separators);
  if (size < 1e-3) return figure_text(x);
  std::string text = with_decimals(x, size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4, separators);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string number(const Value& value, FigureFormat format) {
  const bool separators = format.kind != FigureFormat::Kind::plain;
  const double x = number_of(value);
  if (!std::isfinite(x) || std::abs(x) > kMostGrouped) return figure_text(x);
  if (format.decimals) return with_decimals(x, *format.decimals, separators);
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return with_decimals(double(*whole), 0, separators);
  return four_digits(x, separators);
}

}  // namespace

std::optional<FigureFormat> parse_format(std::string_view text) {
  FigureFormat format;
  text = without_spaces(text);
  if (!text.empty() && text.front() >= '0' && text.front() <= '0' + kMostDecimals) {
    format.decimals = text.front() - '0';
    text = without_spaces(text.substr(1));
    if (text.empty()) return format;
  }
  struct Word {
    std::string_view text;
    FigureFormat::Kind kind;
    bool decimals;
  };
  using Kind = FigureFormat::Kind;
  for (const Word word : {Word{"plain", Kind::plain, true},
                          {"%", Kind::percent, true},
                          {"bytes", Kind::bytes, false},
                          {"s", Kind::time, false},
                          {"bytes/s", Kind::rate, false},
                          {"FLOP/s", Kind::flops, false}})
    if (word.text == text && (word.decimals || !format.decimals)) {
      format.kind = word.kind;
      return format;
    }
  return {};
}

std::string format_figure(const Value& value, FigureFormat format) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const double x = number_of(value);
  switch (format.kind) {
    case FigureFormat::Kind::percent:
      return number(Value{x * 100}, {FigureFormat::Kind::number, format.decimals.value_or(0)}) + " %";
    case FigureFormat::Kind::bytes:
      return bytes_text(x);
    case FigureFormat::Kind::time:
      return time_text(x * 1e3);
    case FigureFormat::Kind::rate:
      return rate_text(x);
    case FigureFormat::Kind::flops:
      return flop_rate_text(x);
    case FigureFormat::Kind::number:
    case FigureFormat::Kind::plain:
      break;
  }
  return number(value, format);
}

std::size_t format_bar(std::string_view text) {
  std::size_t bar = std::string_view::npos;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != '|') continue;
    if (i + 1 < text.size() && text[i + 1] == '|') {
      ++i;
      continue;
    }
    if (depth == 0) bar = i;
  }
  return bar;
}

}  // namespace lockstep
