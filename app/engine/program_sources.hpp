// The texts that an exported program is made of: the rung's kernels with the files that they include, the
// ladder's problem, and what both call. Of each, what is used is taken.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/plain/declarations.hpp"

namespace lockstep {

class ProgramSources {
 public:
  ProgramSources(std::string_view rung_file, std::string_view rung);

  // Takes what the names stand for, and what that uses in turn.
  void use_in_kernels(const std::vector<std::string>& names);
  void use_on_host(const std::vector<std::string>& names);

  std::string header() const { return header_; }         // the rung's first comment
  std::string includes(std::string_view program) const;  // what this text of the program needs of them
  std::string kernels() const;                           // helpers first
  std::string problem() const;                           // fill and check
  std::string host() const;                              // what main() calls

 private:
  struct File {
    DeclaredText text;
    std::vector<bool> taken;
    bool takes_anything() const;
  };
  using Files = std::vector<File>;
  void add(Files& files, const std::string& name, bool plain, std::set<std::string>& seen);
  bool take(Files& files, const std::string& name, bool called, std::vector<std::string>& open_words,
            std::vector<std::string>& open_calls);
  void use(const std::vector<Files*>& order, const std::vector<std::string>& names);
  std::string text_of(const Files& files) const;

  std::string rung_, header_;
  Files kernels_, problem_, host_;
};

}  // namespace lockstep
