// What model, draw, labs and the emulator use of C++20's library that not every library has yet: a port whose
// library lacks it changes this file alone.
#pragma once
#ifdef __EMSCRIPTEN__
#include "app/model/browser/portable.hpp"
#else
#include <bit>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace lockstep {

template <class To, class From>
constexpr To bit_cast(const From& from) {
  return std::bit_cast<To>(from);
}

// The shortest digits that read back as the same number.
inline std::string shortest_text(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

// Digits behind a point without trailing zeros: as many as x needs.
inline std::string fixed_text(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed).ptr};
}

// The number that the whole text is; nothing where it is none.
inline std::optional<double> number_in(std::string_view text) {
  double x = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || stop != text.data() + text.size()) return {};
  return x;
}

}  // namespace lockstep
#endif
