#include "confined_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>

extern char** environ;

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kNotStarted = 127;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_of(const ConfinedProgram& what) {
  std::vector<std::string> all{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
                               "TMPDIR=" + what.folder.string()};
  if (!what.our_environment) return all;
  all = what.variables;
  const auto is_named = [&](std::string_view name) {
    return std::any_of(what.variables.begin(), what.variables.end(),
                       [&](const std::string& one) { return one.starts_with(name); });
  };
  for (char** one = environ; *one; ++one)
    if (const std::string_view word(*one); !is_named(word.substr(0, word.find('=') + 1)))
      all.emplace_back(word);
  return all;
}

// In the new process; everything that takes memory was made before it was there: another thread may have held
// the allocator's lock when it came, and nobody gives it back here.
[[noreturn]] void become(const ConfinedProgram& what, Confinement* confinement, char* const* words,
                         char* const* environment, int output) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int input = ::open(what.input.empty() ? "/dev/null" : what.input.c_str(), O_RDONLY);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  if (!what.folder.empty() && ::chdir(what.folder.c_str()) != 0) ::_exit(kNotStarted);
  if (confinement) confinement->enter();
  ::execve(words[0], words, environment);
  ::_exit(kNotStarted);
}

// Until the other end closes, or the time is over, or nobody wants it any more.
void read_until(int descriptor, Clock::time_point limit, const ConfinedProgram& what, ProgramEnd& end) {
  char buffer[16384];
  constexpr int kAskEvery_ms = 100;
  for (;;) {
    end.out_of_time = Clock::now() >= limit;
    end.cancelled = what.goes_on && !what.goes_on();
    if (end.out_of_time || end.cancelled) return;
    pollfd ready{descriptor, POLLIN, 0};
    const int n = ::poll(&ready, 1, kAskEvery_ms);
    if (n < 0 && errno != EINTR) return;
    if (n <= 0) continue;
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    const std::size_t room = what.most_output - std::min(what.most_output, end.output.size());
    end.output.append(buffer, std::min(std::size_t(count), room));
  }
}

}  // namespace

Result<ProgramEnd> run_confined(const ConfinedProgram& what) {
  std::vector<std::string> words{what.program};
  words.insert(words.end(), what.arguments.begin(), what.arguments.end());
  std::vector<std::string> environment = environment_of(what);
  const std::vector<char*> word_pointers = pointers_to(words),
                           environment_pointers = pointers_to(environment);
  std::optional<Confinement> confinement;
  if (what.rules) confinement.emplace(*what.rules);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return bad_input("{0} cannot be started: {1}", {what.program, std::strerror(errno)});
  const pid_t child = ::fork();
  if (child == 0)
    become(what, confinement ? &*confinement : nullptr, word_pointers.data(), environment_pointers.data(),
           ends[1]);
  const int cause = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return bad_input("{0} cannot be started: {1}", {what.program, std::strerror(cause)});
  }
  ::setpgid(child, child);
  ProgramEnd end;
  const auto limit = Clock::now() + std::chrono::milliseconds(std::int64_t(what.seconds * 1000));
  read_until(ends[0], limit, what, end);
  if (end.out_of_time || end.cancelled) ::kill(-child, SIGKILL);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  ::kill(-child, SIGKILL);  // whom it has left behind
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (end.exit_code == kNotStarted && end.output.empty())
    return bad_input("{0} cannot be started: {1}", {what.program, "it is not there, or may not be run"});
  return end;
}

}  // namespace lockstep
