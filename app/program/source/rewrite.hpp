// CUDA text as C++17 that clang takes for the CPU: what C++ has not (<<< >>>, __shared__, qualifiers, ...) is
// replaced, token by token; every line stays on its line, and a map leads columns back.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "column_map.hpp"
#include "diagnostic.hpp"

namespace lockstep::reader {

struct KernelParameter {
  std::string name, type;  // "" for a parameter without a name
};

struct Kernel {
  std::string name, file;
  int line = 0;
  int template_parameters = 0;  // that a launch may name
  bool template_pack = false;
  int required = 0;  // parameters without a default
  bool variadic = false;
  std::vector<KernelParameter> parameters;
};

struct LaunchSite {
  std::string file;
  int line = 0, column = 0;
  std::string kernel;  // as written: "ns::tiled<32>"
  std::string grid, block, shared, stream;
  std::vector<std::string> arguments;  // as written
  bool in_macro = false;               // the line is the macro's, not the launch's
};

// `// lockstep: in[n][m]`: the shape that a reader gives an array.
struct ShapeHint {
  std::string file;
  int line = 0;
  std::string name;
  std::vector<std::string> extents;
};

struct SourceInclude {
  int line = 0, column = 0;
  std::string name;
  bool quoted = false, embeds = false;
  std::size_t begin = 0, end = 0;  // of the name with its quotes, in the original text
};

// Of one file, or of all files of a program.
struct SourceTables {
  std::vector<Kernel> kernels;
  std::vector<LaunchSite> launches;
  std::vector<ShapeHint> hints;
  std::vector<std::string> quoting_macros;    // those that print their arguments' text
  std::vector<std::string> launching_macros;  // those with a launch in them
  void add(const SourceTables& more);
};

struct Rewritten {
  std::string text;  // as many lines as the original
  ColumnMap columns;
  SourceTables tables;
  std::vector<Diagnostic> refused;
};

struct RewriteOptions {
  std::string file;                     // the name that tables and diagnostics carry
  const SourceTables* known = nullptr;  // of the files that this one includes
  // What an include is replaced by, from its quotes on: "\"/scratch/1.hpp\""; others stay.
  std::map<std::size_t, std::string> includes;
};

// Any text: what is not understood is left as it is.
Rewritten rewrite(std::string_view text, const RewriteOptions& options);
// Of a file in C: its includes alone.
Rewritten rewrite_includes(std::string_view text, const RewriteOptions& options);
std::vector<SourceInclude> includes_of(std::string_view text);

}  // namespace lockstep::reader
