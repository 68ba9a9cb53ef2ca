// The program's manual: exit codes, variables, folders, said once for the manual page and the page of
// commands; and `man lockstep`.
#pragma once
#include <span>
#include <string>

#include "command_info.hpp"

namespace lockstep {

struct Meaning {
  const char* name;
  const char* what;  // English, and the key of its translation
};
std::span<const Meaning> exit_codes();
std::span<const Meaning> environment_variables();
std::span<const Meaning> folders_of_user();
std::span<const Meaning> command_examples();

// docs/lockstep.1
std::string manual_page(const CommandInfo& commands);

}  // namespace lockstep
