// Addresses of code as lines of the reader's files: one question to addr2line for all of them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lockstep::reader {

struct SourceLine {
  std::string file;  // "" where it is not known
  int line = 0;
};

// In the order of the offsets. Of inlined code the innermost place in one of the reader's own files counts.
std::vector<SourceLine> lines_of(const std::filesystem::path& object, const std::vector<std::uint64_t>& offsets,
                                 const std::map<std::string, std::string>& own_files, bool trust);

}  // namespace lockstep::reader
