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

// Data that this process may take on top of what it holds now; 0 = as much as there is. Returns what holds,
// which is less where `ulimit -d` allows less. Address space alone is not counted: CUDA reserves 20 GB of it
// (a process with 6 GB on an H100 counted 47 MB).
std::uint64_t limit_memory(std::uint64_t bytes);

// Writing to a process that has died is an error value, not a signal.
void ignore_broken_pipes();
// So is a file that grows past `ulimit -f`.
void ignore_file_limit();
// Local times of files are told without looking at the system's time zone again each time (an archive's
// entries have one each, and recordings are thousands).
void keep_time_zone();

// From now on Ctrl+C only sets a flag, which interrupted() reads.
void watch_interrupts();
bool interrupted();

int process_id();
std::string cpu_name();  // "this CPU" where the system does not tell
std::uint64_t machine_memory();

std::string signal_name(int signal);  // "Killed"
bool standard_error_is_terminal();

}  // namespace lockstep
