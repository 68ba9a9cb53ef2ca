// portable.hpp for Debian 12's Emscripten: clang 14 and the library of that time.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

namespace portable {
// The fewest digits that read back as the same number.
inline int digits_of(double x) {
  char text[40];
  for (int digits = 1; digits < 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits - 1, x);
    if (std::strtod(text, nullptr) == x) return digits;
  }
  return 17;
}
inline std::string printed(const char* format, int digits, double x) {
  char text[400];
  return {text, std::size_t(std::snprintf(text, sizeof text, format, digits, x))};
}
}  // namespace portable

// As std::to_chars: of the plain and the scientific form the shorter one, the plain one where both are as
// long.
inline std::string shortest_text(double x) {
  if (x != x || x - x != 0) return portable::printed("%.*g", 6, x);
  const int digits = portable::digits_of(x);
  const std::string scientific = portable::printed("%.*e", digits - 1, x);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  const std::string plain = portable::printed("%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, x);
  return plain.size() <= scientific.size() ? plain : scientific;
}

inline std::string fixed_text(double x) {
  const int digits = portable::digits_of(x);
  const std::string scientific = portable::printed("%.*e", digits - 1, x);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  return portable::printed("%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, x);
}

// As std::from_chars: no blank and no plus before it, no hexadecimal digits.
inline std::optional<double> number_in(std::string_view text) {
  const std::string copy(text);
  if (copy.empty() ||
      !(copy[0] == '-' || copy[0] == '.' || (copy[0] >= '0' && copy[0] <= '9') || copy[0] == 'i' ||
        copy[0] == 'n' || copy[0] == 'I' || copy[0] == 'N') ||
      copy.find_first_of("xX") != copy.npos)
    return {};
  char* stop = nullptr;
  const double x = std::strtod(copy.c_str(), &stop);
  if (stop != copy.c_str() + copy.size()) return {};
  if (x - x != 0 && copy.find_first_of("iInN") == copy.npos) return {};  // out of range
  return x;
}

}  // namespace lockstep
