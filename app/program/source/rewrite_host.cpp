// main(), and the names of allocated arrays.
#include <algorithm>

#include "rewriter.hpp"

namespace lockstep::reader {
namespace {

bool is_allocation(std::string_view word) {
  return is_one_of(word,
                   {"cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocPitch",
                    "cudaMalloc3D", "cudaMallocAsync", "cudaMallocFromPoolAsync", "cudaMallocArray"});
}

bool may_stand_before_value(std::string_view word) {
  return is_one_of(word, {"return", "else", "do", "case", "throw", "and", "or", "not", "co_return"});
}

// `d_in` of (void**)&d_in; "" of what is no address of a variable.
std::string variable_of(const Code& code, Range argument) {
  int i = argument.last;
  while (i > argument.first && !code.is(i, "&")) --i;
  if (!code.is(i, "&")) return "";
  int last = argument.last;
  while (last > i && code.is(last, ")")) --last;
  return last > i ? code.text({i + 1, last}) : "";
}

}  // namespace

void Rewriter::rewrite_main(const Code& code, int i) {
  if (!code.is(i + 1, "(") || code[i].scope != Scope::names) return;
  const int close = code.past_group(i + 1);
  int body = close + 1;
  if (code.is(body, "->")) body += 2;
  if (close == i + 1 || !(code.is(body, "{") || code.is(body, ";"))) return;
  int first = i;
  while (code.is_word(first - 1)) --first;
  // A declaration says nothing that the definition does not, and its file may be one of C's too.
  if (code.is(body, ";")) {
    for (int j = first; j < body; ++j) drop(code, j);
    return;
  }
  edits_.insert(code[first].begin, first == i ? "extern \"C\" int " : "extern \"C\" ");
  put(code, i, "lockstep_reader_main");
  if (code.is(i - 1, "void")) put(code, i - 1, "int");
  const bool empty = close == i + 2 || (close == i + 3 && code.is(i + 2, "void"));
  if (empty) {
    if (close == i + 3) drop(code, i + 2);
    edits_.insert(code[close].begin, "int, char**");
  }
  // Falling off its end is an end with 0 for main() alone.
  if (const int end = code.past_group(body); end > body) edits_.insert(code[end].begin, " return 0; ");
}

// (lockstep_named("d_in"), cudaMalloc(&d_in, bytes)): arrays are shown by their variable's name.
void Rewriter::rewrite_allocation(const Code& code, int i) {
  if (!is_allocation(code[i].text) || code[i].scope != Scope::function) return;
  int open = i + 1;
  if (code.is(open, "<")) open = code.close_angle(open) + 1;
  if (open <= 0 || !code.is(open, "(")) return;
  const CodeToken& before = code[i - 1];
  if (before.is(".") || before.is("->") || before.is("::") || before.is("~")) return;
  if (before.is_word() && !may_stand_before_value(before.text)) return;
  const int close = code.past_group(open);
  if (close == open) return;
  const std::vector<Range> arguments = code.list(open, close);
  const std::string variable = arguments.empty() ? "" : variable_of(code, arguments[0]);
  if (variable.empty() || variable.find_first_of("\"\\") != variable.npos) return;
  const std::string named = "lockstep_named(\"" + variable + "\")";
  const bool printed = std::any_of(calls_.begin(), calls_.end(),
                                   [&](std::string_view name) { return quoting_.contains(name); });
  if (!printed) {
    edits_.insert(code[i].begin, "(" + named + ", ");
    edits_.insert(code[close].end(), ")");
  } else if (code.is(i - 1, "(") && (code.is(i - 3, ";") || code.is(i - 3, "{") || code.is(i - 3, "}"))) {
    // A macro that prints its argument would print this, too: it goes in front of the statement.
    edits_.insert(code[i - 2].begin, named + "; ");
  }
}

}  // namespace lockstep::reader
