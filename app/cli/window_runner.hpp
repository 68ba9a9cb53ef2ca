// The worker pool and the engines as the window sees them.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "app/shell/runner.hpp"

namespace lockstep {

// What works here, as the window tells it. Blocks: asking for a GPU loads the driver.
std::vector<Runner::EngineState> engine_states(const std::vector<std::filesystem::path>& recordings);

std::unique_ptr<Runner> make_window_runner(std::filesystem::path program,
                                           std::vector<std::filesystem::path> recordings);

}  // namespace lockstep
