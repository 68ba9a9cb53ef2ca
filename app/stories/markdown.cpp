#include "markdown.hpp"

#include <md4c.h>

#include <algorithm>
#include <optional>

#include "app/draw/language.hpp"

namespace lockstep {
namespace {

using InlineKind = Inline::Kind;

// The text with what stands between { and } made plain letters of the same length: Markdown sees no sign of
// an expression ('*', '_', '<'), and every offset stays what it is.
std::string masked(std::string_view text) {
  std::string mask(text);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const std::size_t line_end = std::min(mask.size(), mask.find('\n', i));
    if (mask[i] == '\\') {
      ++i;
    } else if (mask[i] == '`') {
      const std::size_t close = mask.find('`', i + 1);
      if (close < line_end) i = close;
    } else if (mask[i] == '{') {
      const std::size_t close = mask.find('}', i + 1);
      if (close >= line_end) continue;
      std::fill(mask.begin() + std::ptrdiff_t(i) + 1, mask.begin() + std::ptrdiff_t(close), 'x');
      i = close;
    }
  }
  return mask;
}

const char* unsupported(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      return N_("a quotation has no place in a story");
    case MD_BLOCK_OL:
      return N_("a numbered list has no place in a story");
    case MD_BLOCK_HR:
      return N_("a line across has no place in a story");
    case MD_BLOCK_HTML:
      return N_("raw HTML has no place in a story");
    default:
      return N_("a table has no place in a story");
  }
}

class Builder {
 public:
  // The parsed buffer stands for source[base, ...), with `prefix` bytes in front that are nobody's.
  Builder(const SourceText& source, std::size_t base, std::size_t prefix, Functions functions)
      : source_(source), base_(base), prefix_(prefix), last_(base), functions_(functions) {}

  bool read(const std::string& mask) {
    mask_ = &mask;
    MD_PARSER parser{};
    parser.flags = MD_DIALECT_COMMONMARK | MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Builder*>(self)->enter(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Builder*>(self)->leave(type);
    };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<Builder*>(self)->enter(type);
    };
    parser.leave_span = [](MD_SPANTYPE, void*, void* self) {
      auto& spans = static_cast<Builder*>(self)->spans_;
      if (!spans.empty()) spans.pop_back();  // one that was refused is left all the same
      return 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Builder*>(self)->text(type, text, size);
    };
    const int failed = md_parse(mask.data(), MD_SIZE(mask.size()), &parser, this);
    if (failed && !fault) fail(last_, {"this cannot be read as Markdown", {}});
    return !fault;  // not every callback's refusal reaches the result
  }

  std::vector<MarkdownBlock> blocks;
  std::optional<Error> fault;

 private:
  int fail(std::size_t offset, Message what) {
    if (!fault) fault = source_.error(offset, std::move(what));
    return 1;
  }

  void begin(MarkdownBlock::Kind kind) {
    blocks.push_back({});
    blocks.back().kind = kind;
    blocks.back().offset = std::string_view::npos;
    blocks.back().text.bullet = list_depth_ > 0;
    spans_.clear(), pending_break_ = false;
  }

  int enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_DOC:
        return 0;
      case MD_BLOCK_UL:
        return ++list_depth_ > 1 ? fail(last_, {"a list within a list has no place in a story", {}}) : 0;
      case MD_BLOCK_LI:
        begin(MarkdownBlock::Kind::paragraph);
        return 0;
      case MD_BLOCK_P:
        // Of a loose list: its item's paragraph has begun.
        if (list_depth_ == 0 || !blocks.back().text.pieces.empty()) begin(MarkdownBlock::Kind::paragraph);
        return 0;
      case MD_BLOCK_H:
        if (static_cast<MD_BLOCK_H_DETAIL*>(detail)->level != 1 || list_depth_ > 0)
          return fail(last_, {"a scene begins with one '#'; there is no smaller heading", {}});
        begin(MarkdownBlock::Kind::heading);
        return 0;
      case MD_BLOCK_CODE: {
        if (list_depth_ > 0) return fail(last_, {"a block within a list has no place in a story", {}});
        const MD_ATTRIBUTE& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info;
        begin(MarkdownBlock::Kind::fence);
        if (info.size > 0) blocks.back().info.assign(info.text, info.size);
        blocks.back().begin = blocks.back().end = last_;
        return 0;
      }
      default:
        return fail(last_, {unsupported(type), {}});
    }
  }

  int leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_UL) --list_depth_;
    if (!blocks.empty() && blocks.back().offset == std::string_view::npos && type != MD_BLOCK_DOC)
      blocks.back().offset = last_;
    return 0;
  }

  int enter(MD_SPANTYPE type) {
    const bool known = type == MD_SPAN_EM || type == MD_SPAN_STRONG || type == MD_SPAN_CODE;
    if (!known)
      return fail(last_, type == MD_SPAN_IMG ? msg("a picture has no place in a story")
                                             : msg("a link has no place in a story"));
    spans_.push_back(type == MD_SPAN_EM       ? InlineKind::emphasis
                     : type == MD_SPAN_STRONG ? InlineKind::strong
                                              : InlineKind::code);
    return 0;
  }

  // Where in the source a text of Markdown's stands; nothing for one that it made up (a line's end).
  std::optional<std::size_t> offset_of(const char* text) const {
    const std::less<const char*> before;
    const char* first = mask_->data();
    if (before(text, first) || !before(text, first + mask_->size())) return {};
    const auto at = std::size_t(text - first);
    return at < prefix_ ? std::optional(base_) : std::optional(base_ + at - prefix_);
  }

  int text(MD_TEXTTYPE type, const char* text, std::size_t size) {
    if (blocks.empty()) return 0;
    if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR) {
      pending_break_ = true;
      return 0;
    }
    const auto offset = offset_of(text);
    if (blocks.back().kind == MarkdownBlock::Kind::fence) return fence_text(offset, size);
    if (!offset) {
      if (type == MD_TEXT_CODE) append(InlineKind::code, std::string(text, size));
      return 0;
    }
    if (text < mask_->data() + prefix_) {  // what was put in front of a line
      const auto skipped = std::min(size, std::size_t(mask_->data() + prefix_ - text));
      if (skipped == size) return 0;
      return written(type, *offset, size - skipped);
    }
    return written(type, *offset, size);
  }

  int fence_text(std::optional<std::size_t> offset, std::size_t size) {
    if (!offset) return 0;
    MarkdownBlock& fence = blocks.back();
    if (fence.offset == std::string_view::npos) fence.offset = fence.begin = *offset;
    fence.end = last_ = std::max(fence.end, *offset + size);
    return 0;
  }

  int written(MD_TEXTTYPE type, std::size_t offset, std::size_t size) {
    last_ = offset;
    if (blocks.back().offset == std::string_view::npos) blocks.back().offset = offset;
    const std::string_view text = source_.text.substr(offset, size);
    if (type == MD_TEXT_ENTITY) return entity(offset, text);
    if (type == MD_TEXT_CODE) return append(InlineKind::code, std::string(text));
    if (type != MD_TEXT_NORMAL) return fail(offset, {"this character has no place in a story", {}});
    return with_figures(offset, text);
  }

  int entity(std::size_t offset, std::string_view text) {
    struct Named {
      std::string_view entity, text;
    };
    for (const Named known : {Named{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}})
      if (known.entity == text) return append(kind(), std::string(known.text));
    return fail(offset, {"{0} is not known: write the character itself", {std::string(text)}});
  }

  InlineKind kind() const { return spans_.empty() ? InlineKind::text : spans_.back(); }

  int append(InlineKind kind, std::string text) {
    auto& pieces = blocks.back().text.pieces;
    if (std::exchange(pending_break_, false) && !pieces.empty() && !text.empty()) {
      // Chinese has no space where a line of the file ends.
      const std::string& before = pieces.back().text;
      const bool wide = !before.empty() && (before.back() & 0x80) && (text.front() & 0x80);
      if (!wide) text.insert(0, " ");
    }
    if (!pieces.empty() && pieces.back().kind == kind && kind != InlineKind::figure)
      pieces.back().text += text;
    else
      pieces.push_back({kind, std::move(text)});
    return 0;
  }

  // Text with figures in it. A brace behind a backslash is a brace.
  int with_figures(std::size_t offset, std::string_view text) {
    const bool escaped = offset > 0 && source_.text[offset - 1] == '\\';
    std::size_t from = 0, open = text.find('{', escaped ? 1 : 0);
    for (; open != std::string_view::npos; open = text.find('{', from)) {
      if (open > from) append(kind(), std::string(text.substr(from, open - from)));
      const std::size_t close = text.find('}', open);
      if (close == std::string_view::npos)
        return fail(offset + open, {"this '{' has no '}' on its line; a brace alone is written \\{", {}});
      if (figure(offset + open + 1, offset + close)) return 1;
      from = close + 1;
    }
    if (from < text.size()) append(kind(), std::string(text.substr(from)));
    return 0;
  }

  int figure(std::size_t begin, std::size_t end) {
    Inline piece{InlineKind::figure, ""};
    const std::size_t bar = format_bar(source_.slice(begin, end));
    if (bar != std::string_view::npos) {
      const auto format = parse_format(source_.slice(begin + bar + 1, end));
      if (!format) return fail(begin + bar + 1, {"expected {0} behind the bar", {kFormatWords}});
      piece.format = *format;
      end = begin + bar;
    }
    source_.trim(begin, end);
    piece.text = source_.slice(begin, end);
    auto expression = Expression::parse(piece.text, functions_, source_.place(begin));
    if (!expression) {
      if (!fault) fault = source_.in_file(expression.error());
      return 1;
    }
    piece.expression = std::move(*expression);
    if (std::exchange(pending_break_, false)) pending_break_ = false, append(kind(), " ");
    blocks.back().text.pieces.push_back(std::move(piece));
    return 0;
  }

  const SourceText& source_;
  const std::size_t base_, prefix_;
  std::size_t last_;  // of the text seen last
  const Functions functions_;
  const std::string* mask_ = nullptr;
  std::vector<InlineKind> spans_;
  int list_depth_ = 0;
  bool pending_break_ = false;
};

}  // namespace

Result<std::vector<MarkdownBlock>> read_markdown(const SourceText& source, std::size_t begin, std::size_t end,
                                                 Functions functions) {
  const std::string mask = masked(source.slice(begin, end));
  Builder builder(source, begin, 0, functions);
  if (!builder.read(mask)) return *builder.fault;
  return std::move(builder.blocks);
}

Result<InlineText> read_inline(const SourceText& source, std::size_t begin, std::size_t end,
                               Functions functions) {
  // A letter in front makes a paragraph of whatever follows.
  constexpr std::string_view kFront = "x ";
  const std::string mask = std::string(kFront) + masked(source.slice(begin, end));
  Builder builder(source, begin, kFront.size(), functions);
  if (!builder.read(mask)) return *builder.fault;
  if (builder.blocks.empty()) return InlineText{};
  return std::move(builder.blocks.front().text.pieces);
}

std::string plain_text(const InlineText& text, const std::function<std::string(const Inline&)>& figure) {
  std::string plain;
  for (const Inline& piece : text) plain += piece.kind == InlineKind::figure ? figure(piece) : piece.text;
  return plain;
}

}  // namespace lockstep
