#include "source_text.hpp"

#include <algorithm>

#include "app/draw/language.hpp"

namespace lockstep {
namespace {

// Bytes of the character that begins here; 0 where none does.
std::size_t character_bytes(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t count = first >= 0xf5 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (count == 0 || rest.size() < count) return 0;
  for (std::size_t i = 1; i < count; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than it need be, half of a pair, or beyond the last character.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return count;
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

}  // namespace

TextPlace SourceText::place(std::size_t offset) const {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto is_first_byte = [](char c) { return (c & 0xc0) != 0x80; };
  return {int(std::count(before.begin(), before.end(), '\n')) + 1,
          int(std::count_if(before.begin() + std::ptrdiff_t(line_start), before.end(), is_first_byte)) + 1};
}

Error SourceText::error(std::size_t offset, Message what) const {
  const TextPlace at = place(offset);
  return bad_input("{0}:{1}:{2}: {3}", {name, std::to_string(at.line), std::to_string(at.column), tr(what)});
}

Error SourceText::in_file(const Error& error) const { return bad_input("{0}:{1}", {name, error.text()}); }

void SourceText::trim(std::size_t& begin, std::size_t& end) const {
  const auto is_space = [&](std::size_t i) { return text[i] == ' ' || text[i] == '\t'; };
  while (begin < end && is_space(begin)) ++begin;
  while (end > begin && is_space(end - 1)) --end;
}

Result<std::string> check_text(std::string_view bytes, const std::string& name) {
  std::string text;
  text.reserve(bytes.size());
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);  // what Windows puts in front of UTF-8
  for (std::size_t i = 0; i < bytes.size();) {
    if (bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n') {
      ++i;
      continue;
    }
    const std::size_t count = character_bytes(bytes.substr(i));
    if (count == 0) return SourceText(text, name).error(text.size(), {"this is not UTF-8 text", {}});
    if (count == 1 && is_control(bytes[i]))
      return SourceText(text, name).error(text.size(), {"a control character does not belong here", {}});
    text.append(bytes.substr(i, count));
    i += count;
  }
  return text;
}

}  // namespace lockstep
