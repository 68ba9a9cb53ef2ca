// Which rooms of the source may know the operating system.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "places.hpp"

namespace fs = std::filesystem;

namespace {

bool is_source(const fs::path& file) {
  static const std::set<std::string> endings{".cpp", ".hpp", ".inl", ".cu", ".cuh", ".c"};
  return endings.contains(file.extension().string());
}

// "file: header" of every header of the system that a file below `folder` includes.
std::set<std::string> system_headers_below(const std::string& folder) {
  static const std::regex include(
      R"(^\s*#\s*include <((sys|linux|arpa|netinet|X11|mach)/.*|unistd\.h|dlfcn\.h|fcntl\.h|signal\.h|pthread\.h|poll\.h|spawn\.h|elf\.h|link\.h|ucontext\.h|sched\.h|termios\.h|pwd\.h|dirent\.h|windows\.h)>)");
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(lockstep::in_source(folder))) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, match, include))
        found.insert(fs::relative(entry.path(), lockstep::in_source(".")).generic_string() + ": " +
                     match.str(1));
  }
  return found;
}

// Rooms that know it: app/platform; the process that a reader's program lives in; and the headers and
// templates that are compiled there, not here.
bool may_know(const std::string& found) {
  for (const char* room : {"app/platform/", "app/program/runtime/", "app/program/headers/",
                           "app/program/on_gpu/kernel_times.cc"})
    if (found.starts_with(room)) return true;
  return false;
}

}  // namespace

TEST_CASE("only app/platform and the process of a reader's program include the system's headers") {
  int in_platform = 0;
  for (const char* folder : {"app", "kernels"})
    for (const std::string& found : system_headers_below(folder)) {
      CHECK_MESSAGE(may_know(found), found << " belongs in app/platform");
      in_platform += found.starts_with("app/platform/");
    }
  CHECK(in_platform > 10);  // the search does find them
}
