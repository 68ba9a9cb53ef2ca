// Where things lie on this machine. One file is compiled with the paths, so that a checkout elsewhere finds
// every other one in the compiler cache.
#pragma once
#include <string>
#include <string_view>

namespace lockstep {

extern const char kSourceFolder[];
extern const char kProgram[];     // lockstep
extern const char kFakeWorker[];  // stands in for a worker process

inline std::string in_source(std::string_view path) { return kSourceFolder + ("/" + std::string(path)); }

}  // namespace lockstep
