#include "notes.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace lockstep {
namespace {

constexpr std::array<std::string_view, 5> kNotes{"begin_step", "show", "show_if", "LAB_ITERATION",
                                                 "arithmetic"};

// A function of a kernel's own that does nothing but show: show_rows<16>(...).
bool shows(const EditedText& code, int i) {
  return code.word(i) && code[i].text.starts_with("show_") && code[i].text != "show_if";
}

// The ( of a note's call; -1 where there is none.
int note_call(const EditedText& code, int i) {
  if (!code.word(i)) return -1;
  int open = code.next(i);
  if (shows(code, i)) {
    if (code.is(open, "<") && code.close_angle(open) > 0) open = code.next(code.close_angle(open));
    if (code.is(code.previous(i), "void")) return -1;
  } else if (std::find(kNotes.begin(), kNotes.end(), code[i].text) == kNotes.end()) {
    return -1;
  }
  return code.is(open, "(") && code.partner(open) > 0 ? open : -1;
}
bool is_note(const EditedText& code, int i) { return note_call(code, i) >= 0; }

// The head of a control statement, if `close` is its last parenthesis: the index of `for`, `if`, `while`;
// else -1.
int control_head(const EditedText& code, int close) {
  if (!code.is(close, ")") || code.partner(close) < 0) return -1;
  int head = code.previous(code.partner(close));
  if (code.is(head, "constexpr")) head = code.previous(head);
  return code.is(head, "for") || code.is(head, "if") || code.is(head, "while") ? head : -1;
}

// A token before which a statement may begin.
bool ends_statement(const EditedText& code, int i) {
  if (i < 0 || code.is(i, ";") || code.is(i, "{") || code.is(i, "else") || code.is(i, "do")) return true;
  if (code[i].kind == TokenKind::directive) return true;
  if (code.is(i, "}")) {  // of a block; not of an initialiser or a lambda, which go on
    const int after = code.next(i);
    return !(code.is(after, ",") || code.is(after, ")") || code.is(after, ";"));
  }
  return control_head(code, i) >= 0;
}

// The first token of the statement that holds token i, at the same depth of brackets.
int statement_begin(const EditedText& code, int i) {
  for (;;) {
    const int before = code.previous(i);
    if (ends_statement(code, before)) return i;
    const bool closes = code.is(before, ")") || code.is(before, "]") || code.is(before, "}");
    if (code.is(before, "(") || code.is(before, "[")) return i;
    i = closes && code.partner(before) >= 0 ? code.partner(before) : before;
  }
}

// The ; that ends it, or -1.
int statement_end(const EditedText& code, int i) {
  for (; i < code.size(); i = code.next(i)) {
    if (code.is(i, ";")) return i;
    if (code.is(i, ")") || code.is(i, "]") || code.is(i, "}")) return -1;
    if ((code.is(i, "(") || code.is(i, "[") || code.is(i, "{")) && code.partner(i) > i) i = code.partner(i);
  }
  return -1;
}

class Notes {
 public:
  explicit Notes(EditedText& code) : code_(code) {}
  void run() {
    for (int i = 0; i < code_.size(); ++i)
      if (shows(code_, i) && code_.is(code_.previous(i), "void")) drop_function(i);
    for (int i = 0; i < code_.size(); ++i)
      if (is_note(code_, i)) drop_note(i);
    while (!unused_.empty()) {
      const std::string name = *unused_.begin();
      unused_.erase(unused_.begin());
      for (int i = 0; i < code_.size(); ++i)
        if (is_declarator(i, name)) drop_if_unused(i, name);
    }
  }

 private:
  // Remembers the words of what is dropped: variables among them may have served nothing else.
  void drop(int first, int last) {
    for (int i = first; i <= last; ++i)
      if (code_.word(i)) unused_.insert(std::string(code_[i].text));
    code_.drop(first, last);
    const int behind = last + 1;
    if (behind < code_.size() && code_[behind].kind == TokenKind::space) code_.drop(behind);
  }

  // The definition whose name stands at i, with the lines of comment above it.
  void drop_function(int i) {
    const int open = code_.next(i), body = code_.is(open, "(") ? code_.next(code_.partner(open)) : -1;
    if (!code_.is(body, "{") || code_.partner(body) < 0) return;
    int begin = statement_begin(code_, i);
    while (begin >= 2 && code_[begin - 1].kind == TokenKind::newline &&
           code_[begin - 2].kind == TokenKind::comment)
      begin -= 2;
    drop(begin, code_.partner(body));
  }

  void drop_note(int i) {
    const int begin = statement_begin(code_, i), end = statement_end(code_, begin);
    if (end < 0) return;
    for (const auto& element : code_.arguments(code_.previous(begin), end))
      if (is_note(code_, element.first) && code_.partner(note_call(code_, element.first)) == element.second)
        drop_element(element, begin, end);
  }

  // One of the elements that commas part in the statement [begin, end].
  void drop_element(EditedText::Range element, int begin, int end) {
    const bool alone = element.first == begin && code_.next(element.second) == end;
    if (alone) return drop_statement(begin, end);
    for (int i = element.first; i <= element.second; ++i)
      if (code_.word(i)) unused_.insert(std::string(code_[i].text));
    code_.drop_from_list(element);
    const int left = code_.next(code_.previous(begin));  // nothing is left once all elements went one by one
    if (left == end) drop_statement(end, end);
  }

  // What now has no body goes with it: a loop, a condition, a block, a call with a lambda.
  void drop_statement(int begin, int end) {
    const int before = code_.previous(begin), after = code_.next(end);
    drop(begin, end);
    if (const int head = control_head(code_, before); head >= 0) return drop_control(head, before);
    if (code_.is(before, "else")) return code_.drop(before);
    if (!code_.is(before, "{") || !code_.is(after, "}")) return;
    const int owner = code_.previous(before);
    if (const int head = control_head(code_, owner); head >= 0) {
      drop(before, after);
      return drop_control(head, owner);
    }
    if (const int call = call_with_lambda(before); call >= 0)
      drop_statement(call, statement_end(code_, call));
  }
  void drop_control(int head, int close) {
    if (code_.is(code_.next(close), "else")) return code_.put_after(close, " {}");
    drop_statement(head, close);
  }

  // The expression statement f(.., [..](..) {}, ..) whose lambda's body opens here, else -1.
  int call_with_lambda(int body) const {
    const int close = code_.previous(body);
    if (!code_.is(close, ")") || code_.partner(close) < 0) return -1;
    if (!code_.is(code_.previous(code_.partner(close)), "]")) return -1;
    int begin = statement_begin(code_, code_.partner(close));
    const int open = code_.previous(begin);
    if (!code_.is(open, "(")) return -1;
    begin = statement_begin(code_, open);
    return code_.word(begin) && code_.next(begin) == open && statement_end(code_, begin) > 0 ? begin : -1;
  }

  // --- variables that only notes have used

  bool names(int i, const std::string& name) const {
    if (!code_.word(i) || code_[i].text != name) return false;
    const int before = code_.previous(i);
    return !code_.is(before, ".") && !code_.is(before, "->") && !code_.is(before, "::");
  }
  // `const int a = 1, name = 2;`: name, within a statement that begins with a type.
  bool is_declarator(int i, const std::string& name) const {
    if (!names(i, name) || !code_.is(code_.next(i), "=")) return false;
    const int begin = declaration_begin(i);
    return begin >= 0 && begin < i;
  }
  int declaration_begin(int i) const {
    int begin = statement_begin(code_, i);
    static constexpr std::array<std::string_view, 7> kTypes{"const", "int",  "unsigned", "float",
                                                            "bool",  "auto", "long"};
    if (!code_.word(begin)) return -1;
    return std::find(kTypes.begin(), kTypes.end(), code_[begin].text) != kTypes.end() ? begin : -1;
  }

  // What the variable is known in: to the end of its block, or of the loop whose head declares it.
  int scope_end(int begin) const {
    int open = code_.previous(begin);
    int depth_end = code_.size();
    if (code_.is(open, "(")) {
      const int body = code_.next(code_.partner(open));
      return code_.is(body, "{") ? code_.partner(body) : body_end(body);
    }
    for (int i = begin; i < code_.size(); i = code_.next(i)) {
      if (code_.is(i, "}")) return i;
      if ((code_.is(i, "(") || code_.is(i, "[") || code_.is(i, "{")) && code_.partner(i) > i)
        i = code_.partner(i);
    }
    return depth_end;
  }
  // Of a statement without braces, loops in loops included.
  int body_end(int i) const {
    while (code_.is(i, "for") || code_.is(i, "if") || code_.is(i, "while")) {
      int open = code_.next(i);
      if (code_.is(open, "constexpr")) open = code_.next(open);
      if (!code_.is(open, "(") || code_.partner(open) < 0) break;
      i = code_.next(code_.partner(open));
    }
    if (code_.is(i, "{") && code_.partner(i) > i) return code_.partner(i);
    const int end = statement_end(code_, i);
    return end < 0 ? code_.size() : end;
  }

  // ++name, name++, name += x as a whole element of a list or statement; nothing where it is anything else.
  EditedText::Range update_at(int i) const {
    int first = i, last = i;
    const int before = code_.previous(i), after = code_.next(i);
    if (code_.is(before, "++") || code_.is(before, "--"))
      first = before;
    else if (code_.is(after, "++") || code_.is(after, "--"))
      last = after;
    else if (code_.is(after, "+=") || code_.is(after, "-=")) {
      for (int j = code_.next(after); j < code_.size(); j = code_.next(j)) {
        if (code_.is(j, ",") || code_.is(j, ";") || code_.is(j, ")")) break;
        if ((code_.is(j, "(") || code_.is(j, "[")) && code_.partner(j) > j) j = code_.partner(j);
        last = j;
      }
    } else
      return {-1, -1};
    const int left = code_.previous(first), right = code_.next(last);
    const bool begins =
        code_.is(left, ",") || code_.is(left, ";") || code_.is(left, "{") || code_.is(left, "}");
    const bool ends = code_.is(right, ",") || code_.is(right, ";") || code_.is(right, ")");
    return begins && ends ? EditedText::Range{first, last} : EditedText::Range{-1, -1};
  }

  void drop_if_unused(int i, const std::string& name) {
    const int begin = declaration_begin(i), end = scope_end(begin);
    std::vector<EditedText::Range> updates;
    for (int j = code_.next(i); j < end; j = code_.next(j)) {
      if (!names(j, name)) continue;
      const auto update = update_at(j);
      if (update.first < 0) return;
      updates.push_back(update);
    }
    const auto declarator = declarator_at(i);
    if (has_effect(declarator)) return updates.empty() ? drop_name(declarator, begin) : void();
    for (const auto& update : updates) drop_update(update);
    drop_declarator(declarator, begin);
  }
  EditedText::Range declarator_at(int i) const {
    int last = i;
    for (int j = code_.next(i); j < code_.size(); j = code_.next(j)) {
      if (code_.is(j, ",") || code_.is(j, ";")) break;
      if ((code_.is(j, "(") || code_.is(j, "[") || code_.is(j, "{")) && code_.partner(j) > j)
        j = code_.partner(j);
      last = j;
    }
    return {i, last};
  }
  // It assigns, or calls a function that is not known to give its result alone.
  bool has_effect(EditedText::Range declarator) const {
    static constexpr std::array<std::string_view, 8> kPure{"ceil_div", "min",   "max",      "fmaxf",
                                                           "int",      "float", "unsigned", "bool"};
    for (int i = code_.next(code_.next(declarator.first)); i <= declarator.second; i = code_.next(i)) {
      for (const std::string_view effect : {"=", "++", "--", "+=", "-=", "*="})
        if (code_.is(i, effect)) return true;
      const int after = code_.next(i);
      const bool call =
          code_.word(i) && (code_.is(after, "(") || (code_.is(after, "<") && code_.close_angle(after) > 0));
      if (call && std::find(kPure.begin(), kPure.end(), code_[i].text) == kPure.end()) return true;
    }
    return false;
  }
  // const int name = f(x);: f(x);
  void drop_name(EditedText::Range declarator, int begin) {
    const bool alone = code_.is(code_.next(declarator.second), ";") &&
                       !code_.is(code_.previous(begin), "(") &&
                       !code_.is(code_.previous(declarator.first), ",");
    if (alone) drop(begin, code_.next(declarator.first));
  }
  void drop_update(EditedText::Range update) {
    note_words(update);
    if (code_.is(code_.previous(update.first), ",") || code_.is(code_.next(update.second), ","))
      return code_.drop_from_list(update);
    if (code_.is(code_.next(update.second), ")")) return code_.drop(update.first, update.second);
    drop_statement(update.first, code_.next(update.second));
  }
  void drop_declarator(EditedText::Range declarator, int begin) {
    note_words(declarator);
    const int before = code_.previous(declarator.first), after = code_.next(declarator.second);
    if (code_.is(before, ",") || code_.is(after, ",")) return code_.drop_from_list(declarator);
    if (code_.is(code_.previous(begin), "(")) return code_.drop(begin, declarator.second);
    drop_statement(begin, after);
  }
  void note_words(EditedText::Range range) {
    for (int i = range.first; i <= range.second; ++i)
      if (code_.word(i)) unused_.insert(std::string(code_[i].text));
  }

  EditedText& code_;
  std::set<std::string> unused_;
};

}  // namespace

void drop_notes(EditedText& code) { Notes(code).run(); }

}  // namespace lockstep
