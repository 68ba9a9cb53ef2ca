// What a process asks of the system about itself.
#pragma once
#include <cstdint>
#include <string>

namespace lockstep {

// The worker's first act: it dies with its parent, leaves Ctrl+C to the parent, and moves the pipe of the
// protocol away from the standard output, which then goes where the standard error goes. Returns the pipe's
// descriptor, -1 if that failed.
int become_worker();
// Writes all of `text`; false when the other end is gone.
bool write_to(int descriptor, const std::string& text);

// Memory that this process may have at most; 0 = as much as there is.
void limit_memory(std::uint64_t bytes);

// Writing to a process that has died is an error value, not a signal.
void ignore_broken_pipes();

// From now on Ctrl+C only sets a flag, which interrupted() reads.
void watch_interrupts();
bool interrupted();

std::string signal_name(int signal);  // "Killed"
bool standard_error_is_terminal();

}  // namespace lockstep
