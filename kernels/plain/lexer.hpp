// Tokens of CUDA C++ text, none of it lost: the texts of all tokens, one behind the other, are the text
// again.
#pragma once
#include <string_view>
#include <vector>

namespace lockstep {

enum class TokenKind {
  space,      // blanks within a line
  newline,    // one line's end
  comment,    // to the end of the line, or between /* and */
  directive,  // from # to the end of its last line, without that line's end
  word,       // identifiers and keywords
  number,
  text,  // strings and characters, raw ones too
  punctuation
};

struct Token {
  TokenKind kind = TokenKind::space;
  std::string_view text;
  int line = 1;  // of its first character
  bool is(std::string_view wanted) const { return text == wanted && kind != TokenKind::text; }
  bool is_word() const { return kind == TokenKind::word; }
  // Neither blanks nor a comment.
  bool counts() const {
    return kind != TokenKind::space && kind != TokenKind::newline && kind != TokenKind::comment;
  }
};

// Any text has tokens: what is cut off (a string, a comment) ends with the line or the text. `<` and `>`
// stand alone, so that >> may close two template argument lists.
std::vector<Token> tokens_of(std::string_view text);

// For every bracket ( [ { the index of its partner, and back; -1 for all other tokens and brackets without
// one.
std::vector<int> bracket_partners(const std::vector<Token>& tokens);

}  // namespace lockstep
