#include "fields.hpp"

namespace lockstep {
namespace {

bool is_key(std::string_view word) {
  if (word.empty()) return false;
  for (const char c : word)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  return true;
}

Result<Field> read_field(const SourceText& source, std::size_t begin, std::size_t end) {
  Field field;
  field.key_begin = begin;
  const std::string_view line = source.slice(begin, end);
  if (line.starts_with("- ") || line.starts_with("+ ") || line.starts_with("? ")) {
    field.key = line.substr(0, 1);
    field.begin = begin + 2;
  } else {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_key(line.substr(0, colon)))
      return source.error(begin, {"expected 'key: value'", {}});
    field.key = line.substr(0, colon);
    field.begin = begin + colon + 1;
  }
  field.end = end;
  source.trim(field.begin, field.end);
  if (field.begin == field.end)
    return source.error(field.begin, {"expected a value behind '{0}'", {field.key}});
  return field;
}

}  // namespace

Result<std::vector<Field>> read_fields(const SourceText& source, std::size_t begin, std::size_t end) {
  std::vector<Field> fields;
  while (begin < end) {
    std::size_t from = begin, to = std::min(end, source.text.find('\n', begin));
    begin = to + 1;
    source.trim(from, to);
    if (from == to) continue;
    auto field = read_field(source, from, to);
    if (!field) return field.error();
    fields.push_back(std::move(*field));
  }
  return fields;
}

}  // namespace lockstep
