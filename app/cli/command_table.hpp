// The definitions that parse the command line, as plain data.
#pragma once
#include "app/pages/command_info.hpp"

namespace CLI {
class App;
}

namespace lockstep {

CommandInfo described(const CLI::App& app);

}  // namespace lockstep
