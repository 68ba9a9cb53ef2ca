// What clang wrote, as diagnostics at the reader's own lines and columns, in plain words for the usual ones.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite.hpp"

namespace lockstep::reader {

struct FileOnScreen {
  const ColumnMap* columns = nullptr;
  const std::string* text = nullptr;
};

// `scratch`: a folder whose name the reader should not see.
std::vector<Diagnostic> read_clang_output(std::string_view said,
                                          const std::map<std::string, FileOnScreen>& files,
                                          const SourceTables& tables, const std::string& scratch);

}  // namespace lockstep::reader
