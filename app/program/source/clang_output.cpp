#include "clang_output.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace lockstep::reader {
namespace {

constexpr const char* kLaunchDoesNotFit = N_("the arguments of this launch do not fit the kernel {0}");

struct Said {
  std::string file;
  int line = 0, column = 0;
  std::string kind, text;  // "error", "note", "warning"
};

int number_before(std::string_view text, std::size_t& end) {
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  int value = -1;
  if (begin < end) std::from_chars(text.data() + begin, text.data() + end, value);
  end = begin;
  return value;
}

// name:line:column: error: text
std::optional<Said> read_line(std::string_view line) {
  for (const std::string_view kind : {": fatal error: ", ": error: ", ": warning: ", ": note: "}) {
    const std::size_t at = line.find(kind);
    if (at == line.npos) continue;
    Said said;
    said.kind = kind.find("error") != kind.npos ? "error" : std::string(kind.substr(2, kind.size() - 4));
    said.text = line.substr(at + kind.size());
    std::size_t end = at;
    const int column = number_before(line, end);
    if (column >= 0 && end > 0 && line[end - 1] == ':') {
      --end;
      const int first = number_before(line, end);
      if (first >= 0 && end > 0 && line[end - 1] == ':')
        said.line = first, said.column = column, --end;
      else
        said.line = column;
    }
    said.file = line.substr(0, end);
    return said;
  }
  return {};
}

// The words between the n-th pair of ' quotes.
std::string quoted_part(std::string_view text, int n = 0) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != text.npos;) {
    const std::size_t end = text.find('\'', at + 1);
    if (end == text.npos) return "";
    if (n-- == 0) return std::string(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return "";
}

bool is_cuda_name(std::string_view name) {
  for (const std::string_view prefix :
       {"cuda", "cublas", "curand", "cufft", "cusparse", "cusolver", "cudnn", "nccl", "nv", "tex", "surf",
        "wmma", "thrust", "cub", "cooperative_groups", "cg"})
    if (name.starts_with(prefix)) return true;
  return name.starts_with("__") ||
         (name.starts_with("cu") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z') ||
         (name.starts_with("CU") && name.size() > 3);
}

bool starts(std::string_view text, std::string_view with) { return text.starts_with(with); }

// Which clang offers for anything that is near to one.
bool is_keyword(std::string_view word) {
  for (const std::string_view keyword :
       {"using", "int",   "asm",    "this",   "for",    "if",    "do",     "new",    "try", "char", "long",
        "void",  "float", "double", "sizeof", "return", "union", "static", "signed", "and", "or"})
    if (word == keyword) return true;
  return false;
}

// Names that nothing declares.
Message unknown_name(std::string_view text) {
  const std::string first = quoted_part(text), second = quoted_part(text, 1);
  const auto has = [&](std::string_view words) { return text.find(words) != text.npos; };
  constexpr std::string_view kAsm = "lockstep_asm_";
  if (first.starts_with(kAsm)) {
    std::string instruction = first.substr(kAsm.size());
    std::replace(instruction.begin(), instruction.end(), '_', '.');
    return {"not supported here: the PTX instruction {0}", {instruction}};
  }
  if (has("did you mean") && !is_keyword(second))
    return {"{0} is not known here; did you mean {1}?", {first, second}};
  if (is_cuda_name(first)) return {"not supported here: {0}", {first}};
  if (!second.empty() && is_cuda_name(second)) return {"not supported here: {0}", {second + "::" + first}};
  if (has("no member named")) return {"{1} has no member {0}", {first, second}};
  return {"{0} is not declared", {first}};
}

Message missing_mark(std::string_view text) {
  if (starts(text, "expected ';'")) return {"a ; is missing", {}};
  if (starts(text, "expected expression")) return {"a value is missing here", {}};
  if (starts(text, "expected unqualified-id"))
    return {"something does not belong here; is a { or a ; missing above?", {}};
  return {"a {0} is missing", {quoted_part(text)}};
}

Message call_that_does_not_fit(std::string_view text) {
  const std::string first = quoted_part(text);
  if (text.find("too few arguments") != text.npos) return {"too few arguments in this call", {}};
  if (text.find("too many arguments") != text.npos) return {"too many arguments in this call", {}};
  return {"no function {0} takes these arguments", {first}};
}

// In plain words where it is one of the usual ones; else as clang said it.
Message plain_words(std::string_view text) {
  const std::string first = quoted_part(text), second = quoted_part(text, 1);
  const auto has = [&](std::string_view words) { return text.find(words) != text.npos; };
  for (const std::string_view words : {"use of undeclared", "unknown type name", "no type named",
                                       "no template named", "no member named", "undeclared variable"})
    if (has(words)) return unknown_name(text);
  if (starts(text, "expected '") || starts(text, "expected expression") ||
      starts(text, "expected unqualified-id"))
    return missing_mark(text);
  for (const std::string_view words : {"too few arguments", "too many arguments",
                                       "no matching function for call", "no matching constructor"})
    if (has(words)) return call_that_does_not_fit(text);
  if (has("extraneous closing brace")) return {"there is one } too many", {}};
  if (has("function definition is not allowed here"))
    return {"a function begins here inside of another one: a } is missing above", {}};
  if (has("file not found"))
    return {"{0} was not found, neither beside the program nor below the folder above it", {first}};
  if (starts(text, "redefinition of")) return {"{0} is defined twice", {first}};
  if (has("is ambiguous")) return {"{0} is ambiguous here", {first}};
  if (has("is not assignable") || has("const-qualified type"))
    return {"this is const and cannot be written to", {}};
  if (has("fields must have a constant size") || has("reference to local variable"))
    return {
        "the size of a shared array must be a constant; for one that is known at run time: extern __shared__",
        {}};
  if (starts(text, "cannot initialize") || starts(text, "assigning to") || starts(text, "incompatible"))
    return {"the types do not fit: {0}", {std::string(text)}};
  return {"clang: {0}", {std::string(text)}};
}

// A launch at this line, and the kernel it names.
const LaunchSite* launch_at(const SourceTables& tables, const std::string& file, int line) {
  for (const LaunchSite& launch : tables.launches)
    if (launch.file == file && launch.line == line && !launch.in_macro) return &launch;
  return nullptr;
}

// candidate function not viable: no known conversion from 'int' to 'float *' for 1st argument
void explain_launch(Diagnostic& diagnostic, std::string_view note) {
  if (diagnostic.message.id != kLaunchDoesNotFit) return;
  const std::size_t at = note.find("no known conversion from ");
  if (at == note.npos) return;
  const std::size_t place = note.find(" for ", at);
  if (place == note.npos) return;
  std::size_t end = place + 5;
  const std::size_t number = end;
  while (end < note.size() && note[end] >= '0' && note[end] <= '9') ++end;
  diagnostic.message = {"argument {0} of this launch is {1}, and the kernel {2} takes {3} there",
                        {std::string(note.substr(number, end - number)), quoted_part(note.substr(at)),
                         diagnostic.message.args.at(0), quoted_part(note.substr(at), 1)}};
}

}  // namespace

std::vector<Diagnostic> read_clang_output(std::string_view said,
                                          const std::map<std::string, FileOnScreen>& files,
                                          const SourceTables& tables, const std::string&) {
  std::vector<Diagnostic> all;
  bool placed = true;  // the last one stands in a file of the reader's
  const auto column_of = [&](const Said& one) {
    const auto file = files.find(one.file);
    return file == files.end() || !file->second.columns
               ? one.column
               : file->second.columns->original(one.line, one.column);
  };
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    const auto one = read_line(said.substr(at, end - at));
    at = end + 1;
    if (!one) continue;
    const bool own = files.contains(one->file);
    if (one->kind == "note") {
      if (all.empty()) continue;
      Diagnostic& last = all.back();
      explain_launch(last, one->text);
      if (!own) continue;
      if (!placed) {
        last.file = one->file, last.line = one->line, last.column = column_of(*one);
        placed = true;
      }
      last.notes.push_back({one->file, one->line, column_of(*one), one->text});
      continue;
    }
    if (one->kind == "error" && one->file.empty() && one->line == 0 && !all.empty()) continue;
    Diagnostic diagnostic;
    diagnostic.severity = one->kind == "error" ? Severity::error : Severity::warning;
    diagnostic.compiler = one->text;
    diagnostic.message = plain_words(one->text);
    placed = own;
    if (own) diagnostic.file = one->file, diagnostic.line = one->line, diagnostic.column = column_of(*one);
    if (const LaunchSite* launch = own ? launch_at(tables, one->file, one->line) : nullptr;
        launch && one->text.find("lockstep") != std::string::npos)
      diagnostic.message = {kLaunchDoesNotFit, {launch->kernel}};
    all.push_back(std::move(diagnostic));
  }
  // One mistake is often two errors to clang.
  const auto same = [](const Diagnostic& a, const Diagnostic& b) {
    return a.file == b.file && a.line == b.line &&
           (a.message == b.message || (a.line > 0 && a.column == b.column));
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  if (all.empty()) {
    Diagnostic diagnostic;
    diagnostic.compiler = said.substr(0, 2000);
    diagnostic.message = {"clang: {0}", {diagnostic.compiler}};
    all.push_back(std::move(diagnostic));
  }
  return all;
}

}  // namespace lockstep::reader
