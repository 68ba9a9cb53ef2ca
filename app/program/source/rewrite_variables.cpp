// Variables in shared memory and on the device.
#include <algorithm>

#include "rewriter.hpp"

namespace lockstep::reader {
namespace {

constexpr int kLongestDeclaration = 400;  // tokens in front of its name

bool is_attribute(std::string_view word) {
  return is_one_of(word,
                   {"__align__", "__builtin_align__", "alignas", "__attribute__", "__declspec", "decltype"});
}

bool is_storage(std::string_view word) {
  return is_one_of(word, {"static", "extern", "inline", "__shared__", "__device__", "__constant__",
                          "__managed__", "__host__"});
}

std::string literal_of(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

}  // namespace

Rewriter::Declared Rewriter::declaration_around(const Code& code, int i) const {
  Declared found;
  found.first = i;
  for (const int stop = std::max(0, i - kLongestDeclaration); found.first > stop;) {
    const CodeToken& before = code[found.first - 1];
    if (before.is(")") && before.partner > 0 && is_attribute(code[before.partner - 1].text))
      found.first = before.partner - 1;
    else if (before.is_word() || before.is("::") || before.is("*"))
      --found.first;
    else if (before.is(">") && code.open_angle(found.first - 1) > 0 &&
             !code.is(code.open_angle(found.first - 1) - 1, "template"))
      found.first = code.open_angle(found.first - 1);
    else
      break;
  }
  bool expects_name = true;
  int j = found.first;
  for (const int stop = i + 100 * kLongestDeclaration; j < std::min(code.size(), stop); ++j) {
    const CodeToken& token = code[j];
    if (token.is(";")) break;
    if (token.is(")") || token.is("]")) break;
    if (token.is_word() && is_attribute(token.text)) {
      j = code.past_group(j + 1);
      continue;
    }
    if (token.is("<") && expects_name && code.close_angle(j) > 0) {
      j = code.close_angle(j);
      continue;
    }
    if (token.is_word() && expects_name && !is_storage(token.text)) {
      const CodeToken& next = code[j + 1];
      if (next.is("[") || next.is("=") || next.is(",") || next.is(";") || next.kind == TokenKind::space ||
          (next.is("(") && !is_storage(token.text)) ||
          (next.is("{") && !is_one_of(code[j - 1].text, {"struct", "union", "class", "enum"}) &&
           !is_one_of(token.text, {"struct", "union", "class", "enum"}))) {
        if (next.is("(")) {
          found.function = found.names.empty();
          break;
        }
        if (found.name < 0) found.name = j;
        found.names.push_back(j);
        expects_name = false;
        found.initialised |= next.is("=") || next.is("{");
        continue;
      }
    }
    if (token.is("(") && expects_name && found.names.empty()) {  // operators, lambdas
      found.function = true;
      break;
    }
    if (token.is("=")) found.initialised = true;
    if (token.is(",")) expects_name = true;
    j = code.past_group(j);
  }
  found.end = j;
  return found;
}

void Rewriter::rewrite_shared(const Code& code, int i) {
  const Declared declared = declaration_around(code, i);
  if (code.is(declared.first - 1, "(") || declared.names.empty() || declared.function) {
    if (code.is_macro() && declared.names.empty() && !code.is(i + 1, ")"))
      return put(code, i, "static thread_local __attribute__((aligned(16)))");
    return drop(code, i);
  }
  if (!declared_.insert(code[declared.name].begin).second) return drop(code, i);
  for (int j = declared.first; j < declared.name; ++j)
    if (code.is(j, "extern")) return rewrite_dynamic_shared(code, i, declared);
  if (declared.initialised && !code.is_macro())
    refuse(code, declared.name,
           {"the shared variable {0} cannot have an initial value: let one thread write it, then "
            "__syncthreads()",
            {std::string(code[declared.name].text)}});
  std::string type;
  for (int j = declared.first; j < declared.name; ++j) {
    if (code.is(j, "static")) drop(code, j);
    if (code.is(j, "alignas"))
      put(code, j, "__attribute__((aligned"), edits_.insert(code[code.past_group(j + 1)].end(), "))");
    if (is_attribute(code[j].text) && code.is(j + 1, "(")) {
      j = code.past_group(j + 1);
    } else if (!is_storage(code[j].text)) {
      type += (type.empty() ? "" : " ") + std::string(code[j].text);
    }
  }
  if (code[i].scope != Scope::function)
    return put(code, i, "static thread_local __attribute__((aligned(16)))");
  // The pad behind it belongs to nobody: who runs over the end is found.
  const bool ends_here = code.is(declared.end, ";");
  const std::string_view first_name = code[declared.name].text;
  const std::string holder =
      (code.is_parameter(first_name) ? "lockstep_held_##" : "lockstep_held_") + std::string(first_name);
  put(code, i, "");
  edits_.insert(code[declared.first].begin, "static thread_local struct __attribute__((aligned(16))) {");
  std::string seen = std::string(ends_here ? "" : ";") + " char lockstep_pad[64]; } " + holder + ";";
  for (const int name : declared.names) {
    const std::string word(code[name].text);
    seen += " auto& " + word + " = " + holder + "." + word + "; LOCKSTEP_SHARED(" + line_of(code, name) +
            ", " + word + ", " + quoted(code, {name, name}) + ", " + literal_of(type) + ");";
  }
  if (!ends_here) seen.pop_back();  // the ; stands behind the macro
  edits_.insert(ends_here ? code[declared.end].end() : code[code.size() - 1].end(), seen);
}

bool Rewriter::is_dynamic_shared(const Code& code, int i) const {
  const Declared declared = declaration_around(code, i);
  bool is_extern = false, shared = false;
  for (int j = declared.first; j < declared.name; ++j)
    is_extern |= code.is(j, "extern"), shared |= code.is(j, "__shared__");
  return is_extern && shared;
}

// extern __shared__ T s[];
void Rewriter::rewrite_dynamic_shared(const Code& code, int, const Declared& declared) {
  const bool in_function = code[declared.name].scope == Scope::function;
  const std::string macro = in_function ? "LOCKSTEP_DYNAMIC_SHARED(" : "LOCKSTEP_DYNAMIC_SHARED_GLOBAL(";
  const auto begin = [&](int name) {
    return macro + line_of(code, name) + ", " + std::string(code[name].text) + ", ";
  };
  edits_.insert(code[declared.first].begin, begin(declared.name));
  Range type{declared.first, declared.name - 1};
  std::string type_text;
  for (int j = type.first; j <= type.last; ++j) {
    if (is_attribute(code[j].text) && code.is(j + 1, "(") && !code.is(j, "decltype")) {
      for (const int close = code.past_group(j + 1); j <= close; ++j) drop(code, j);
      --j;
    } else if (is_storage(code[j].text)) {
      drop(code, j);
    } else {
      type_text += std::string(code[j].text) + " ";
    }
  }
  const int end = code.is(declared.end, ";") ? declared.end : declared.end - 1;
  std::string close = ")";
  bool first_bracket = true;
  for (int j = declared.name; j <= end && !code.is(j, ";"); ++j) {
    if (j > declared.name &&
        std::find(declared.names.begin(), declared.names.end(), j) != declared.names.end()) {
      close += "; " + begin(j) + type_text + ")";
      first_bracket = true;
    }
    const bool rest_of_type = code.is(j, "[") && !first_bracket && code.past_group(j) > j;
    if (rest_of_type) {
      j = code.past_group(j);
      continue;
    }
    const int past = code.is(j, "[") ? code.past_group(j) : j;
    if (code.is(j, "[")) first_bracket = false;
    for (; j <= past; ++j) drop(code, j);
    --j;
  }
  edits_.insert(code.is(declared.end, ";") ? code[declared.end].begin : code[code.size() - 1].end(), close);
}

void Rewriter::rewrite_variable(const Code& code, int i) {
  if (code[i].scope != Scope::names || code.is_macro()) return;
  const Declared declared = declaration_around(code, i);
  if (declared.function || declared.names.empty() || !code.is(declared.end, ";")) return;
  if (!declared_.insert(code[declared.name].begin).second) return;
  bool is_extern = false, is_const = false, is_constexpr = false, is_pointer = false;
  std::string kind = "device";
  for (int j = declared.first; j < declared.name; ++j) {
    const std::string_view word = code[j].text;
    is_extern |= word == "extern", is_const |= word == "const", is_constexpr |= word == "constexpr";
    is_pointer |= word == "*";
    if (word == "static") drop(code, j);
    if (word == "__constant__") kind = "constant";
    if (word == "__managed__") kind = "managed";
    if (word == "__shared__") return;
  }
  if (code.is(declared.first - 1, ">")) return;  // a template's
  if (is_constexpr || (is_extern && !declared.initialised)) return;
  if (is_const && !is_extern && !is_pointer) edits_.insert(code[declared.first].begin, "extern ");
  std::string seen;
  for (const int name : declared.names)
    seen += " LOCKSTEP_VARIABLE(" + std::to_string(code[name].line) + ", " + std::string(code[name].text) +
            ", \"" + std::string(code[name].text) + "\", " + kind + ")";
  edits_.insert(code[declared.end].end(), seen);
}

}  // namespace lockstep::reader
