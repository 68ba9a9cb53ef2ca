#include "rewrite.hpp"

#include <algorithm>
#include <cctype>

#include "rewriter.hpp"

namespace lockstep::reader {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

static void replace_includes(std::string_view text, const RewriteOptions& options, TextEdits& edits) {
  for (const SourceInclude& include : includes_of(text))
    if (const auto by = options.includes.find(include.begin); by != options.includes.end())
      edits.replace(include.begin, include.end - include.begin, by->second);
}

void SourceTables::add(const SourceTables& more) {
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(kernels, more.kernels);
  append(launches, more.launches);
  append(hints, more.hints);
  append(quoting_macros, more.quoting_macros);
  append(launching_macros, more.launching_macros);
}

Rewriter::Rewriter(std::string_view text, const RewriteOptions& options)
    : text_(text), options_(options), code_(read_code(text)), edits_(text) {
  quoting_ = {"checkCudaErrors", "getLastCudaError", "assert"};
  if (!options.known) return;
  quoting_.insert(options.known->quoting_macros.begin(), options.known->quoting_macros.end());
  launching_.insert(options.known->launching_macros.begin(), options.known->launching_macros.end());
}

Rewritten Rewriter::run() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) edits_.replace(0, kByteOrderMark.size(), "");
  read_macros();
  note_hints();
  rewrite_includes();
  // Launches want to know all kernels, those of macros may stand before them.
  for (int i = 0; i < code_.code.size(); ++i)
    if (code_.code.is(i, "__global__")) rewrite_kernel(code_.code, i);
  rewrite_code(code_.code);
  for (const Code& macro : code_.macros) {
    for (int i = 0; i < macro.size(); ++i)
      if (macro.is(i, "__global__")) rewrite_kernel(macro, i);
    rewrite_code(macro);
  }
  TextEdits::Edited edited = edits_.apply();
  out_.text = std::move(edited.text), out_.columns = std::move(edited.columns);
  std::stable_sort(out_.refused.begin(), out_.refused.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
  return std::move(out_);
}

void Rewriter::rewrite_code(const Code& code) {
  calls_.clear();
  for (int i = 0; i < code.size(); ++i) {
    const CodeToken& token = code[i];
    if (token.is("(")) calls_.push_back(code[i - 1].text);
    if (token.is(")") && !calls_.empty()) calls_.pop_back();
    if (token.is("<") && code.is(i + 1, "<") && code.is(i + 2, "<")) rewrite_launch(code, i);
    if (!token.is_word()) continue;
    if (token.text == "__shared__") rewrite_shared(code, i);
    if (is_one_of(token.text, {"__constant__", "__device__", "__managed__"})) rewrite_variable(code, i);
    if (token.text.starts_with("__")) rewrite_qualifier(code, i);
    if (token.text == "namespace") rewrite_unnamed_namespace(code, i);
    if (is_one_of(token.text, {"asm", "__asm__", "__asm"})) rewrite_asm(code, i);
    // A launch does not know what type its arguments should have.
    if (token.text == "NULL" && !calls_.empty() && launching_.contains(calls_.back()) &&
        (code.is(i + 1, ")") || code.is(i + 1, ",")))
      put(code, i, "nullptr");
    // A variable of the linker's, so that both libraries have the same one.
    if (token.text == "texture" && code.is(i + 1, "<") && code.is(i - 1, "static"))
      put(code, i - 1, "inline");
    if (code.is_macro()) continue;
    if (token.text == "main") rewrite_main(code, i);
    rewrite_allocation(code, i);
    check_call(code, i);
    rewrite_kernel_address(code, i);
  }
}

void Rewriter::read_macros() {
  for (const Code& macro : code_.macros) {
    bool quotes = false, launches = false;
    for (int i = 0; i + 1 < macro.size(); ++i) {
      quotes |= macro.is(i, "#") && macro.is_parameter(macro[i + 1].text);
      launches |= macro.is(i, "<") && macro.is(i + 1, "<") && macro.is(i + 2, "<");
    }
    const std::string name(macro.macro_name());
    if (quotes && quoting_.insert(name).second) out_.tables.quoting_macros.push_back(name);
    if (launches && launching_.insert(name).second) out_.tables.launching_macros.push_back(name);
  }
}

// // lockstep: in[n][n], out[m]
void Rewriter::note_hints() {
  constexpr std::string_view kMark = "lockstep:";
  for (const Directive& comment : code_.comments) {
    std::string_view said = comment.text.substr(2);
    said.remove_prefix(std::min(said.find_first_not_of(" \t"), said.size()));
    if (!said.starts_with(kMark)) continue;
    const CodeText parts = read_code(said.substr(kMark.size()));
    for (int i = 0; i < parts.code.size(); ++i) {
      if (!parts.code.is_word(i) || !parts.code.is(i + 1, "[")) continue;
      ShapeHint hint{options_.file, comment.line, std::string(parts.code[i].text), {}};
      for (; parts.code.is(i + 1, "[") && parts.code[i + 1].partner > i; i = parts.code[i + 1].partner)
        hint.extents.push_back(parts.code.text({i + 2, parts.code[i + 1].partner - 1}));
      if (!hint.extents.empty()) out_.tables.hints.push_back(std::move(hint));
    }
  }
}

void Rewriter::rewrite_includes() { replace_includes(text_, options_, edits_); }

std::vector<const Kernel*> Rewriter::kernels_named(std::string_view name) const {
  std::vector<const Kernel*> all;
  const auto look = [&](const SourceTables& tables) {
    for (const Kernel& kernel : tables.kernels)
      if (kernel.name == name) all.push_back(&kernel);
  };
  if (options_.known) look(*options_.known);
  look(out_.tables);
  return all;
}

std::string Rewriter::quoted(const Code& code, Range range) const {
  if (range.first == range.last && code.is_macro() && code.is_parameter(code[range.first].text))
    return "#" + std::string(code[range.first].text);
  std::string literal = "\"";
  for (const char c : code.text(range)) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  }
  return literal + "\"";
}

std::string Rewriter::line_of(const Code& code, int i) const {
  return code.is_macro() ? "__LINE__" : std::to_string(code[i].line);
}

void Rewriter::refuse(const Code& code, int i, Message message) {
  Diagnostic one;
  one.file = options_.file, one.line = code[i].line, one.column = code[i].column;
  one.message = std::move(message);
  out_.refused.push_back(std::move(one));
}

Rewritten rewrite(std::string_view text, const RewriteOptions& options) {
  return Rewriter(text, options).run();
}

Rewritten rewrite_includes(std::string_view text, const RewriteOptions& options) {
  TextEdits edits(text);
  replace_includes(text, options, edits);
  TextEdits::Edited edited = edits.apply();
  Rewritten out;
  out.text = std::move(edited.text), out.columns = std::move(edited.columns);
  return out;
}

std::vector<SourceInclude> includes_of(std::string_view text) {
  std::vector<SourceInclude> all;
  for (const Directive& directive : read_code(text).directives) {
    std::size_t at = directive.text.find_first_not_of(" \t", 1);
    if (at == directive.text.npos) continue;
    const std::size_t word_end =
        std::min(directive.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at), directive.text.size());
    const std::string_view word = directive.text.substr(at, word_end - at);
    if (!is_one_of(word, {"include", "import", "include_next", "embed"})) continue;
    at = directive.text.find_first_not_of(" \t", word_end);
    if (at == directive.text.npos) continue;
    const char open = directive.text[at];
    if (open != '"' && open != '<') continue;
    const std::size_t end = directive.text.find_first_of(open == '"' ? "\"\n" : ">\n", at + 1);
    if (end == directive.text.npos || directive.text[end] == '\n') continue;
    SourceInclude include;
    include.line = directive.line, include.column = directive.column + int(at);
    include.name = directive.text.substr(at + 1, end - at - 1);
    include.quoted = open == '"', include.embeds = word == "embed";
    include.begin = directive.begin + at, include.end = directive.begin + end + 1;
    all.push_back(std::move(include));
  }
  return all;
}

}  // namespace lockstep::reader
