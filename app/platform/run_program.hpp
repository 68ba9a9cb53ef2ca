// Another program, found on PATH and waited for.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

// Where PATH has it; nothing where it has not.
std::optional<std::string> program_on_path(const std::string& name);
// Ends with it. An error says what the program wrote last on its standard error, or which signal ended it.
Status run_program(const std::string& program, const std::vector<std::string>& arguments);

// A file by whatever this desktop opens it with (xdg-open, which is not waited for).
Status show_document(const std::filesystem::path& file);

}  // namespace lockstep
