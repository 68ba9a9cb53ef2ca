// One function per verb of the command line. Each returns the exit code or the Error to print.
#pragma once
#include <optional>
#include <string>

#include "app/cli/arguments.hpp"

namespace lockstep {

using Outcome = Result<Exit>;

Outcome list_labs(bool json);
Outcome run_lab(const RunArguments& arguments);
// Clean kernels once in this process, for profilers and sanitizers.
Outcome launch_lab(const RunArguments& arguments);
// Every rung at its ladder's validation settings on this GPU, one JSON array on standard output, in the order
// of the launches: the clean kernels once each, or (streams) the comparison of GPU trace and emulator. For
// scripts/validate.py.
Outcome validate_labs(const RunArguments& arguments, bool streams);
// The model's blocks per SM against the driver's on this GPU, as one JSON object; exit 1 where they differ.
Outcome validate_occupancy();
Outcome record_labs(const RunArguments& arguments, const std::optional<std::string>& folder);
// `what` is a lab, "emulator", "ui", or nothing for every lab.
Outcome bench(const RunArguments& arguments);
Outcome shoot(const ShotArguments& arguments);
Outcome write_tour(const ShotArguments& arguments);
Outcome show_window(const ShotArguments& arguments);
Outcome doctor(const RunArguments& arguments);
Outcome work(const RunArguments& arguments);

}  // namespace lockstep
