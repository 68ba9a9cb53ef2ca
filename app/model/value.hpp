// A value of a setting or of a figure, and names for them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace lockstep {

using Value = std::variant<std::int64_t, double, std::string>;
using Params = std::map<std::string, Value>;
// Figures by their name in a run's JSON; dots in a name nest: "models.hbm_load_bytes".
using Metrics = std::map<std::string, Value>;

std::string to_string(const Value& value);  // 128, 0.5, "text"

}  // namespace lockstep
