// What completes in a shell, made from the command line's own definitions. Labs, rungs and settings are asked
// of the program while somebody types (`lockstep complete`).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "command_info.hpp"

namespace lockstep {

enum class Shell { bash, zsh, fish };
constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};  // in this order

std::string completion_script(Shell shell, const CommandInfo& commands);

}  // namespace lockstep
