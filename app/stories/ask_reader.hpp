// The fields of an `ask` block, one by one: for who has fields of his own beside them.
#pragma once
#include "fields.hpp"

namespace lockstep {

class AskReader {
 public:
  AskReader(const SourceText& source, const MarkdownBlock& block);

  Status add(const Field& field);
  // The question itself; a block has one.
  Status question(const Field& field, Ask::Kind kind);
  Status option(const Field& field);
  // Complete, or what is missing.
  Result<Ask> finish();
  // As far as it was read.
  Ask take() { return std::move(ask_); }

  Status inline_text(std::size_t begin, std::size_t end, InlineText& to);
  Result<Expression> expression(std::size_t begin, std::size_t end);

 private:
  Status answer(const Field& field);
  Status tolerance(const Field& field);
  Status tempting(const Field& field);
  Status hides(const Field& field);
  Status also(const Field& field);

  const SourceText& source_;
  const std::size_t offset_;
  Ask ask_;
  bool asked_ = false;
};

}  // namespace lockstep
