#include "confined_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

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

// In the new process; everything that takes memory was made before it was there.
[[noreturn]] void become(const ConfinedProgram& what, char* const* words, char* const* environment,
                         int output) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  if (!what.folder.empty() && ::chdir(what.folder.c_str()) != 0) ::_exit(kNotStarted);
  if (what.rules) (void)confine(*what.rules);
  ::execve(words[0], words, environment);
  ::_exit(kNotStarted);
}

// Until the other end closes or the time is over; false then, and where nobody wants it any more.
bool read_until(int descriptor, Clock::time_point end, const ConfinedProgram& what, std::string& text) {
  constexpr long long kPatience = 90;  // ms between two questions
  const std::size_t most = what.most_output;
  char buffer[16384];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || (what.go_on && !what.go_on())) return false;
    pollfd ready{descriptor, POLLIN, 0};
    const int n = ::poll(&ready, 1, int(std::min<long long>(left, what.go_on ? kPatience : 1000)));
    if (n < 0 && errno != EINTR) return true;
    if (n <= 0) continue;
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(buffer, std::min(std::size_t(count), most - std::min(most, text.size())));
  }
}

}  // namespace

Result<ProgramEnd> run_confined(const ConfinedProgram& what) {
  std::vector<std::string> words{what.program};
  words.insert(words.end(), what.arguments.begin(), what.arguments.end());
  std::vector<std::string> environment{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
                                       "TMPDIR=" + what.folder.string()};
  const std::vector<char*> word_pointers = pointers_to(words),
                           environment_pointers = pointers_to(environment);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return bad_input("{0} cannot be started: {1}", {what.program, std::strerror(errno)});
  const pid_t child = ::fork();
  if (child == 0) become(what, word_pointers.data(), environment_pointers.data(), ends[1]);
  const int cause = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return bad_input("{0} cannot be started: {1}", {what.program, std::strerror(cause)});
  }
  ::setpgid(child, child);
  ProgramEnd end;
  const auto limit = Clock::now() + std::chrono::milliseconds(std::int64_t(what.seconds * 1000));
  const bool ended = read_until(ends[0], limit, what, end.output);
  if (!ended) ::kill(-child, SIGKILL);
  end.out_of_time = !ended && Clock::now() >= limit, end.stopped = !ended && !end.out_of_time;
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
