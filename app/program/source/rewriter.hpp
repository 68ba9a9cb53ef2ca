// What the parts of rewrite() share.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "code.hpp"
#include "rewrite.hpp"
#include "text_edits.hpp"

namespace lockstep::reader {

using Range = Code::Range;

class Rewriter {
 public:
  Rewriter(std::string_view text, const RewriteOptions& options);
  Rewritten run();

 private:
  // Names that a declaration declares, and where its parts are.
  struct Declared {
    int first = 0, name = -1, end = -1;  // the first token, the first name, the ; (or the code's end)
    std::vector<int> names;
    bool initialised = false, function = false;
  };

  void read_macros();
  void note_hints();
  void rewrite_includes();
  void rewrite_code(const Code& code);

  // rewrite_kernels.cpp
  void rewrite_kernel(const Code& code, int global);
  void rewrite_qualifier(const Code& code, int i);
  bool is_dynamic_shared(const Code& code, int i) const;
  void rewrite_unnamed_namespace(const Code& code, int i);
  // rewrite_launches.cpp
  void rewrite_launch(const Code& code, int open);
  void check_launch(const Code& code, Range callee, const LaunchSite& site);
  void check_call(const Code& code, int i);
  void rewrite_kernel_address(const Code& code, int i);
  bool is_host_function(std::string_view name) const;
  bool is_variable(std::string_view name) const;
  bool is_deduced(const Code& code, Range callee) const;
  // rewrite_variables.cpp
  Declared declaration_around(const Code& code, int i) const;
  void rewrite_shared(const Code& code, int i);
  void rewrite_dynamic_shared(const Code& code, int i, const Declared& declared);
  void rewrite_variable(const Code& code, int i);
  // rewrite_host.cpp
  void rewrite_main(const Code& code, int i);
  void rewrite_allocation(const Code& code, int i);
  // rewrite_asm.cpp
  void rewrite_asm(const Code& code, int i);

  std::vector<const Kernel*> kernels_named(std::string_view name) const;
  void drop(const Code& code, int i) { put(code, i, ""); }
  void put(const Code& code, int i, std::string text) {
    edits_.replace(code[i].begin, code[i].text.size(), std::move(text));
  }
  // A literal with the text, or what makes one of a macro's argument.
  std::string quoted(const Code& code, Range range) const;
  std::string line_of(const Code& code, int i) const;
  void refuse(const Code& code, int i, Message message);

  std::string_view text_;
  const RewriteOptions& options_;
  CodeText code_;
  TextEdits edits_;
  Rewritten out_;
  std::set<std::string, std::less<>> quoting_, launching_;
  std::set<std::size_t> kernel_names_;   // where they stand in declarations
  std::set<std::size_t> declared_;       // ends of declarations that are done
  std::vector<std::string_view> calls_;  // what stands before each ( that is open
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> all);

}  // namespace lockstep::reader
