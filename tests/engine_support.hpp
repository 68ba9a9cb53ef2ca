// Folders and the real program, for tests.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/engine/engine.hpp"
#include "places.hpp"

namespace lockstep::test {

// Of a run that nobody watches.
inline const Report kSilent = [](const Progress&) { return true; };

// A fresh folder, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/lockstep-test-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct ProgramResult {
  int exit = -1;
  std::string out, err;
};

inline std::string quoted(const std::string& word) {
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Runs the program with these words. HOME and the display are not those of the person who runs the tests. A
// wrapper is a program and its words that take the program and its words from there.
inline ProgramResult run_program(const std::vector<std::string>& words,
                                 const std::vector<std::string>& wrapper = {}) {
  const TemporaryFolder folder;
  std::string command = "env -u DISPLAY -u WAYLAND_DISPLAY -u XDG_DATA_HOME HOME=" + quoted(folder.path());
  for (const std::string& word : wrapper) command += " " + quoted(word);
  command += " " + quoted(kProgram);
  for (const std::string& word : words) command += " " + quoted(word);
  command += " >" + quoted(folder / "out") + " 2>" + quoted(folder / "err") + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder / "out"), text_of(folder / "err")};
}

// Blocks of shared memory that this program's workers have left.
inline int blocks_in_shared_memory() {
  int count = 0;
  const std::string mine = "lockstep-" + std::to_string(::getpid()) + "-";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", error))
    count += entry.path().filename().string().starts_with(mine);
  return count;
}

}  // namespace lockstep::test
