// __global__ functions, qualifiers, namespaces without a name.
#include <algorithm>

#include "rewriter.hpp"

namespace lockstep::reader {
namespace {

// Followed by ( and belonging to a declaration, not its name.
bool is_attribute_of_function(std::string_view word) {
  return is_one_of(word, {"__launch_bounds__", "__attribute__", "__align__", "alignas", "__cluster_dims__",
                          "__maxnreg__", "__block_size__", "__declspec", "decltype", "__attribute"});
}

bool is_type_word(std::string_view word) {
  return is_one_of(
      word, {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "const",
             "volatile", "auto", "__restrict__", "__restrict", "struct", "class", "typename"});
}

struct Signature {
  int name = -1, open = -1;
  bool is_void = false, returns_value = false, is_static = false;
  int static_token = -1, template_open = -1;
};

// The tokens behind __global__ up to the parameters.
bool read_forward(const Code& code, int i, Signature& found) {
  constexpr int kMost = 200;
  for (const int stop = i + kMost; i < stop && i < code.size(); ++i) {
    const CodeToken& token = code[i];
    if (token.is("*") || token.is("&")) {
      found.returns_value = true;
    } else if (token.is("[")) {
      i = code.past_group(i);
    } else if (token.is_word() && is_attribute_of_function(token.text)) {
      i = code.past_group(i + 1);
    } else if (token.is_word() && code.is(i + 1, "(")) {
      found.name = i, found.open = i + 1;
      return true;
    } else if (token.is_word() && code.is(i + 1, "<")) {
      const int close = code.close_angle(i + 1);
      if (close < 0) return false;
      if (code.is(close + 1, "(")) {
        found.name = i, found.open = close + 1;
        return true;
      }
      i = close;
    } else if (token.is_word()) {
      found.is_void |= token.text == "void";
      found.returns_value |=
          is_type_word(token.text) && !is_one_of(token.text, {"void", "const", "volatile"});
      if (token.text == "static") found.static_token = i;
    } else if (!token.is("::") && token.kind != TokenKind::text) {
      return false;
    }
  }
  return false;
}

void read_backward(const Code& code, int i, Signature& found) {
  for (; i >= 0; --i) {
    const CodeToken& token = code[i];
    if (token.is(")") && token.partner > 0 && is_attribute_of_function(code[token.partner - 1].text)) {
      i = token.partner - 1;
      continue;
    }
    if (token.kind == TokenKind::text && code.is(i - 1, "extern")) continue;
    if (!token.is_word()) break;
    found.is_void |= token.text == "void";
    if (token.text == "static") found.static_token = i;
    if (!is_one_of(token.text, {"static", "inline", "extern", "void", "const", "friend", "constexpr",
                                "__inline__", "__device__", "__host__", "__forceinline__", "__noinline__"}))
      break;
  }
  if (!code.is(i, ">")) return;
  const int open = code.open_angle(i);
  if (open > 0 && code.is(open - 1, "template")) found.template_open = open;
}

// Without its default.
Range without_default(const Code& code, Range range) {
  for (int i = range.first; i <= range.last; i = code.past_group(i) + 1)
    if (code.is(i, "=")) return {range.first, i - 1};
  return range;
}

// The token with a parameter's name, -1 where it has none.
int parameter_name(const Code& code, Range range) {
  for (int i = range.first; i + 2 <= range.last; ++i)
    if (code.is(i, "(") && (code.is(i + 1, "*") || code.is(i + 1, "&")))
      return code.is_word(i + 2) ? i + 2 : -1;
  int last = range.last;
  while (code.is(last, "]") && code[last].partner > range.first) last = code[last].partner - 1;
  if (!code.is_word(last) || last == range.first || is_type_word(code[last].text) || code.is(last - 1, "::"))
    return -1;
  for (int i = range.first; i < last; ++i)
    if (!is_one_of(code[i].text,
                   {"const", "volatile", "struct", "class", "enum", "typename", "__restrict__"}))
      return last;
  return -1;
}

std::string type_of(const Code& code, Range range, int name) {
  if (name < 0) return code.text(range);
  std::string type = code.text({range.first, name - 1});
  if (name < range.last) type += code.text({name + 1, range.last});
  return type;
}

bool is_variadic(const Code& code, Range range) {
  for (int i = range.first; i <= range.last; ++i)
    if (code.is(i, "...")) return true;
  return false;
}

}  // namespace

void Rewriter::rewrite_kernel(const Code& code, int global) {
  put(code, global, "__attribute__((noinline, used))");
  Signature found;
  read_backward(code, global - 1, found);
  if (!read_forward(code, global + 1, found)) return;
  if (found.static_token >= 0) put(code, found.static_token, "inline");
  const int close = code.past_group(found.open);
  if (close == found.open) return;
  const std::string name(code[found.name].text);
  kernel_names_.insert(code[found.name].begin);
  if (found.returns_value && !code.is_macro())
    refuse(code, found.name,
           {"the kernel {0} returns a value: a kernel is void and writes its results to memory", {name}});
  if (code[global].scope == Scope::type && !code.is_macro() && code.is(close + 1, "{"))
    refuse(code, found.name,
           {"the kernel {0} is a member of a class: a kernel stands outside of classes", {name}});

  std::vector<Range> parameters = code.list(found.open, close);
  if (parameters.size() == 1 && code.text(parameters[0]) == "void") parameters.clear();
  if (!code.is_macro()) {
    Kernel kernel;
    kernel.name = name, kernel.file = options_.file, kernel.line = code[found.name].line;
    // Parameters between #if and #endif may be there or not.
    for (const Directive& directive : code_.directives)
      kernel.variadic |= directive.begin > code[found.open].begin && directive.begin < code[close].begin;
    if (found.template_open >= 0) {
      const int end = code.close_angle(found.template_open);
      kernel.template_parameters = int(code.list(found.template_open, end).size());
      kernel.template_pack = is_variadic(code, {found.template_open, end});
    }
    for (const Range& range : parameters) {
      const Range declared = without_default(code, range);
      const int at = parameter_name(code, declared);
      kernel.variadic |= is_variadic(code, declared);
      kernel.required += declared.last == range.last;
      kernel.parameters.push_back({at < 0 ? "" : std::string(code[at].text), type_of(code, declared, at)});
    }
    out_.tables.kernels.push_back(std::move(kernel));
  }
}

void Rewriter::rewrite_qualifier(const Code& code, int i) {
  const std::string_view word = code[i].text;
  const bool in_attribute = code.is(i - 1, "(") || code.is(i - 1, ",");
  if (is_one_of(word, {"__host__", "__device__", "__constant__", "__managed__", "__grid_constant__",
                       "__nv_pure__", "__tile_global__"})) {
    drop(code, i);
  } else if (is_one_of(word, {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__"})) {
    for (int j = i; code.is(i + 1, "(") && j <= code.past_group(i + 1); ++j) drop(code, j);
  } else if (word == "__forceinline__" && !in_attribute) {
    put(code, i, "inline __attribute__((always_inline))");
  } else if (word == "__noinline__" && !in_attribute) {
    put(code, i, "__attribute__((noinline))");
  } else if (is_one_of(word, {"__align__", "__builtin_align__"}) && code.is(i + 1, "(")) {
    const int close = code.past_group(i + 1);
    if (close == i + 1 || is_dynamic_shared(code, i)) return;
    put(code, i, "__attribute__((aligned");
    edits_.insert(code[close].end(), "))");
  }
}

// What has no name is unknown to the linker, which finds the traced kernel for an untraced one.
void Rewriter::rewrite_unnamed_namespace(const Code& code, int i) {
  if (!code.is(i + 1, "{") || code.is(i - 1, "inline")) return;
  edits_.insert(code[i].begin, "inline ");
  edits_.insert(code[i].end(), " lockstep_unnamed");
}

}  // namespace lockstep::reader
