// The name of a kernel source as it stands: recordings carry it, and are stale where it has changed.
#pragma once
#include <string>
#include <string_view>

namespace lockstep {

// Version of the dialect (kernels/lab.cuh): raise it when the same source would emit other events.
constexpr std::string_view kDialectVersion = "1";

// C++ source without comments and without blank lines; string and character literals are kept as they are.
// Runs of spaces at line ends go, indentation stays out.
std::string strip_comments(std::string_view source);

// 16 hex digits: FNV-1a of the stripped source and the dialect's version.
std::string source_hash_of(std::string_view source);

}  // namespace lockstep
