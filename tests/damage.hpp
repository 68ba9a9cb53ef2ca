// Texts changed at random places, for tests of what reads strangers' files.
#pragma once
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "app/model/result.hpp"

namespace lockstep::test {

using Random = std::mt19937;
inline std::size_t below(Random& random, std::size_t n) { return std::size_t(random() % n); }

// One to four changes: a sign written or put between, a piece left out or copied elsewhere, a file that
// breaks off.
inline std::string damaged(std::string text, Random& random) {
  constexpr std::string_view kSigns = "{}|\"`*_#-+:.,()[]<>&\\\n =0129aexn\xe6\x80\xff";
  const auto sign = [&] { return kSigns[below(random, kSigns.size())]; };
  for (std::size_t changes = 1 + below(random, 4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(random, text.size()), count = below(random, 40);
    switch (below(random, 9)) {
      case 0:
      case 1:
        text[at] = sign();
        break;
      case 2:
      case 3:
        text.insert(at, 1, sign());
        break;
      case 4:
      case 5:
        text.erase(at, count);
        break;
      case 6:
      case 7:
        text.insert(below(random, text.size()), text.substr(at, count));
        break;
      default:
        if (below(random, 8) == 0) text.resize(at);
    }
  }
  return text;
}

// "zh/banks.md:12:3: ..."
inline bool names_line(const Error& error, const std::string& file) {
  const std::string text = error.text(), before = file + ":";
  return text.starts_with(before) && std::atoi(text.c_str() + before.size()) > 0;
}

inline int mutations() {
  const char* asked = std::getenv("LOCKSTEP_MUTATIONS");
  constexpr int kUsual = 6000;
  return asked ? std::atoi(asked) : kUsual;
}

}  // namespace lockstep::test
