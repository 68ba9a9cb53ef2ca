#include "missing_definition.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <set>

#include "app/platform/files.hpp"
#include "code.hpp"
#include "program_files.hpp"

namespace lockstep::reader {
namespace fs = std::filesystem;

namespace {

constexpr int kMostSearched = 2000;  // of a folder that is searched
constexpr std::uint64_t kLargestSearched = std::uint64_t{1} << 20;
constexpr int kDeepest = 3;

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : symbol;
}

// `f` of "void ns::f<int>(float*)".
std::string name_alone(const std::string& function) {
  const std::size_t end = std::min(function.find_first_of("(<["), function.size());
  const std::size_t begin = function.find_last_of(": ", end ? end - 1 : 0);
  return begin == function.npos || begin > end ? function.substr(0, end)
                                               : function.substr(begin + 1, end - begin - 1);
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> endings{".cu", ".cpp", ".cc", ".cxx", ".c"};
  return endings.contains(path.extension().string());
}

// Of name(...) {
bool defines(const Code& code, int i) {
  if (!code.is(i + 1, "(") || code[i].scope == Scope::function) return false;
  int past = code.past_group(i + 1) + 1;
  while (code.is_word(past)) ++past;
  return past > i + 2 && code.is(past, "{");
}

bool has_main(const Code& code) {
  for (int i = 0; i < code.size(); ++i)
    if (code.is(i, "main") && defines(code, i)) return true;
  return false;
}

bool file_defines(const fs::path& path, const std::string& name) {
  const auto bytes = read_file(path, kLargestSearched);
  if (!bytes) return false;
  const std::string text(bytes->begin(), bytes->end());
  if (text.find(name) == text.npos) return false;
  const CodeText read = read_code(text);
  if (has_main(read.code)) return false;
  for (int i = 0; i < read.code.size(); ++i)
    if (read.code.is(i, name) && defines(read.code, i)) return true;
  return false;
}

// As --with would name it; "" where none does.
std::string source_that_defines(const std::string& name, const fs::path& program, const fs::path& folder) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
  std::set<std::string> found;
  for (int n = 0; !error && it != end && n < kMostSearched; it.increment(error), ++n) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      if (it.depth() >= kDeepest || it->path().filename().string().starts_with("."))
        it.disable_recursion_pending();
    } else if (is_source(it->path()) && !fs::equivalent(it->path(), program, ignored) &&
               file_defines(it->path(), name)) {
      found.insert(it->path().lexically_proximate(fs::absolute(".", ignored)).string());
    }
  }
  return found.empty() ? "" : *found.begin();
}

std::optional<Diagnostic> call_of(const std::string& name,
                                  const std::map<std::string, std::string>& sources) {
  for (const auto& [file, text] : sources) {
    const CodeText read = read_code(text);
    for (int i = 0; i < read.code.size(); ++i) {
      if (!read.code.is(i, name) || read.code[i].scope != Scope::function) continue;
      Diagnostic one;
      one.file = file, one.line = read.code[i].line, one.column = read.code[i].column;
      return one;
    }
  }
  return {};
}

}  // namespace

Diagnostic missing_definition(const std::string& symbol, const std::map<std::string, std::string>& sources,
                              const fs::path& program) {
  const std::string function = demangled(symbol), name = name_alone(function);
  Diagnostic one = call_of(name, sources).value_or(Diagnostic());
  if (one.file.empty()) one.file = program.string();
  one.compiler = "undefined symbol: " + function;
  std::error_code error;
  const fs::path folder = fs::absolute(program, error).parent_path();
  std::string by = source_that_defines(name, program, folder);
  if (by.empty()) by = source_that_defines(name, program, own_tree(program));
  if (by.empty())
    one.message = {
        "{0} is used and defined nowhere in the program; the source that defines it is given by --with",
        {function}};
  else
    one.message = {"{0} is used and defined nowhere in the program; {1} defines it: --with {1}",
                   {function, by}};
  return one;
}

}  // namespace lockstep::reader
