#include "code.hpp"

#include <algorithm>
#include <array>

namespace lockstep::reader {
namespace {

// Lists longer than this are left as they are: no text may take more than linear time.
constexpr int kLongestSearch = 2000;
constexpr std::size_t kDeepestKept = 256;

bool one_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

}  // namespace

const CodeToken& Code::operator[](int i) const {
  static const CodeToken nothing;
  return i >= 0 && i < size() ? tokens_[std::size_t(i)] : nothing;
}

bool Code::is_parameter(std::string_view word) const {
  return std::find(parameters_.begin(), parameters_.end(), word) != parameters_.end();
}

int Code::close_angle(int open) const {
  int depth = 0;
  for (int i = open; i < std::min(size(), open + kLongestSearch); ++i) {
    const CodeToken& token = (*this)[i];
    if (token.is("<")) ++depth;
    if (token.is(">") && --depth == 0) return i;
    if (token.is("(") || token.is("[") || token.is("{")) {
      if (token.partner < i) return -1;
      i = token.partner;
    } else if (token.kind == TokenKind::punctuation && one_of(token.text, {";", "&&", "||", ")", "]", "}"})) {
      return -1;
    }
  }
  return -1;
}

int Code::open_angle(int close) const {
  int depth = 0;
  for (int i = close; i >= std::max(0, close - kLongestSearch); --i) {
    const CodeToken& token = (*this)[i];
    if (token.is(">")) ++depth;
    if (token.is("<") && --depth == 0) return i;
    if (token.is(")") || token.is("]") || token.is("}")) {
      if (token.partner < 0 || token.partner > i) return -1;
      i = token.partner;
    } else if (token.kind == TokenKind::punctuation && one_of(token.text, {";", "&&", "||", "(", "[", "{"})) {
      return -1;
    }
  }
  return -1;
}

std::vector<Code::Range> Code::list(int open, int close) const {
  std::vector<Range> all;
  int first = open + 1;
  for (int i = first; i < close; ++i) {
    if (is(i, ",")) {
      all.push_back({first, i - 1});
      first = i + 1;
    } else if (is(i, "<") && is_word(i - 1)) {
      if (const int end = close_angle(i); end > i && end < close) i = end;
    } else {
      i = std::min(past_group(i), close);
    }
  }
  if (first < close || !all.empty()) all.push_back({first, close - 1});
  return all;
}

std::string Code::text(Range range) const {
  std::string all;
  for (int i = std::max(range.first, 0); i <= std::min(range.last, size() - 1); ++i) {
    if (i > range.first && (*this)[i].apart) all += ' ';
    all += (*this)[i].text;
  }
  return all;
}

// --- reading ---------------------------------------------------------------------------------------------

struct CodeReader {
  explicit CodeReader(std::string_view whole) : text(whole) {}
  CodeText read();

 private:
  struct Open {
    int token;
    char bracket;
    Scope scope;
  };
  void add_token(Code& code, const Token& token);
  void add_directive(const Token& token);
  void add_macro(std::string_view body, int line);
  void follow(Code& code, int i);
  void follow_condition(std::string_view directive);
  Scope scope_of_brace(const Code& code, int brace) const;
  Scope inside() const { return stack.empty() ? Scope::names : stack.back().scope; }
  std::size_t offset(std::string_view part) const { return std::size_t(part.data() - text.data()); }
  int column(std::size_t at) {
    if (at < column_at) column_at = line_begin = 0;
    for (; column_at < at; ++column_at)
      if (text[column_at] == '\n') line_begin = column_at + 1;
    return int(at - line_begin) + 1;
  }

  std::string_view text;
  CodeText out;
  std::vector<Open> stack;
  std::vector<std::vector<Open>> conditions;  // the open brackets before each #if that is open
  int head = 0;                               // the first token of the statement or declaration at hand
  bool apart = false;
  std::size_t column_at = 0, line_begin = 0;
};

void CodeReader::add_token(Code& code, const Token& token) {
  if (!token.counts() || (token.is("\\") && code.macro_)) {
    apart = true;
    return;
  }
  CodeToken added;
  added.kind = token.kind, added.text = token.text, added.line = token.line, added.apart = apart;
  added.begin = offset(token.text);
  added.column = column(added.begin);
  apart = false;
  code.tokens_.push_back(added);
  follow(code, code.size() - 1);
}

// The brackets that are open, and the scopes that they make.
void CodeReader::follow(Code& code, int i) {
  CodeToken& token = code.tokens_[std::size_t(i)];
  token.scope = inside();
  if (token.kind != TokenKind::punctuation || token.text.size() != 1) return;
  const char c = token.text[0];
  if (c == '(' || c == '[' || c == '{') {
    stack.push_back({i, c, c == '{' ? scope_of_brace(code, i) : inside()});
    if (c == '{') head = i + 1;
  } else if (c == ')' || c == ']' || c == '}') {
    const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
    // A brace closes what was left open inside of it.
    if (c == '}')
      while (!stack.empty() && stack.back().bracket != '{') stack.pop_back();
    if (!stack.empty() && stack.back().bracket == wanted) {
      token.partner = stack.back().token;
      if (token.partner >= 0) code.tokens_[std::size_t(token.partner)].partner = i;
      stack.pop_back();
    }
    token.scope = inside();
    if (c == '}') head = i + 1;
  } else if (c == ';') {
    if (stack.empty() || stack.back().bracket == '{') head = i + 1;
  }
}

Scope CodeReader::scope_of_brace(const Code& code, int brace) const {
  bool type = false, equals = false, parentheses = false, names = false;
  int i = std::max(head, brace - kLongestSearch);
  if (code.is(i, "template") && code.is(i + 1, "<"))
    if (const int end = code.close_angle(i + 1); end > 0) i = end + 1;
  for (; i < brace; ++i) {
    const CodeToken& token = code[i];
    if (token.kind == TokenKind::word) {
      names |= token.text == "namespace" || (token.text == "extern" && code[i + 1].kind == TokenKind::text);
      type |= one_of(token.text, {"class", "struct", "union"});
      if (token.text == "enum") return Scope::values;
    }
    equals |= token.is("=") && !code.is(i - 1, "operator");
    if (token.is("(")) parentheses = true;
    i = std::min(code.past_group(i), brace);
  }
  if (inside() == Scope::function) return type && !parentheses && !equals ? Scope::type : Scope::function;
  if (names && !parentheses) return Scope::names;
  if (type && !equals && !code.is(brace - 1, ")") && !code.is(brace - 1, "const")) return Scope::type;
  if (equals) return Scope::values;
  return parentheses || code.is_macro() ? Scope::function : Scope::values;
}

// Both branches of an #if begin with the same open brackets.
void CodeReader::follow_condition(std::string_view directive) {
  directive.remove_prefix(std::min(directive.find_first_not_of("# \t"), directive.size()));
  if (directive.starts_with("if")) {
    conditions.push_back(stack.size() <= kDeepestKept ? stack : std::vector<Open>{});
  } else if (directive.starts_with("el") && !conditions.empty()) {
    if (stack.size() <= kDeepestKept && conditions.back().size() <= kDeepestKept) stack = conditions.back();
  } else if (directive.starts_with("endif") && !conditions.empty()) {
    conditions.pop_back();
  }
}

void CodeReader::add_directive(const Token& token) {
  const std::size_t begin = offset(token.text);
  out.directives.push_back({token.text, begin, token.line, column(begin)});
  follow_condition(token.text);
  std::string_view rest = token.text.substr(1);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (!rest.starts_with("define") || rest.size() < 8) return;
  const auto outer = std::move(stack);
  const int outer_head = head;
  stack.clear();
  add_macro(rest.substr(6), token.line);
  stack = outer, head = outer_head, apart = true;
}

void CodeReader::add_macro(std::string_view body, int line) {
  Code macro;
  macro.macro_ = true;
  std::vector<Token> tokens = tokens_of(body);
  std::size_t i = 0;
  while (i < tokens.size() && !tokens[i].counts()) ++i;
  if (i == tokens.size() || !tokens[i].is_word()) return;
  macro.macro_name_ = tokens[i].text;
  ++i;
  if (i < tokens.size() && tokens[i].is("("))
    for (++i; i < tokens.size(); ++i) {
      if (tokens[i].is_word()) macro.parameters_.push_back(tokens[i].text);
      if (tokens[i].is("...")) macro.parameters_.push_back("__VA_ARGS__");
      if (tokens[i].is(")")) break;
    }
  stack.push_back({-1, '{', Scope::function});
  head = 0, apart = true;
  for (++i; i < tokens.size(); ++i) {
    tokens[i].line += line - 1;
    add_token(macro, tokens[i]);
  }
  out.macros.push_back(std::move(macro));
}

CodeText CodeReader::read() {
  for (const Token& token : tokens_of(text)) {
    if (token.kind == TokenKind::directive) {
      apart = true;
      add_directive(token);
      continue;
    }
    if (token.kind == TokenKind::comment) {
      const std::size_t begin = offset(token.text);
      out.comments.push_back({token.text, begin, token.line, column(begin)});
    }
    add_token(out.code, token);
  }
  return std::move(out);
}

CodeText read_code(std::string_view text) { return CodeReader(text).read(); }

}  // namespace lockstep::reader
