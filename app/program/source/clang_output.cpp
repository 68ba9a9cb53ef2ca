#include "clang_output.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace lockstep::reader {
namespace {

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
       {"cuda", "cublas", "curand", "cufft", "cusparse", "cusolver", "cudnn", "nccl", "nv", "tex", "surf", "wmma", "thrust",
        "cub", "cooperative_groups", "cg"})
    if (name.starts_with(prefix)) return true;
  return name.starts_with("__") || (name.starts_with("cu") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z') ||
         (name.starts_with("CU") && name.size() > 3);
}

Message plain_words(const Said& said) {
  const std::string_view text = said.text;
  const auto has = [&](std::string_view words) { return text.find(words) != text.npos; };
  const std::string first = quoted_part(text), second = quoted_part(text, 1);
  if (has("use of undeclared identifier") || has("unknown type name") || has("no type named") ||
      has("no template named") || has("no member named") || has("undeclared variable")) {
    if (has("did you mean")) return {"{0} is not known here; did you mean {1}?", {first, second}};
    if (has("no member named") && !is_cuda_name(second)) return {"{1} has no member {0}", {first, second}};
    if (is_cuda_name(first) || (has(" in ") && is_cuda_name(second)))
      return {"not supported here: {0}", {is_cuda_name(second) ? second + "::" + first : first}};
    return {"{0} is not declared", {first}};
  }
  if (has("use of undeclared")) return {"{0} is not declared", {first}};
  if (text.starts_with("expected ';'") || text.starts_with("expected ';' ")) return {"a ; is missing", {}};
  if (text.starts_with("expected '")) return {"a {0} is missing", {first}};
  if (has("extraneous closing brace")) return {"there is one } too many", {}};
  if (text.starts_with("expected expression")) return {"a value is missing here", {}};
  if (has("file not found")) return {"{0} was not found, neither beside the program nor below the folder above it", {first}};
  if (has("requires 0 arguments") || has("too few arguments")) return {"too few arguments in this call", {}};
  if (has("too many arguments")) return {"too many arguments in this call", {}};
  if (has("no matching function for call to")) return {"no function {0} takes these arguments", {first}};
  if (text.starts_with("redefinition of")) return {"{0} is defined twice", {first}};
  if (has("is ambiguous")) return {"{0} may mean several things here", {first}};
  return {"clang: {0}", {said.text}};
}

// A launch at this line, and the kernel it names.
const LaunchSite* launch_at(const SourceTables& tables, const std::string& file, int line) {
  for (const LaunchSite& launch : tables.launches)
    if (launch.file == file && launch.line == line && !launch.in_macro) return &launch;
  return nullptr;
}

}  // namespace

std::vector<Diagnostic> read_clang_output(std::string_view said, const std::map<std::string, FileOnScreen>& files,
                                          const SourceTables& tables, const std::string&) {
  std::vector<Diagnostic> all;
  bool placed = true;  // the last one stands in a file of the reader's
  const auto column_of = [&](const Said& one) {
    const auto file = files.find(one.file);
    return file == files.end() || !file->second.columns ? one.column
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
    diagnostic.message = plain_words(*one);
    placed = own;
    if (own) diagnostic.file = one->file, diagnostic.line = one->line, diagnostic.column = column_of(*one);
    if (const LaunchSite* launch = own ? launch_at(tables, one->file, one->line) : nullptr;
        launch && one->text.find("lockstep") != std::string::npos)
      diagnostic.message = {"the arguments of this launch do not fit the kernel {0}", {launch->kernel}};
    all.push_back(std::move(diagnostic));
  }
  if (all.empty()) {
    Diagnostic diagnostic;
    diagnostic.compiler = said.substr(0, 2000);
    diagnostic.message = {"clang: {0}", {diagnostic.compiler}};
    all.push_back(std::move(diagnostic));
  }
  return all;
}

}  // namespace lockstep::reader
