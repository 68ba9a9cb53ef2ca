// Judges a student's kernel on the emulator: does it compile, is the result right at the exercise's values,
// do threads race, does an access leave its array, and does it move more than a good solution has to?
#pragma once
#include "kernel_task.hpp"
#include "program_run.hpp"

namespace lockstep::reader {

struct KernelVerdict {
  enum class Kind : std::uint8_t {
    right,
    outside_changed,  // more than the student's part
    does_not_compile,
    finding,  // a race, an access out of bounds ...: `finding` names its kind
    ended,    // out of time, a signal, an exit code of its own
    wrong,    // elements differ
    costly    // right, and it moves more than it may
  };
  Kind kind = Kind::wrong;
  Message reason;             // one sentence
  std::vector<Message> more;  // further ones
  std::string finding;
  int line = 0;                              // of the student's file; 0: of none
  std::int64_t sectors = 0, wavefronts = 0;  // of all launches
};

// Of global memory by loads, stores and atomics; of shared memory by loads and stores.
std::int64_t global_sectors(const Counts& counts);
std::int64_t shared_wavefronts(const Counts& counts);

// What a run of the task's program says about it.
KernelVerdict judge_kernel(const KernelTask& task, const ProgramRun& run);

// Runs `text` with the task's arguments and judges it. An Error where no program can be run here.
Result<KernelVerdict> check_kernel(const KernelTask& task, const std::string& text,
                                   const ProgramReport& report = {},
                                   const std::filesystem::path& worker = {});

}  // namespace lockstep::reader
