// Checks before a long run whether its result can be written at all.
#pragma once
#include <filesystem>

#include "app/model/result.hpp"

namespace lockstep {

// ok where write_file_atomically(path, ...) would find a folder it may write to. The error names the cause.
Status check_writable(const std::filesystem::path& path);
// The folder exists afterwards and can be written to; missing folders are made.
Status make_output_folder(const std::filesystem::path& folder);

}  // namespace lockstep
