// What runs readers' own programs for the window, and pictures of them.
#pragma once
#include <memory>

#include "app/cli/verbs.hpp"
#include "app/shell/program_runner.hpp"
#include "app/shell/shell.hpp"

namespace lockstep {

// Each run on a thread of its own; the work itself is done in processes. One that is dropped is ended behind
// the window's back.
std::unique_ptr<ProgramRunner> make_program_runner();

// `shot FILE.cu`: the window with this program in it, where --launch, --line and --step say.
Outcome shoot_program(const ShotArguments& arguments, ShotOptions options);

}  // namespace lockstep
