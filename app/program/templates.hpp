// Programs to start from, for `lockstep new` and the window. Their text is assets/programs/*.cu.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep::reader {

struct ProgramTemplate {
  std::string name;   // "vector_add": file and word of the command line
  const char* title;  // for a menu; N_
  std::string_view text;
};

// From the simplest on; the first is what one gets without asking.
const std::vector<ProgramTemplate>& program_templates();
const ProgramTemplate* find_program_template(std::string_view name);

// Writes the template as `name`, with .cu at its end, and returns the path. What exists stays as it is.
Result<std::filesystem::path> write_new_program(const std::string& name, const ProgramTemplate& from);

}  // namespace lockstep::reader
