// The tokens of CUDA text that count, with their brackets and where they stand: the text without directives
// is one piece of code, the body of every #define another.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/plain/lexer.hpp"

namespace lockstep::reader {

enum class Scope : std::uint8_t {
  names,
  type,
  function,
  values
};  // a namespace; a class; a body; an initialiser

struct CodeToken {
  TokenKind kind = TokenKind::space;  // space: no token
  std::string_view text;
  std::size_t begin = 0;  // in the whole text
  int line = 0, column = 0;
  int partner = -1;  // of a bracket
  Scope scope = Scope::names;
  bool apart = false;  // blanks stand before it
  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view wanted) const { return kind != TokenKind::text && text == wanted; }
  bool is_word() const { return kind == TokenKind::word; }
};

class Code {
 public:
  // [first, last] of tokens; empty where last < first.
  struct Range {
    int first = 0, last = -1;
    bool empty() const { return last < first; }
  };

  int size() const { return int(tokens_.size()); }
  // Outside of the code: a token that is nothing.
  const CodeToken& operator[](int i) const;
  bool is(int i, std::string_view text) const { return (*this)[i].is(text); }
  bool is_word(int i) const { return (*this)[i].is_word(); }
  bool is_macro() const { return macro_; }
  std::string_view macro_name() const { return macro_name_; }
  bool is_parameter(std::string_view word) const;

  // The bracket that closes this one, or the token itself.
  int past_group(int i) const { return (*this)[i].partner > i ? (*this)[i].partner : i; }
  // The > of a template argument list that opens here, and the < of one that closes here; -1 for comparisons.
  int close_angle(int open) const;
  int open_angle(int close) const;
  // What stands between the commas of a list, from behind its first bracket to before its last.
  std::vector<Range> list(int open, int close) const;
  // Tokens with a blank where the text has some.
  std::string text(Range range) const;

 private:
  friend struct CodeReader;
  std::vector<CodeToken> tokens_;
  bool macro_ = false;
  std::string_view macro_name_;
  std::vector<std::string_view> parameters_;
};

struct Directive {
  std::string_view text;  // from # on
  std::size_t begin = 0;
  int line = 0, column = 0;
};

struct CodeText {
  Code code;
  std::vector<Code> macros;
  std::vector<Directive> directives;
  std::vector<Directive> comments;  // their texts from // or /* on
};

CodeText read_code(std::string_view text);

}  // namespace lockstep::reader
