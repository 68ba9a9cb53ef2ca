#include "result.hpp"

#include <charconv>

namespace lockstep {

std::string expand(std::string_view pattern, const std::vector<std::string>& args) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size();) {
    std::size_t index = 0;
    const char *begin = pattern.data() + i + 1, *end = pattern.data() + pattern.size();
    if (pattern[i] == '{') {
      const auto [stop, error] = std::from_chars(begin, end, index);
      if (error == std::errc{} && stop != end && *stop == '}' && index < args.size()) {
        out += args[index];
        i = std::size_t(stop - pattern.data()) + 1;
        continue;
      }
    }
    out += pattern[i++];
  }
  return out;
}

}  // namespace lockstep
