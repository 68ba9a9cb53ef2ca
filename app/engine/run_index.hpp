// The small part of a run file, for looking through many of them.
#pragma once
#include <filesystem>

#include "app/model/run.hpp"

namespace lockstep {

// The text of a run file's manifest; reads the archive's directory and that entry only.
Result<std::string> load_manifest_text(const std::filesystem::path& path);
// What such a text says: a run with empty columns. `name` is for the error.
Result<Run> run_of_manifest(std::string_view text, const std::string& name);

}  // namespace lockstep
