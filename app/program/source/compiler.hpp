// clang on this machine: where it is, our own headers precompiled for it, and its command lines.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/model/result.hpp"
#include "app/platform/confined_process.hpp"

namespace lockstep::reader {

enum class Variant { program, traced };  // the untraced twin with the host's code; every access calls a hook
enum class Standard { cxx17, cxx20 };

// How a step may be ended before it is done.
struct StepLimits {
  double seconds = 120;
  std::function<bool()> goes_on;
};

// One file to an object, whose folder is the scratch folder, the only one that is written to.
struct CompileStep {
  std::filesystem::path source;
  bool is_c = false;
  const std::vector<std::string>& defines;
  std::filesystem::path object;
  bool trust = false;
};

class Compiler {
 public:
  // Exit 3 where there is no clang; exit 2 where `cache` cannot be written to.
  static Result<Compiler> find(const std::filesystem::path& cache);

  // Of clang, our headers and our flags: what was compiled under the same name need not be compiled again.
  const std::string& name() const { return name_; }
  const std::filesystem::path& headers() const { return headers_; }

  // Our own headers, precompiled on the first use.
  Status prepare(Variant variant, Standard standard, bool trust) const;
  Result<ProgramEnd> compile(Variant variant, Standard standard, const CompileStep& step,
                             const StepLimits& limits) const;
  Result<ProgramEnd> link(Variant variant, const std::vector<std::filesystem::path>& objects,
                          const std::filesystem::path& library, bool trust, const StepLimits& limits) const;

 private:
  std::vector<std::string> flags(Variant variant, Standard standard) const;
  std::vector<std::string> link_words(Variant variant) const;
  Result<ProgramEnd> compile_in_two_steps(Variant variant, std::vector<std::string> words,
                                          const CompileStep& step, const StepLimits& limits) const;
  std::filesystem::path precompiled(Variant variant, Standard standard) const;
  Result<ProgramEnd> run(std::vector<std::string> arguments, const std::filesystem::path& folder, bool trust,
                         const StepLimits& limits) const;

  std::string clang_, name_;
  std::filesystem::path headers_;
  bool has_lld_ = false;
};

// "Debian clang version 14.0.6"; exit 3 with what to install.
Result<std::string> compiler_version();

}  // namespace lockstep::reader
