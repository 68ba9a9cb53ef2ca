// What of the counts was compared with a GPU's counters: validation.json of the recordings, as tables.
#pragma once
#include <filesystem>
#include <string>

#include "app/model/result.hpp"

namespace lockstep {

// "" where the file is not there.
Result<std::string> record_html(const std::filesystem::path& validation);

}  // namespace lockstep
