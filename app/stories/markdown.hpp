// The part of CommonMark that stories use: headings, paragraphs, lists of one level, fenced blocks; emphasis,
// code, and {expression | format}. Anything else (links, pictures, quotes, raw HTML) is an error, so that
// nothing of a stranger's file reaches the screen unread.
#pragma once
#include <functional>
#include <vector>

#include "source_text.hpp"
#include "story.hpp"

namespace lockstep {

struct MarkdownBlock {
  enum class Kind : std::uint8_t { heading, paragraph, fence };
  Kind kind = Kind::paragraph;
  std::size_t offset = 0;          // of its first text in the source
  Paragraph text;                  // heading, paragraph
  std::string info;                // fence: "scene", "ask"
  std::size_t begin = 0, end = 0;  // fence: its content in the source
};

// What functions an expression may call.
using Functions = std::span<const ExpressionFunction>;

// The blocks of source[begin, end).
Result<std::vector<MarkdownBlock>> read_markdown(const SourceText& source, std::size_t begin, std::size_t end,
                                                 Functions functions);
// One line of text: no blocks, whatever it begins with.
Result<InlineText> read_inline(const SourceText& source, std::size_t begin, std::size_t end,
                               Functions functions);
// The text without its marks; figures by `figure`.
std::string plain_text(const InlineText& text, const std::function<std::string(const Inline&)>& figure);

}  // namespace lockstep
