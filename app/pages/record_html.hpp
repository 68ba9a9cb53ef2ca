// What of the counts was compared with GPUs' counters: validation.json of the recordings, as tables.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

// The longest record first; "" where there is none.
Result<std::string> records_html(const std::vector<std::filesystem::path>& validations);

}  // namespace lockstep
