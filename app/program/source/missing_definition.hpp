// A function that a program calls and that none of its sources defines.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "diagnostic.hpp"

namespace lockstep::reader {

// `symbol` as the linker names it. The diagnostic stands where the function is called and names the file
// beside `program` that defines it, where there is one. `sources`: the texts that were compiled, by their
// names.
Diagnostic missing_definition(const std::string& symbol, const std::map<std::string, std::string>& sources,
                              const std::filesystem::path& program);

}  // namespace lockstep::reader
