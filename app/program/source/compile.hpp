// A reader's program as two shared objects: `traced`, whose every access calls a hook, and `program`, the
// host's code and an untraced twin of every kernel.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rewrite.hpp"

namespace lockstep::reader {

struct CompileRequest {
  std::filesystem::path file;
  std::vector<std::filesystem::path> further_sources;  // .cu .cpp .c that belong to it
  std::vector<std::filesystem::path> include_folders;  // as -I names them
  std::vector<std::string> defines;                    // NAME or NAME=VALUE
  bool trust = false;                                  // no sandbox, and any include
  double time_limit_s = 120;
  std::function<bool()> goes_on;      // asked ten times a second, on the caller's thread; false cancels
  std::filesystem::path cache;        // "": the user's cache folder
  std::optional<std::string> text{};  // in the place of the file's own
};

struct Compiled {
  std::filesystem::path traced, program;  // both "" where the program does not compile
  std::filesystem::path folder;  // of both, with the rewritten text; stays as long as the cache keeps it
  SourceTables tables;
  std::vector<Diagnostic> diagnostics;         // errors and warnings, in the order of the text
  std::map<std::string, std::string> sources;  // the reader's own files as they were compiled, by their names
  bool from_cache = false;
  double seconds = 0;
  bool ok() const { return !traced.empty() && !program.empty(); }
};

// A program that does not compile is no error: its diagnostics say why. An error says that nothing could be
// compiled at all: no clang (exit 3), no such file (exit 2), no room to write to (exit 2), out of time (exit
// 4).
Result<Compiled> compile(const CompileRequest& request);

}  // namespace lockstep::reader
