#include "process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace lockstep {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;
void note_interrupt(int) { g_interrupted = 1; }

// Private writable memory and stack, as RLIMIT_DATA counts them; proc(5), /proc/pid/statm, sixth number.
// Takes no memory: it is asked between fork() and exec() as well.
std::uint64_t data_bytes() {
  char text[256] = {};  // seven numbers
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (length <= 0) return 0;
  std::uint64_t pages = 0;
  char* at = text;
  for (int field = 1; field <= 6; ++field) pages = std::strtoull(at, &at, 10);
  return pages * std::uint64_t(::sysconf(_SC_PAGESIZE));
}

}  // namespace

int become_worker() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  ignore_broken_pipes();
  ignore_file_limit();
  const int protocol = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (protocol >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return protocol;
}

bool write_to(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(descriptor, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += std::size_t(n);
  }
  return true;
}

std::uint64_t limit_memory(std::uint64_t bytes) {
  rlimit limit;
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return 0;
  const rlim_t most = limit.rlim_max, held = data_bytes();
  limit.rlim_cur = bytes == 0 ? most : std::min(most, held + bytes);
  if (::setrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  return limit.rlim_cur > held ? limit.rlim_cur - held : 1;
}

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }
void ignore_file_limit() { std::signal(SIGXFSZ, SIG_IGN); }

void keep_time_zone() { ::setenv("TZ", ":/etc/localtime", 0); }

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = int(SA_RESETHAND);  // a second Ctrl+C ends the program at once
  ::sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }

int process_id() { return ::getpid(); }

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  return "this CPU";
}

std::uint64_t machine_memory() {
  return std::uint64_t(::sysconf(_SC_PHYS_PAGES)) * std::uint64_t(::sysconf(_SC_PAGESIZE));
}

std::string signal_name(int signal) {
  const char* name = ::strsignal(signal);
  return name ? name : "";
}

bool standard_error_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace lockstep
