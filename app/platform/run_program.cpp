#include "run_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "process.hpp"

extern char** environ;

namespace lockstep {
namespace {

// What the other end writes until it closes; the last `most` bytes of it.
std::string read_to_end(int descriptor, std::size_t most) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, std::size_t(n));
    if (text.size() > most) text.erase(0, text.size() - most);
  }
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\r\n");
  if (end == text.npos) return "";
  const std::size_t begin = text.find_last_of("\r\n", end);
  return text.substr(begin == text.npos ? 0 : begin + 1, end - (begin == text.npos ? 0 : begin + 1) + 1);
}

Error ended_badly(const std::string& program, int status, const std::string& said) {
  const std::string how = WIFSIGNALED(status) ? signal_name(WTERMSIG(status))
                                              : "exit code " + std::to_string(WEXITSTATUS(status));
  return bad_input("{0} failed ({1}): {2}", {program, how, said});
}

}  // namespace

std::optional<std::string> program_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0)
      return file.string();
  }
  return {};
}

Status show_document(const std::filesystem::path& file) {
  const auto opener = program_on_path("xdg-open");
  if (!opener)
    return unavailable("{0} is to be opened by hand: this system has no xdg-open (package xdg-utils)",
                       {file.string()});
  std::thread([program = *opener, name = file.string()] {
    (void)run_program(program, {name}).ok();
  }).detach();
  return Unit{};
}

Status run_program(const std::string& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return bad_input("{0} cannot be started: {1}", {program, std::strerror(errno)});
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed) {
    ::close(ends[0]);
    return bad_input("{0} cannot be started: {1}", {program, std::strerror(failed)});
  }
  constexpr std::size_t kMostSaid = 8192;
  const std::string said = read_to_end(ends[0], kMostSaid);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Unit{};
  return ended_badly(program, status, last_line(said));
}

}  // namespace lockstep
