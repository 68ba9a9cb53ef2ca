// What this process may no longer do, before it compiles or runs a program that came from somewhere else.
// Nothing here needs a privilege, and nothing can be taken back: a second call can only forbid more.
#pragma once
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

struct SandboxRules {
  std::vector<std::filesystem::path> read;   // files and folders, with all that is below them
  std::vector<std::filesystem::path> run;    // read, and programs may be started from there
  std::vector<std::filesystem::path> write;  // scratch folders: all but starting programs
  bool processes = false;  // a compiler starts its linker; a program has threads and no processes
  bool raise = false;  // a refused system call raises SIGSYS (si_syscall says which); else it fails, EPERM
  std::uint64_t memory_bytes = 0;  // on top of what is held now; 0 = as before, here and below
  std::uint64_t file_bytes = 0;    // of one file
  int cpu_seconds = 0;  // of all threads together, from now on; then SIGXCPU, a second later SIGKILL
  int open_files = 0;
  bool landlock = true;  // false: do as on a kernel that has none
};

// Reading these is what a dynamically linked program and the C and C++ headers need.
std::vector<std::filesystem::path> system_headers_and_libraries();
// Where compilers and linkers lie.
std::vector<std::filesystem::path> system_programs();

enum class Guard { reading, writing, network, processes, other_processes, memory, time, file_size };

struct SandboxPart {
  Guard guard;
  bool enforced = false;
  Message words;  // a sentence: what holds, or what does not and why
};

struct SandboxReport {
  std::vector<SandboxPart> parts;
  bool complete() const;  // all that was asked for is enforced
  const SandboxPart* find(Guard guard) const;
};

// The same in two steps, for a child between fork() and exec(): its parent had threads, one of which may hold
// the lock of the allocator for ever after. What needs memory is done by the constructor, in the parent;
// enter() makes system calls alone (signal-safety(7)) and confines whoever calls it.
class Confinement {
 public:
  // alone: who enters has one thread, as a child has after fork(); else Landlock is left out.
  explicit Confinement(const SandboxRules& rules, bool alone = true);
  ~Confinement();
  Confinement(Confinement&&) = delete;
  void enter();
  SandboxReport report() const;  // of the process that has entered

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

// Confines this process for good. To be called while it has one thread: Landlock holds for the calling thread
// and those that it starts. What the kernel cannot enforce is left out and said in the report; the next
// strictest thing is done in its place.
SandboxReport confine(const SandboxRules& rules);

// What confine() would come to on this machine, asked without confining.
SandboxReport sandbox_here();

// For the handler of SIGSYS: a call that names a path is done now, as far as Landlock lets it, and what the
// kernel answered (-EACCES where the path is out of bounds) is to be put into the register of the result.
// Nothing for a call that is never allowed.
std::optional<long> repeat_raised_call(const siginfo_t& info, const void* context);

// The opening of a file by a path from the working folder, as such a call asked for it.
struct RaisedOpening {
  const char* path = nullptr;
  int flags = 0;
  unsigned mode = 0;
};
std::optional<RaisedOpening> raised_opening(const siginfo_t& info, const void* context);
// In its place; the file, or the negative cause.
long open_instead(const char* path, int flags, unsigned mode);

// "socket", for a handler of SIGSYS; "system call 999" for one without a name here.
std::string system_call_name(int number);

}  // namespace lockstep
