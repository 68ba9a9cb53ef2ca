// The program's verbs. Exit codes and output are the contract of DESIGN.md.
#pragma once

namespace lockstep {

// Returns the exit code of the process.
int command_line(int argc, char** argv);

}  // namespace lockstep
