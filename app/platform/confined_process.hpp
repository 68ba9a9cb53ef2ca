// Another program, run inside a sandbox and with a limit of time, and what it wrote.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/model/result.hpp"
#include "sandbox.hpp"

namespace lockstep {

struct ConfinedProgram {
  std::string program;  // its path
  std::vector<std::string> arguments;
  std::filesystem::path folder;       // that it runs in, and where its temporary files go
  std::optional<SandboxRules> rules;  // none: it may do what we may
  double seconds = 60;
  std::function<bool()> goes_on;  // asked ten times a second, on the caller's thread; false ends it
  std::size_t most_output = std::size_t{1} << 20;  // bytes kept of what it writes
  std::filesystem::path input;                     // its standard input; "" for none
  bool our_environment = false;                    // it sees ours, with these on top ("NAME=value")
  std::vector<std::string> variables;
};

struct ProgramEnd {
  int exit_code = -1;  // -1: a signal ended it
  int signal = 0;
  bool out_of_time = false, cancelled = false;
  std::string output;  // standard output and standard error
  bool done() const { return exit_code == 0; }
};

// Waits for its end; it and all that it started are ended when its time is over. It sees none of our
// environment unless that is asked for. An error: it could not be started.
Result<ProgramEnd> run_confined(const ConfinedProgram& what);

}  // namespace lockstep
