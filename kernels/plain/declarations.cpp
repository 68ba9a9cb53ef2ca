#include "declarations.hpp"

#include <algorithm>
#include <array>

#include "directives.hpp"
#include "edited_text.hpp"

namespace lockstep {
namespace {

constexpr std::array<std::string_view, 8> kNoFunctions{
    "__launch_bounds__", "__cluster_dims__", "alignas",  "__align__",
    "requires",          "decltype",         "noexcept", "sizeof"};
template <class List>
bool among(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class Parser {
 public:
  explicit Parser(std::string_view text) : code_(text) {}

  DeclaredText run() {
    take_header();
    for (int i = code_.next(-1); i < code_.size();) i = declaration(i);
    return std::move(all_);
  }

 private:
  // The comment lines at the top, up to the first thing that is none.
  void take_header() {
    for (int i = 0; i < code_.size() && !code_[i].counts(); ++i) {
      const bool empty_line =
          code_[i].kind == TokenKind::newline && i > 0 && code_[i - 1].kind == TokenKind::newline;
      if (empty_line) break;
      all_.header += code_[i].text;
    }
  }

  // Takes what begins at token i; the first token behind it.
  int declaration(int i) {
    if (code_[i].kind == TokenKind::directive) return directive(i);
    if (code_.is(i, "}") || code_.is(i, ";")) return code_.next(i);  // of a namespace that was left out
    if (const int body = namespace_body(i); body > 0) return code_.next(body);
    const int last = end_of(i);
    Declaration d;
    d.text = text_with_comment(i, last, &d.apart);
    find_names(i, last, d);
    d.body = code_.is(last, "}");
    find_uses(i, last, d);
    all_.declarations.push_back(std::move(d));
    return code_.next(last);
  }

  int directive(int i) {
    const std::string_view text = code_[i].text;
    if (const auto file = included_file(text); !file.empty())
      all_.files.emplace_back(file);
    else if (text.starts_with("#include <"))
      all_.includes.emplace_back(text);
    return code_.next(i);
  }

  // The { of a namespace, else -1.
  int namespace_body(int i) const {
    if (!code_.is(i, "namespace")) return -1;
    int at = code_.next(i);
    while (code_.word(at) || code_.is(at, "::")) at = code_.next(at);
    return code_.is(at, "{") ? at : -1;
  }

  // Its last token: a ; or the } of a function's body.
  int end_of(int i) const {
    const bool type = holds_type_keyword(i);
    bool assigned = false;
    int last = i;
    if (code_.is(i, "template") && code_.is(code_.next(i), "<"))  // its parameters' defaults are no values
      if (const int close = code_.close_angle(code_.next(i)); close > 0) i = last = close;
    for (; i < code_.size(); i = code_.next(i)) {
      last = i;
      if (code_.is(i, ";")) return i;
      assigned |= code_.is(i, "=");
      if ((code_.is(i, "(") || code_.is(i, "[")) && code_.partner(i) > i) i = code_.partner(i);
      if (code_.is(i, "{") && code_.partner(i) > i) {
        i = last = code_.partner(i);
        if (!type && !assigned && !code_.is(code_.next(i), ";") && !code_.is(code_.next(i), ",")) return i;
      }
    }
    return last;
  }
  bool holds_type_keyword(int i) const {
    if (code_.is(i, "template") && code_.is(code_.next(i), "<"))
      if (const int close = code_.close_angle(code_.next(i)); close > 0) i = code_.next(close);
    static constexpr std::array<std::string_view, 6> kTypes{"struct", "class", "enum",
                                                            "union",  "using", "typedef"};
    return code_.word(i) && among(kTypes, code_[i].text);
  }

  std::string text_with_comment(int first, int last, bool* apart) const {
    int begin = first, newlines = 0;
    for (int i = first - 1; i >= 0 && !code_[i].counts(); --i) {
      if (code_[i].kind == TokenKind::newline && ++newlines > 1) break;
      if (code_[i].kind == TokenKind::comment) {
        const bool own_line = i == 0 || code_[i - 1].kind == TokenKind::newline;
        if (!own_line) break;
        begin = i, newlines = 0;
      }
    }
    *apart = newlines > 1 || begin == 0;
    int end = last;
    for (int i = last + 1; i < code_.size() && code_[i].kind != TokenKind::newline && !code_[i].counts(); ++i)
      if (code_[i].kind == TokenKind::comment) end = i;
    std::string text;
    for (int i = begin; i <= end; ++i) text += code_[i].text;
    return text;
  }

  void find_names(int first, int last, Declaration& d) const {
    int i = first;
    if (code_.is(i, "template") && code_.is(code_.next(i), "<"))
      if (const int close = code_.close_angle(code_.next(i)); close > 0) i = code_.next(close);
    if (code_.is(i, "namespace") || holds_type_keyword(i)) return type_names(i, last, d);
    for (; i <= last; i = code_.next(i)) {
      const int after = code_.next(i);
      if (code_.word(i) && code_.is(after, "(") && !among(kNoFunctions, code_[i].text)) {
        const int owner = type_before(i);
        d.function = owner < 0;
        d.names.emplace_back(code_[d.function ? i : owner].text);
        return;
      }
      const bool variable = code_.is(after, "=") || code_.is(after, "[") || code_.is(after, "{") ||
                            code_.is(after, ";") || code_.is(after, ",");
      if (code_.word(i) && variable) d.names.emplace_back(code_[i].text);
      if (code_.is(i, "=")) i = before_comma(i, last);
      if ((code_.is(i, "(") || code_.is(i, "[") || code_.is(i, "{")) && code_.partner(i) > i)
        i = code_.partner(i);
    }
  }
  // Of Type::member the first token, else -1: a member is needed where its type is, not where its name is.
  int type_before(int member) const {
    int type = -1;
    for (int i = code_.previous(member); code_.is(i, "::") && code_.word(code_.previous(i));
         i = code_.previous(type))
      type = code_.previous(i);
    return type;
  }
  // Of an initialiser the last token, so that its words are not taken for names.
  int before_comma(int i, int last) const {
    for (int at = i; at < last; at = code_.next(at)) {
      if (code_.is(at, ",")) return i;
      if ((code_.is(at, "(") || code_.is(at, "[") || code_.is(at, "{")) && code_.partner(at) > at)
        at = code_.partner(at);
      i = at;
    }
    return i;
  }
  // struct alignas(16) Name, enum Name { a, b }, using Name = ..
  void type_names(int i, int last, Declaration& d) const {
    const bool is_enum = code_.is(i, "enum") && !code_.is(code_.next(i), "class");
    for (i = code_.next(i); i <= last; i = code_.next(i)) {
      if (code_.is(i, "(") && code_.partner(i) > i)
        i = code_.partner(i);
      else if (code_.word(i) && !among(kNoFunctions, code_[i].text) && !code_.is(i, "class"))
        break;
    }
    if (code_.word(i)) d.names.emplace_back(code_[i].text);
    for (; is_enum && i <= last; i = code_.next(i))
      if (code_.word(i) &&
          (code_.is(code_.next(i), ",") || code_.is(code_.next(i), "}") || code_.is(code_.next(i), "=")))
        d.names.emplace_back(code_[i].text);
  }

  void find_uses(int first, int last, Declaration& d) const {
    for (int i = first; i <= last; i = code_.next(i)) {
      if (!code_.word(i)) continue;
      const int before = code_.previous(i), after = code_.next(i);
      if (code_.is(before, ".") || code_.is(before, "->")) continue;
      const int scope = code_.is(before, "::") ? code_.previous(before) : -1;
      if (code_.is(scope, "std")) d.words.push_back("std::" + std::string(code_[i].text));
      if (code_.word(scope) && !code_.is(scope, "lockstep") && !code_.is(scope, "lab")) continue;
      const std::string word(code_[i].text);
      d.words.push_back(word);
      if (code_.is(after, "(") || code_.is(after, "<") || code_.is(after, "{")) d.calls.push_back(word);
    }
  }

  EditedText code_;
  DeclaredText all_;
};

}  // namespace

DeclaredText declarations_of(std::string_view text) { return Parser(text).run(); }

std::string without_qualifier(std::string_view text, std::string_view qualifier) {
  EditedText code(text);
  for (int i = 0; i < code.size(); ++i) {
    const int colons = code.next(i), name = code.next(colons);
    if (code.is(i, qualifier) && code.is(colons, "::") && code.word(name)) code.drop(i, name - 1);
  }
  return code.render().text;
}

}  // namespace lockstep
