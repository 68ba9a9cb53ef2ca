// Lines of a block: "key: value", and below them an option each: "- text", "+ text", "? expression | text".
#pragma once
#include <string>
#include <vector>

#include "markdown.hpp"
#include "source_text.hpp"

namespace lockstep {

struct Field {
  std::string key;                                // "-", "+" and "?" of an option
  std::size_t key_begin = 0, begin = 0, end = 0;  // the value in the source, without spaces around it
  std::string_view value(const SourceText& source) const { return source.slice(begin, end); }
};
Result<std::vector<Field>> read_fields(const SourceText& source, std::size_t begin, std::size_t end);

// An `ask` block.
Result<Ask> read_ask(const SourceText& source, const MarkdownBlock& block);

}  // namespace lockstep
