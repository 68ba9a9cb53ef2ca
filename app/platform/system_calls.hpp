// The system calls that a confined process keeps, as a seccomp filter.
#pragma once
#include <memory>

namespace lockstep {

struct CallRules {
  bool processes = false;   // fork, exec, chmod: what a compiler and its linker need
  bool raise = false;       // SIGSYS in place of EPERM
  bool write_files = true;  // false: no file is opened for writing, made, renamed or removed
  // Landlock before its third version lets a file be cut to nothing that is opened for reading alone.
  bool guard_truncation = false;
};

// A filter that is written first and put on later: entering takes no memory, so that the child of a process
// with several threads may do it before it starts another program.
class CallFilter {
 public:
  explicit CallFilter(const CallRules& rules);
  ~CallFilter();
  CallFilter(CallFilter&&) = delete;
  // Of all threads of this process, for good. False with errno where the kernel or the processor has no
  // filters.
  bool enter();

 private:
  struct Text;
  std::unique_ptr<Text> text_;
  bool paths_raise_ = false;
};
// Whether it would work, without doing it.
bool can_filter_system_calls();

}  // namespace lockstep
