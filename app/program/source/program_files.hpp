// A program's own files: the source and what it includes, found as far as they lie with it.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnostic.hpp"
#include "rewrite.hpp"

namespace lockstep::reader {

struct ProgramFile {
  std::string name;  // as the reader would name it
  std::filesystem::path path;
  std::string text;
  std::map<std::size_t, int> includes;  // place in the text -> file
  bool is_c = false;                    // a source of its own in C, which is compiled as such
};

struct ProgramFiles {
  std::vector<ProgramFile> files;
  std::vector<int> sources;  // the program's file first, then its further sources
  std::vector<int> order;    // every file behind those that it includes
  std::vector<Diagnostic> refused;
};

struct FilesToLoad {
  std::vector<std::filesystem::path> sources;          // the program's file first
  std::vector<std::filesystem::path> include_folders;  // as -I names them
  bool trust = false;
  std::optional<std::string> text{};  // what the first source is to be; its file need not exist then
};

// Files that are included and nowhere to be found are left to the compiler, which knows whether it needs
// them. Refused, with their lines: files outside of the folders of the program and of what was named beside
// it (unless `trust`).
Result<ProgramFiles> load_program_files(const FilesToLoad& wanted);

// The folder whose files a program may include: the one above its own, unless everybody's files lie there.
std::filesystem::path own_tree(const std::filesystem::path& file);

}  // namespace lockstep::reader
