#include "number_text.hpp"

#include <cmath>
#include <cstdio>

namespace lockstep {
namespace {

// From this share of a unit on, three digits print as 1000 of the unit below: take the larger unit.
constexpr double kRoundsUp = 0.9995;

// Three significant digits, at least one decimal below 100.
std::string three_digits(double x) {
  char text[32];
  const double size = std::abs(x);
  std::snprintf(text, sizeof text, "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, x);
  return text;
}

}  // namespace

std::string number_text(std::int64_t value) { return std::to_string(value); }

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t sign = value < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > sign + 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB", "TB"};
  int unit = 0;
  while (std::abs(bytes) >= 1023.5 && unit < 4) bytes /= 1024, ++unit;  // 1023.5 would be printed as 1024
  char text[32];
  std::snprintf(text, sizeof text, unit > 0 && std::abs(bytes) < 99.95 ? "%.1f %s" : "%.0f %s", bytes,
                units[unit]);
  return text;
}

std::string time_text(double ms) {
  if (std::abs(ms) >= kRoundsUp * 1000) return three_digits(ms / 1000) + " s";
  if (std::abs(ms) >= kRoundsUp) return three_digits(ms) + " ms";
  return three_digits(ms * 1000) + " µs";
}

std::string us_text(double us) { return time_text(us / 1e3); }

std::string rate_text(double rate) {
  if (rate >= kRoundsUp * 1e12) return three_digits(rate / 1e12) + " TB/s";
  if (rate >= kRoundsUp * 1e9) return three_digits(rate / 1e9) + " GB/s";
  return three_digits(rate / 1e6) + " MB/s";
}

namespace {

// With the decimal prefix that leaves at most three digits before the point.
std::string with_prefix(double x, const char* unit) {
  const char* const prefixes[] = {"", "k", "M", "G", "T"};
  int prefix = 0;
  while (std::abs(x) >= kRoundsUp * 1000 && prefix < 4) x /= 1000, ++prefix;
  const bool whole = prefix == 0 && x == std::floor(x);
  return (whole ? std::to_string(std::int64_t(x)) : three_digits(x)) + " " + prefixes[prefix] + unit;
}

}  // namespace

std::string flop_text(double flop) { return with_prefix(flop, "FLOP"); }
std::string flop_rate_text(double rate) { return with_prefix(rate, "FLOP/s"); }
std::string intensity_text(double intensity) { return three_digits(intensity); }

std::string percent_text(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", fraction * 100);
  return text;
}

std::string figure_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  char text[32];
  const bool whole = value == std::floor(value) && std::abs(value) < 1e4;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%#.4g", std::abs(value));
  return (std::signbit(value) && value != 0 ? "−" : "") + std::string(text);
}

}  // namespace lockstep
