// A confined process: what it can no longer do, and what it still can. Each claim is tried in a child.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/allocator_interface.h>
#endif

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "app/platform/process.hpp"
#include "app/platform/sandbox.hpp"
#include "engine_support.hpp"

using namespace lockstep;

namespace {

namespace fs = std::filesystem;

// A scratch folder, and a file beside it that is none of the program's business.
struct Ground {
  fs::path folder = fs::temp_directory_path() / ("sandbox_" + std::to_string(::getpid()));
  fs::path scratch = folder / "scratch", outside = folder / "outside.txt", own = folder / "own";
  Ground() {
    fs::create_directories(scratch);
    fs::create_directories(own);
    std::ofstream(outside) << "kept";
    std::ofstream(own / "input.txt") << "given";
  }
  ~Ground() { fs::remove_all(folder); }
  SandboxRules rules() const {
    SandboxRules rules;
    rules.read = system_headers_and_libraries();
    rules.read.push_back(own);
    rules.write = {scratch};
    return rules;
  }
  SandboxRules compilers_rules() const {
    SandboxRules some = rules();
    some.run = system_programs();
    some.processes = true;
    return some;
  }
};

// How a child ended that was confined and then did `what`, which answers an errno or 0.
struct End {
  int error = -1, signal = 0;
};
End confined(const SandboxRules& rules, const std::function<int()>& what) {
  const pid_t child = ::fork();
  if (child == 0) {
    confine(rules);
    ::_exit(what());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return {-1, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

int error_of(long answer) { return answer < 0 ? errno : 0; }
int opening(const fs::path& path, int flags) { return error_of(::open(path.c_str(), flags, 0600)); }
int starting(const char* program) {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) {
    ::execl(program, program, nullptr);
    ::_exit(errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

bool landlock_here() { return sandbox_here().find(Guard::reading)->enforced; }

}  // namespace

TEST_CASE("a confined program reads its own folder, and not the machine's files") {
  const Ground ground;
  CHECK(confined(ground.rules(), [&] { return opening(ground.own / "input.txt", O_RDONLY); }).error == 0);
  CHECK(confined(ground.rules(), [&] { return opening("/usr/include/stdio.h", O_RDONLY); }).error == 0);
  if (!landlock_here()) return;
  CHECK(confined(ground.rules(), [&] { return opening("/etc/passwd", O_RDONLY); }).error == EACCES);
  CHECK(confined(ground.rules(), [&] { return opening(ground.outside, O_RDONLY); }).error == EACCES);
  CHECK(confined(ground.rules(), [&] {
          return opening(ground.scratch / "../outside.txt", O_RDONLY);
        }).error == EACCES);
}

TEST_CASE("a confined program writes in its scratch folder and nowhere else") {
  const Ground ground;
  const fs::path made = ground.scratch / "made.txt";
  CHECK(confined(ground.rules(), [&] { return opening(made, O_WRONLY | O_CREAT | O_TRUNC); }).error ==
        (landlock_here() ? 0 : EPERM));
  CHECK(confined(ground.rules(), [&] { return error_of(::unlink(made.c_str())); }).error == 0);
  CHECK_FALSE(fs::exists(made));

  const auto refused = [&](const std::function<int()>& what) {
    return confined(ground.rules(), what).error != 0;
  };
  CHECK(refused([&] { return error_of(::unlink(ground.outside.c_str())); }));
  CHECK(refused([&] { return opening(ground.outside, O_WRONLY); }));
  CHECK(refused([&] { return opening(ground.outside, O_RDONLY | O_TRUNC); }));
  CHECK(refused([&] { return error_of(::truncate(ground.outside.c_str(), 0)); }));
  CHECK(refused([&] { return opening(ground.own / "new.txt", O_WRONLY | O_CREAT); }));
  CHECK(refused([&] { return error_of(::chmod(ground.outside.c_str(), 0777)); }));
  CHECK(refused([&] { return error_of(::rename(ground.outside.c_str(), (ground.scratch / "x").c_str())); }));
  CHECK(refused([&] { return error_of(::rmdir(ground.own.c_str())); }));
  CHECK(refused([&] { return error_of(::mkdir((ground.folder / "new").c_str(), 0700)); }));
  std::string text;
  std::ifstream(ground.outside) >> text;
  CHECK(text == "kept");
}

TEST_CASE("a confined program has no network, no further process, no other program") {
  const Ground ground;
  const auto socket = [] { return error_of(::socket(AF_INET, SOCK_STREAM, 0)); };
  CHECK(confined(ground.rules(), socket).error == EPERM);
  CHECK(confined(ground.rules(), [] { return error_of(::fork()); }).error == EPERM);
  CHECK(confined(ground.rules(), [] { return error_of(::vfork()); }).error == EPERM);
  CHECK(confined(ground.rules(), [] { return error_of(::execl("/bin/true", "true", nullptr)); }).error ==
        EPERM);
  CHECK(confined(ground.rules(), [] { return std::system("true") == 0 ? 0 : 1; }).error == 1);
  CHECK(confined(ground.rules(), [] { return error_of(::kill(::getppid(), 0)); }).error == EPERM);
}

TEST_CASE("threads still start in a confined program, which may end itself by a signal") {
  const Ground ground;
  const auto threads = [] {
    int sum = 0;
    std::thread([&] { sum += 1; }).join();
    return sum == 1 ? 0 : 1;
  };
  CHECK(confined(ground.rules(), threads).error == 0);
  CHECK(confined(ground.rules(), [] {
          ::signal(SIGABRT, SIG_DFL);
          std::abort();
          return 0;
        }).signal == SIGABRT);
}

TEST_CASE("a refused call can raise a signal that names it") {
  const Ground ground;
  SandboxRules rules = ground.rules();
  rules.raise = true;
  const auto named = [] {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      ::_exit(system_call_name(info->si_syscall) == "socket" ? 42 : 1);
    };
    ::sigaction(SIGSYS, &action, nullptr);
    return error_of(::socket(AF_INET, SOCK_STREAM, 0));
  };
  CHECK(confined(rules, named).error == 42);
}

// The handler that repeats a path call, and counts what was out of bounds.
volatile int g_out_of_bounds = 0;
void repeat_call(int, siginfo_t* info, void* raw) {
  const auto answer = repeat_raised_call(*info, raw);
  if (!answer || *answer == -EACCES) g_out_of_bounds = g_out_of_bounds + 1;
  auto& registers = static_cast<ucontext_t*>(raw)->uc_mcontext;
#if defined(__x86_64__)
  registers.gregs[REG_RAX] = answer.value_or(-EPERM);
#elif defined(__aarch64__)
  registers.regs[0] = std::uint64_t(answer.value_or(-EPERM));
#endif
}

TEST_CASE("a call with a path can be told of: it is repeated, and Landlock has the last word") {
  if (!landlock_here()) return;
  const Ground ground;
  SandboxRules rules = ground.rules();
  rules.raise = true;
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  action.sa_sigaction = repeat_call;
  struct sigaction before {};
  ::sigaction(SIGSYS, &action, &before);
  CHECK(confined(rules, [&] {
          std::ofstream(ground.scratch / "new.txt") << "text";
          const bool inside = opening(ground.own / "input.txt", O_RDONLY) == 0 &&
                              opening("/nowhere/at/all", O_RDONLY) == ENOENT &&
                              fs::file_size(ground.scratch / "new.txt") == 4 &&
                              ::unlink((ground.scratch / "new.txt").c_str()) == 0;
          return inside ? g_out_of_bounds : 99;
        }).error == 0);
  CHECK(confined(rules, [&] {
          const bool refused =
              opening("/etc/passwd", O_RDONLY) == EACCES &&
              error_of(::unlink(ground.outside.c_str())) == EACCES &&
              error_of(::rename(ground.outside.c_str(), (ground.scratch / "x").c_str())) != 0 &&
              opening(ground.folder / "new", O_WRONLY | O_CREAT) == EACCES;
          return refused ? g_out_of_bounds : 99;
        }).error >= 3);
  // posix_spawn blocks every signal: the program is refused, not ended.
  CHECK(confined(rules, [] { return std::system("true") == 0 ? 0 : 42; }).error == 42);
  ::sigaction(SIGSYS, &before, nullptr);
  CHECK(fs::exists(ground.outside));
}

TEST_CASE("what compiles may start its linker, and has neither network nor files of others") {
  const Ground ground;
  const SandboxRules rules = ground.compilers_rules();
  CHECK(confined(rules, [] { return starting("/bin/true"); }).error == 0);
  CHECK(confined(rules, [] { return error_of(::socket(AF_INET, SOCK_STREAM, 0)); }).error == EPERM);
  if (!landlock_here()) return;
  CHECK(confined(rules, [&] { return opening("/etc/passwd", O_RDONLY); }).error == EACCES);
  CHECK(confined(rules, [&] { return opening(ground.outside, O_WRONLY); }).error == EACCES);
  CHECK(confined(rules, [&] {
          const fs::path copy = ground.scratch / "true";
          fs::copy_file("/bin/true", copy);
          return starting(copy.c_str());
        }).error == EACCES);
}

TEST_CASE("a second confinement takes more away: first the compiler, then the program") {
  const Ground ground;
  const auto then_program = [&] {
    confine(ground.rules());
    return error_of(::fork());
  };
  CHECK(confined(ground.compilers_rules(), then_program).error == EPERM);
}

TEST_CASE("memory, processor time and file size are limited, and no longer to be raised") {
  const Ground ground;
  SandboxRules rules = ground.rules();
  rules.memory_bytes = 64 << 20;
  const auto taking = [](std::size_t bytes) {
    void* volatile block = std::malloc(bytes);
    const int error = block ? 0 : ENOMEM;
    std::free(block);
    return error;
  };
#if !defined(__SANITIZE_ADDRESS__)  // whose malloc ends the program
  CHECK(confined(rules, [&] { return taking(std::size_t(32) << 20); }).error == 0);
  CHECK(confined(rules, [&] { return taking(std::size_t(128) << 20); }).error == ENOMEM);
#endif
  CHECK(taking(1) == 0);

  rules = ground.rules();
  rules.file_bytes = 4096;
  const auto writing = [&] {
    const int file = ::open((ground.scratch / "long.bin").c_str(), O_WRONLY | O_CREAT, 0600);
    const std::vector<char> bytes(10000);
    return ::write(file, bytes.data(), bytes.size()) == 4096 && ::write(file, bytes.data(), 1) < 0 ? errno
                                                                                                   : 0;
  };
  if (landlock_here()) CHECK(confined(rules, writing).error == EFBIG);

  rules = ground.rules();
  rules.cpu_seconds = 1;
  CHECK(confined(rules, [] {
          for (volatile bool on = true; on;) {
          }
          return 0;
        }).signal == SIGXCPU);
}

TEST_CASE("without Landlock a program opens nothing for writing, and the report says that it can read") {
  const Ground ground;
  SandboxRules rules = ground.rules();
  rules.landlock = false;
  CHECK(confined(rules, [&] { return opening(ground.own / "input.txt", O_RDONLY); }).error == 0);
  CHECK(confined(rules, [&] { return opening(ground.outside, O_WRONLY); }).error == EPERM);
  CHECK(confined(rules, [&] { return opening(ground.scratch / "x", O_WRONLY | O_CREAT); }).error == EPERM);
  CHECK(confined(rules, [&] { return error_of(::unlink(ground.outside.c_str())); }).error == EPERM);
  CHECK(confined(rules, [&] {
          const SandboxReport report = confine(rules);
          return report.find(Guard::reading)->enforced || !report.find(Guard::writing)->enforced;
        }).error == 0);
  CHECK(fs::exists(ground.outside));
}

TEST_CASE("a process with several threads is told that Landlock would hold for one of them alone") {
  if (!landlock_here()) return;
  const Ground ground;
  CHECK(confined(ground.rules(), [&] {
          std::thread other([] { ::sleep(10); });
          const SandboxReport report = confine(ground.rules());
          other.detach();
          return report.complete() ||
                 report.find(Guard::reading)->words.args.at(0) != "other threads are running";
        }).error == 0);
}

#if defined(__SANITIZE_ADDRESS__)
std::atomic<int> g_allocations{0};

// The sanitizer's allocator knows nothing of fork(): a child that asked for memory while another thread of
// its parent held a lock waited for ever, and a compiler was "too slow" after two minutes.
TEST_CASE("what happens between fork() and exec() takes no memory") {
  const Ground ground;
  const int hooked = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t) { ++g_allocations; }, [](const volatile void*) {});
  REQUIRE(hooked > 0);
  for (const SandboxRules& rules : {ground.rules(), ground.compilers_rules()}) {
    SandboxRules all = rules;
    all.memory_bytes = all.file_bytes = 1 << 30, all.cpu_seconds = 60, all.open_files = 64;
    Confinement confinement(all);
    const pid_t child = ::fork();
    if (child == 0) {
      g_allocations = 0;
      confinement.enter();
      const int taken = g_allocations;
      (void)confinement.report();  // which does
      ::_exit(taken > 0 ? 1 : g_allocations == 0 ? 2 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}
#endif

TEST_CASE("doctor says whether programs compile here, and what does not hold them back") {
  const std::string said = test::run_program({"doctor"}).out;
  CHECK(said.find("\nprograms ") != std::string::npos);
  CHECK(said.find("\nsandbox ") != std::string::npos);
  const SandboxReport report = sandbox_here();
  const std::string row = said.substr(said.find("\nsandbox ") + 1);
  CHECK((row.substr(0, row.find('\n')).find(" works ") != std::string::npos) == report.complete());
  for (const SandboxPart& part : report.parts)
    CHECK((said.find(part.words.text()) == std::string::npos) == part.enforced);
}
