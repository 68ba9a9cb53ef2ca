// kernel<<<grid, block, shared, stream>>>(arguments).
#include <algorithm>

#include "rewriter.hpp"

namespace lockstep::reader {
namespace {

constexpr int kLongestLaunch = 4000;  // tokens

bool is_keyword_before_value(std::string_view word) {
  return is_one_of(word, {"return", "else", "do", "case", "throw", "if", "while", "for", "switch", "and",
                          "or", "not", "co_return", "co_yield", "sizeof"});
}

// Three in a row, of which two stand without a blank between them.
bool is_triple(const Code& code, int i, std::string_view bracket) {
  return code.is(i, bracket) && code.is(i + 1, bracket) && code.is(i + 2, bracket) &&
         !(code[i + 1].apart && code[i + 2].apart);
}

// The first > of the >>> that belongs to this <<<; -1 where there is none.
int close_of_launch(const Code& code, int open) {
  for (int i = open + 3; i < std::min(code.size(), open + kLongestLaunch); ++i) {
    if (is_triple(code, i, ">") && code.is(i + 3, "(")) return i;
    if (code.is(i, ";") || code.is(i, ")") || code.is(i, "]") || code.is(i, "}")) return -1;
    i = code.past_group(i);
  }
  return -1;
}

// The first token of what is launched: k, ns::k<int>, table[i], (*k), object.kernel; -1 where there is
// nothing.
int callee_before(const Code& code, int open) {
  int i = open - 1;
  for (;;) {
    if (code.is(i, ">")) {
      i = code.open_angle(i) - 1;
    } else {
      while (code.is(i, "]") || code.is(i, ")")) {
        const int bracket = code[i].partner;
        if (bracket < 0 || bracket > i) return -1;
        i = bracket - 1;
        const bool goes_on =
            (code.is_word(i) && !is_keyword_before_value(code[i].text)) || code.is(i, "]") || code.is(i, ")");
        if (!goes_on) return bracket;
      }
    }
    if (i < 0 || !code.is_word(i) || is_keyword_before_value(code[i].text)) return -1;
    if (code.is(i - 1, "template")) --i;
    if (code.is(i - 1, ".") || code.is(i - 1, "->")) {
      i -= 2;
    } else if (code.is(i - 1, "::")) {
      if ((!code.is_word(i - 2) && !code.is(i - 2, ">")) || is_keyword_before_value(code[i - 2].text))
        return i - 1;
      i -= 2;
    } else {
      return i;
    }
  }
}

// `tiled` of ns::tiled<32>; "" of table[i].
std::string_view last_name(const Code& code, Range callee, int* named_arguments) {
  int i = callee.last;
  *named_arguments = 0;
  if (code.is(i, ">")) {
    const int open = code.open_angle(i);
    if (open <= callee.first) return "";
    *named_arguments = int(code.list(open, i).size());
    i = open - 1;
  }
  return code.is_word(i) ? code[i].text : std::string_view();
}

}  // namespace

// Where clang must find out which instance of a template is meant.
bool Rewriter::is_deduced(const Code& code, Range callee) const {
  int given = 0;
  const std::string_view name = last_name(code, callee, &given);
  if (name.empty()) return false;
  if (code.is_macro() && (code.is_parameter(name) || code.is(callee.last - 1, "##"))) return true;
  const auto kernels = kernels_named(name);
  if (kernels.empty()) return given > 0;
  if (is_host_function(name)) return true;
  for (const Kernel* kernel : kernels) {
    if (kernel->template_pack || given < kernel->template_parameters) return true;
    if (kernel->required < int(kernel->parameters.size())) return true;
    if (kernel->parameters.size() != kernels[0]->parameters.size()) return true;
    for (std::size_t p = 0; p < kernel->parameters.size(); ++p)
      if (kernel->parameters[p].type != kernels[0]->parameters[p].type) return true;
  }
  return false;
}

void Rewriter::rewrite_launch(const Code& code, int open) {
  if (!is_triple(code, open, "<") || code.is(open - 1, "operator") || code.is(open - 1, "<")) return;
  const int first = callee_before(code, open);
  if (first < 0) return;
  const int close = close_of_launch(code, open);
  if (close < 0) {
    if (!code.is_macro() && code[open].scope == Scope::function)
      refuse(code, open, {"a launch begins here, and its >>> is missing", {}});
    return;
  }
  const Range callee{first, open - 1};
  const int arguments_open = close + 3, arguments_close = code.past_group(arguments_open);
  const std::vector<Range> config = code.list(open + 2, close);
  const std::vector<Range> arguments = code.list(arguments_open, arguments_close);

  std::string spelled;  // "d_in, d_out, n"
  if (arguments_close > arguments_open + 1) spelled = quoted(code, {arguments_open + 1, arguments_close - 1});
  const std::string macro = is_deduced(code, callee) ? "LOCKSTEP_LAUNCH_DEDUCED(" : "LOCKSTEP_LAUNCH(";
  edits_.insert(code[first].begin, macro + line_of(code, first) + ", " + quoted(code, callee) + ", " +
                                       (spelled.empty() ? "\"\"" : spelled) + ", (");
  put(code, open, "), (");
  drop(code, open + 1), drop(code, open + 2);
  put(code, close, "))");
  drop(code, close + 1), drop(code, close + 2);
  for (const Range& argument : arguments)
    if (argument.first == argument.last && code.is(argument.first, "NULL"))
      put(code, argument.first, "nullptr");

  LaunchSite site;
  site.file = options_.file, site.line = code[first].line, site.column = code[first].column;
  site.kernel = code.text(callee), site.in_macro = code.is_macro();
  std::string* const parts[] = {&site.grid, &site.block, &site.shared, &site.stream};
  for (std::size_t i = 0; i < std::min<std::size_t>(config.size(), 4); ++i) *parts[i] = code.text(config[i]);
  for (const Range& argument : arguments) site.arguments.push_back(code.text(argument));
  if (!code.is_macro()) {
    if (config.size() < 2 || config.size() > 4)
      refuse(code, open,
             {"a launch has two to four parts, <<<grid, block, shared bytes, stream>>>; this one has {0}",
              {std::to_string(config.size())}});
    check_launch(code, callee, site);
  }
  out_.tables.launches.push_back(std::move(site));
}

void Rewriter::check_launch(const Code& code, Range callee, const LaunchSite& site) {
  int ignored = 0;
  const auto kernels = kernels_named(last_name(code, callee, &ignored));
  if (kernels.empty()) return;
  for (const Kernel* kernel : kernels) {
    const int given = int(site.arguments.size());
    if (kernel->variadic || (given >= kernel->required && given <= int(kernel->parameters.size()))) return;
  }
  // The arguments may be a macro's, which stands for several.
  for (const std::string& argument : site.arguments)
    for (const Code& macro : code_.macros)
      if (argument.starts_with(macro.macro_name())) return;
  refuse(code, callee.last,
         {"the kernel {0} takes {1} arguments, and this launch gives it {2}",
          {kernels[0]->name, std::to_string(kernels[0]->parameters.size()),
           std::to_string(site.arguments.size())}});
}

// A function of the host that has a kernel's name.
bool Rewriter::is_host_function(std::string_view name) const {
  const Code& code = code_.code;
  for (int i = 0; i < code.size(); ++i)
    if (code[i].scope != Scope::function && code.is(i, name) && code.is(i + 1, "(") &&
        !kernel_names_.contains(code[i].begin))
      return true;
  return false;
}

// A parameter or local variable that has a kernel's name: `Access access,` or `auto access = ...`.
bool Rewriter::is_variable(std::string_view name) const {
  const Code& code = code_.code;
  for (int i = 1; i < code.size(); ++i) {
    if (!code.is(i, name) || is_keyword_before_value(code[i - 1].text)) continue;
    const bool typed =
        code.is_word(i - 1) || code.is(i - 1, "*") || code.is(i - 1, "&") || code.is(i - 1, ">");
    if (typed && is_one_of(code[i + 1].text, {",", ")", "=", ";", "{"})) return true;
  }
  return false;
}

// (void*)k<T>, reinterpret_cast<void*>(k): what the kernel's parameters are is asked for later, by its
// address.
void Rewriter::rewrite_kernel_address(const Code& code, int i) {
  if (kernels_named(code[i].text).empty()) return;
  int before = i - 1;
  if (code.is(before, "&")) --before;
  bool erased = false;
  if (code.is(before, ")")) {
    const int open = code[before].partner;
    const int type = code.is(open + 1, "const") ? open + 2 : open + 1;
    erased = code.is(type, "void") && code.is(type + 1, "*") && type + 2 == before;
  } else if (code.is(before, "(") && code.is(before - 1, ">")) {
    const int open = code.open_angle(before - 1);
    erased = open > 0 && code.is(open - 1, "reinterpret_cast");
  }
  const int angle = code.is(i + 1, "<") ? code.close_angle(i + 1) : -1;
  const int last = angle > 0 ? angle : i;
  if (!erased || code.is(last + 1, "(") || code.is(last + 1, "<")) return;
  if (code.is(i - 1, "&")) drop(code, i - 1);
  edits_.insert(code[i].begin, "lockstep_known(");
  edits_.insert(code[last].end(), ", " + quoted(code, {i, last}) + ")");
}

// A kernel that is called like a function.
void Rewriter::check_call(const Code& code, int i) {
  if (!code.is(i + 1, "(") || code[i].scope != Scope::function) return;
  const auto kernels = kernels_named(code[i].text);
  if (kernels.empty() || is_one_of(code[i - 1].text, {".", "->", "void"}) || code.is_word(i - 1)) return;
  if (code.is(i - 1, "*") || code.is(i - 1, "&") || code.is(i - 1, ">") || code.is(i - 1, "::")) return;
  if (is_host_function(code[i].text) || is_variable(code[i].text)) return;
  refuse(code, i,
         {"the kernel {0} is called like a function: a kernel is launched, {0}<<<grid, block>>>(...)",
          {std::string(code[i].text)}});
}

}  // namespace lockstep::reader
