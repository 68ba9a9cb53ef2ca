#include "source_hash.hpp"

#include <cstdint>
#include <cstdio>

namespace lockstep {
namespace {

// Position after the literal that starts at i (a quote), or the end.
std::size_t literal_end(std::string_view s, std::size_t i) {
  const char quote = s[i++];
  while (i < s.size() && s[i] != quote) i += s[i] == '\\' ? 2 : 1;
  return i < s.size() ? i + 1 : s.size();
}

std::string without_comments(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size();) {
    if (s[i] == '"' || s[i] == '\'') {
      const std::size_t end = literal_end(s, i);
      out += s.substr(i, end - i);
      i = end;
    } else if (s.substr(i, 2) == "//") {
      while (i < s.size() && s[i] != '\n') ++i;
    } else if (s.substr(i, 2) == "/*") {
      const std::size_t end = s.find("*/", i + 2);
      i = end == std::string_view::npos ? s.size() : end + 2;
      out += ' ';
    } else {
      out += s[i++];
    }
  }
  return out;
}

}  // namespace

std::string strip_comments(std::string_view source) {
  const std::string text = without_comments(source);
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::size_t first = text.find_first_not_of(" \t\r", begin);
    if (first < end) {
      const std::size_t last = text.find_last_not_of(" \t\r", end - 1);
      out.append(text, first, last - first + 1);
      out += '\n';
    }
    begin = end + 1;
  }
  return out;
}

std::string source_hash_of(std::string_view source) {
  std::uint64_t hash = 14695981039346656037ull;
  const auto add = [&](std::string_view bytes) {
    for (unsigned char c : bytes) hash = (hash ^ c) * 1099511628211ull;
  };
  add(strip_comments(source));
  add(kDialectVersion);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace lockstep
