// What a process holds: to see that nothing leaks.
#pragma once
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/platform/process.hpp"
#include "engine_support.hpp"

namespace lockstep::test {

// Process ids whose parent is `parent`, whichever of its threads started them.
inline std::vector<int> children_of(int parent) {
  std::vector<int> children;
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream file(thread.path() / "children");
    for (int child; file >> child;) children.push_back(child);
  }
  return children;
}

// Ended, even where nobody has collected the exit status yet (state Z).
inline bool ended(int pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  return stat.empty() || stat.find(") Z ") != std::string::npos;
}

inline bool gone(int pid) {
  for (int i = 0; i < 500 && !ended(pid); ++i) ::usleep(10000);
  return ended(pid);
}

// What this process holds of the system.
struct Holdings {
  int children = 0, descriptors = 0, blocks = 0;
  bool operator==(const Holdings&) const = default;
};

inline Holdings holdings() {
  const std::filesystem::directory_iterator open("/proc/self/fd"), end;
  return {int(children_of(::getpid()).size()), int(std::distance(open, end)), blocks_in_shared_memory()};
}

// While it lives, no file of this process grows past so many bytes.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ignore_file_limit();
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

}  // namespace lockstep::test
