#include "settled.hpp"

#include <optional>
#include <vector>

#include "edited_text.hpp"

namespace lockstep {
namespace {

class Settler {
 public:
  Settler(std::string_view text, std::string_view name, std::string_view value)
      : code_(text), name_(name), value_('"' + std::string(value) + '"') {}

  std::string run() {
    for (int i = 0; i < code_.size(); ++i) {
      if (code_.is(i, "if") && code_.is(code_.next(i), "(")) settle_if(i);
      if (code_.is(i, "?")) settle_choice(i);
    }
    return code_.render().text;
  }

 private:
  bool opens(int i) const {
    return (code_.is(i, "(") || code_.is(i, "[") || code_.is(i, "{")) && code_.partner(i) > i;
  }

  // The condition's parts between these signs at no depth of brackets.
  std::vector<EditedText::Range> parts(EditedText::Range condition, std::string_view sign) const {
    std::vector<EditedText::Range> all;
    int first = condition.first, last = first;
    for (int i = first; i <= condition.second; i = code_.next(i)) {
      if (code_.is(i, sign)) {
        all.push_back({first, last});
        first = code_.next(i);
      }
      if (opens(i)) i = code_.partner(i);
      last = i;
    }
    all.push_back({first, last});
    return all;
  }

  // Whether a condition holds; nothing where that hangs on more than the name.
  std::optional<bool> known(EditedText::Range condition) const {
    for (const std::string_view sign : {"||", "&&"})
      if (const auto all = parts(condition, sign); all.size() > 1) return joined(all, sign == "||");
    const auto [first, last] = condition;
    if (code_.is(first, "(") && code_.partner(first) == last)
      return known({code_.next(first), code_.previous(last)});
    const int sign = code_.next(first), text = code_.next(sign);
    const bool same = code_.is(sign, "==");
    if (text != last || !code_.is(first, name_) || !(same || code_.is(sign, "!="))) return {};
    if (code_[text].kind != TokenKind::text) return {};
    return (code_[text].text == value_) == same;
  }
  // One part may decide, as a true one does for ||.
  std::optional<bool> joined(const std::vector<EditedText::Range>& parts, bool decides) const {
    bool all_known = true;
    for (const auto& part : parts) {
      const auto holds = known(part);
      if (holds == decides) return decides;
      all_known &= holds.has_value();
    }
    return all_known ? std::optional(!decides) : std::nullopt;
  }

  // The last token of the statement that begins at i, -1 where it has none.
  int statement_end(int i) const {
    if (opens(i)) return code_.is(i, "{") ? code_.partner(i) : -1;
    const bool is_if = code_.is(i, "if");
    if (is_if || code_.is(i, "for") || code_.is(i, "while")) {
      const int open = code_.next(i);
      if (!opens(open)) return -1;
      const int end = statement_end(code_.next(code_.partner(open))), after = code_.next(end);
      return end >= 0 && is_if && code_.is(after, "else") ? statement_end(code_.next(after)) : end;
    }
    for (; i < code_.size(); i = code_.next(i)) {
      if (code_.is(i, ";")) return i;
      if (opens(i)) i = code_.partner(i);
    }
    return -1;
  }

  void settle_if(int i) {
    const int open = code_.next(i), close = code_.partner(open);
    if (close < open) return;
    const auto holds = known({code_.next(open), code_.previous(close)});
    const int body = code_.next(close), end = statement_end(body);
    if (!holds || end < 0) return;
    const int other = code_.next(end);
    const bool has_other = code_.is(other, "else");
    const int kept = !*holds && has_other ? code_.next(other) : body;
    if ((*holds || has_other) && code_.is(kept, "{")) return;  // a block without a head reads badly
    if (*holds) {
      if (has_other) code_.drop(other, statement_end(code_.next(other)));
      return code_.drop(i, body - 1);
    }
    if (has_other) return code_.drop(i, kept - 1);
    code_.drop(code_.is(code_.previous(i), "else") ? code_.previous(i) : i, end);
  }

  // a ? b : c
  void settle_choice(int question) {
    int first = question;
    for (int i = code_.previous(question); i >= 0 && !begins_expression(i); i = code_.previous(i)) {
      if ((code_.is(i, ")") || code_.is(i, "]") || code_.is(i, "}")) && code_.partner(i) >= 0)
        i = code_.partner(i);
      first = i;
    }
    const auto holds = first < question ? known({first, code_.previous(question)}) : std::nullopt;
    const int colon = branch_end(code_.next(question)), other = code_.next(colon);
    if (!holds || !code_.is(colon, ":")) return;
    if (!*holds) return code_.drop(first, other - 1);
    code_.drop(code_.previous(colon) + 1, code_.previous(branch_end(other)));
    code_.drop(first, code_.next(question) - 1);
  }
  bool begins_expression(int i) const {
    for (const std::string_view sign : {"return", "=", "(", ",", "?", ":", "{", "[", ";"})
      if (code_.is(i, sign)) return true;
    return false;
  }
  // What follows a branch of a choice: its colon, or the end of it all.
  int branch_end(int i) const {
    int choices = 0;
    for (; i < code_.size(); i = code_.next(i)) {
      if (opens(i))
        i = code_.partner(i);
      else if (code_.is(i, "?"))
        ++choices;
      else if (code_.is(i, ":") && choices-- == 0)
        return i;
      else if (code_.is(i, ";") || code_.is(i, ",") || code_.is(i, ")") || code_.is(i, "]") ||
               code_.is(i, "}"))
        return i;
    }
    return i;
  }

  EditedText code_;
  std::string_view name_;
  std::string value_;
};

}  // namespace

std::string settled(std::string_view text, std::string_view name, std::string_view value) {
  return Settler(text, name, value).run();
}

}  // namespace lockstep
