// The worker pool and the engines as the window sees them.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "app/shell/runner.hpp"

namespace lockstep {

std::unique_ptr<Runner> make_window_runner(std::filesystem::path program,
                                           std::vector<std::filesystem::path> recordings);

}  // namespace lockstep
