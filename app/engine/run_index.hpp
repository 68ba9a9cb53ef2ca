// The small part of a run file, for looking through many of them.
#pragma once
#include <filesystem>

#include "app/model/run.hpp"

namespace lockstep {

// A Run with empty columns; reads the archive's directory and its manifest only.
Result<Run> load_manifest(const std::filesystem::path& path);

}  // namespace lockstep
