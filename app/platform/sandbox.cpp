#include "sandbox.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>

#include "process.hpp"
#include "system_calls.hpp"

namespace lockstep {
namespace {

// Rights by Landlock's version, as linux/landlock.h documents them; the header here may be older than the
// kernel.
constexpr std::uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kFirstVersion = (1u << 13) - 1;
constexpr std::uint64_t kRefer = 1u << 13;     // version 2: move between folders
constexpr std::uint64_t kTruncate = 1u << 14;  // 3
constexpr std::uint64_t kIoctl = 1u << 15;     // 5: commands to devices
constexpr std::uint64_t kOfFiles =
    kExecute | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kIoctl;
constexpr std::uint64_t kDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

// The attribute as of version 6: older kernels take its beginning.
struct RulesetAttribute {
  std::uint64_t files, network, scopes;
};

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : int(version);
}

std::uint64_t rights_known(int version) {
  return kFirstVersion | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kIoctl : 0);
}

int create_ruleset(int version) {
  RulesetAttribute attribute{rights_known(version), 0, 0};
  std::size_t size = sizeof attribute.files;
  if (version >= 4) {
    attribute.network = 3;  // binding and connecting TCP; the filter refuses every socket as well
    size += sizeof attribute.network;
  }
  if (version >= 6) {
    attribute.scopes = 3;  // abstract sockets and signals to the outside
    size += sizeof attribute.scopes;
  }
  return int(::syscall(SYS_landlock_create_ruleset, &attribute, size, 0));
}

// What is not there needs no rule.
bool allow_below(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
  const int place = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
  struct stat status {};
  if (::fstat(place, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= kOfFiles;
  const landlock_path_beneath_attr rule{rights, place};
  const bool ok = ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  ::close(place);
  return ok;
}

// A ruleset that grants what the rules allow; -1 with errno where none can be made.
int prepare_ruleset(const SandboxRules& rules, int version) {
  const int ruleset = create_ruleset(version);
  if (ruleset < 0) return -1;
  const std::uint64_t known = rights_known(version);
  bool ok = true;
  for (const auto& path : rules.read) ok &= allow_below(ruleset, path, kRead);
  for (const auto& path : rules.run) ok &= allow_below(ruleset, path, kRead | kExecute);
  for (const auto& path : rules.write) ok &= allow_below(ruleset, path, known & ~kExecute & ~kDevices);
  ok &= allow_below(ruleset, "/dev/null", known & kOfFiles & ~kExecute);
  if (ok) return ruleset;
  const int cause = errno;
  ::close(ruleset);
  errno = cause;
  return -1;
}

int thread_count() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error), end;
  return error ? 1 : int(std::distance(tasks, end));
}

// Both limits, so that the program cannot raise it again.
bool lower_limit(int resource, std::uint64_t value, std::uint64_t above = 0) {
  rlimit limit{};
  if (::getrlimit(__rlimit_resource_t(resource), &limit) != 0) return false;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, value + above);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, value);
  return ::setrlimit(__rlimit_resource_t(resource), &limit) == 0;
}

bool limit_cpu_time(int seconds) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto spent = std::uint64_t(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
  return lower_limit(RLIMIT_CPU, spent + std::uint64_t(seconds), 1);
}

bool limit_data(std::uint64_t bytes) {
  if (limit_memory(bytes) == 0) return false;
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  return lower_limit(RLIMIT_DATA, limit.rlim_cur);
}

// What enter() has come to: plain values, since it may take no memory.
struct Entered {
  bool files = false, memory = false, time = false, file_size = false, calls = false;
  int files_cause = 0, calls_cause = 0;  // errno
};

void enter_limits(const SandboxRules& rules, Entered& entered) {
  if (rules.memory_bytes > 0) entered.memory = limit_data(rules.memory_bytes);
  if (rules.cpu_seconds > 0) entered.time = limit_cpu_time(rules.cpu_seconds);
  if (rules.file_bytes > 0) {
    ignore_file_limit();
    entered.file_size = lower_limit(RLIMIT_FSIZE, rules.file_bytes);
  }
  if (rules.open_files > 0) lower_limit(RLIMIT_NOFILE, std::uint64_t(rules.open_files));
  lower_limit(RLIMIT_CORE, 0);
}

void report_limits(const SandboxRules& rules, const Entered& entered, SandboxReport& report) {
  const auto part = [&](Guard guard, bool ok, const char* holds, const char* does_not) {
    report.parts.push_back({guard, ok, {ok ? holds : does_not, {}}});
  };
  if (rules.memory_bytes > 0)
    part(Guard::memory, entered.memory, N_("a program's memory is limited"),
         N_("a program's memory is not limited: the system refused the limit"));
  if (rules.cpu_seconds > 0)
    part(Guard::time, entered.time, N_("a program's processor time is limited"),
         N_("a program's processor time is not limited: the system refused the limit"));
  if (rules.file_bytes > 0)
    part(Guard::file_size, entered.file_size, N_("the size of a program's files is limited"),
         N_("the size of a program's files is not limited: the system refused the limit"));
}

Message because(const char* sentence, const std::string& cause) { return {sentence, {cause}}; }

// Of files: by Landlock; where that is missing a program (which starts no compiler) opens nothing for
// writing.
struct FileGuards {
  bool landlock = false, read_only = false;
  std::string cause;
};

void report_files(const FileGuards& files, SandboxReport& report) {
  if (files.landlock) {
    report.parts.push_back(
        {Guard::reading,
         true,
         {N_("a program reads nothing but its own folder and the system's headers and libraries"), {}}});
    report.parts.push_back(
        {Guard::writing, true, {N_("a program writes nowhere but in its scratch folder"), {}}});
    return;
  }
  report.parts.push_back(
      {Guard::reading, false,
       because(N_("a program can read every file that you can read: Landlock cannot be used ({0})"),
               files.cause)});
  report.parts.push_back(
      {Guard::writing, files.read_only,
       files.read_only ? Message{N_("a program opens no file for writing"), {}}
                       : because(N_("a program can write wherever you can: Landlock cannot be used ({0})"),
                                 files.cause)});
}

void report_calls(bool filtered, bool processes, const std::string& cause, SandboxReport& report) {
  const auto part = [&](Guard guard, const char* holds, const char* does_not) {
    report.parts.push_back({guard, filtered, filtered ? Message{holds, {}} : because(does_not, cause)});
  };
  part(Guard::network, N_("a program has no network"),
       N_("a program can use the network: system calls cannot be filtered here ({0})"));
  if (!processes)
    part(Guard::processes, N_("a program starts no other process"),
         N_("a program can start other processes: system calls cannot be filtered here ({0})"));
  part(Guard::other_processes, N_("a program cannot touch other processes"),
       N_("a program can touch your other processes: system calls cannot be filtered here ({0})"));
}

}  // namespace

bool SandboxReport::complete() const {
  return std::all_of(parts.begin(), parts.end(), [](const SandboxPart& part) { return part.enforced; });
}

const SandboxPart* SandboxReport::find(Guard guard) const {
  for (const SandboxPart& part : parts)
    if (part.guard == guard) return &part;
  return nullptr;
}

std::vector<std::filesystem::path> system_headers_and_libraries() {
  return {"/usr/include",
          "/usr/lib",
          "/usr/lib32",
          "/usr/lib64",
          "/usr/libx32",
          "/lib",
          "/lib32",
          "/lib64",
          "/usr/local/include",
          "/usr/local/lib",
          "/etc/ld.so.cache",
          "/etc/localtime",
          "/usr/share/zoneinfo",
          "/usr/share/locale",
          "/dev/urandom",
          "/proc/self",
          "/proc/cpuinfo",
          "/proc/meminfo",
          "/proc/sys/vm/overcommit_memory",
          "/sys/devices/system/cpu",
          "/sys/fs/cgroup"};
}

std::vector<std::filesystem::path> system_programs() {
  return {"/usr/bin", "/bin", "/usr/local/bin", "/usr/lib", "/usr/libexec", "/lib", "/lib64"};
}

struct Confinement::Plan {
  SandboxRules rules;
  int ruleset = -1;  // Landlock's, or -1 and why there is none
  std::string no_ruleset;
  CallFilter with_landlock, without;
  Entered entered;

  Plan(const SandboxRules& r, int version, bool alone)
      : rules(r), with_landlock(calls(r, true, version)), without(calls(r, false, version)) {
    if (!rules.landlock)
      no_ruleset = "switched off";
    else if (version > 0 && !alone)
      no_ruleset = "other threads are running";
    else if (landlock_version() == 0 || (ruleset = prepare_ruleset(rules, version)) < 0)
      no_ruleset = std::strerror(errno);
  }
  ~Plan() {
    if (ruleset >= 0) ::close(ruleset);
  }
  Plan(Plan&&) = delete;
  static CallRules calls(const SandboxRules& rules, bool landlock, int version) {
    return {.processes = rules.processes,
            .raise = rules.raise,
            .write_files = landlock || rules.processes,
            .guard_truncation = landlock && version < 3};
  }
};

Confinement::Confinement(const SandboxRules& rules, bool alone)
    : plan_(std::make_unique<Plan>(rules, rules.landlock ? landlock_version() : 0, alone)) {}
Confinement::~Confinement() = default;

void Confinement::enter() {
  Entered& entered = plan_->entered;
  if (plan_->ruleset >= 0) {
    entered.files = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                    ::syscall(SYS_landlock_restrict_self, plan_->ruleset, 0) == 0;
    if (!entered.files) entered.files_cause = errno;
  }
  enter_limits(plan_->rules, entered);
  entered.calls = (entered.files ? plan_->with_landlock : plan_->without).enter();
  if (!entered.calls) entered.calls_cause = errno;
}

SandboxReport Confinement::report() const {
  const Entered& entered = plan_->entered;
  SandboxReport report;
  report_limits(plan_->rules, entered, report);
  FileGuards files;
  files.landlock = entered.files;
  files.read_only = entered.calls && !entered.files && !plan_->rules.processes;
  if (!entered.files)
    files.cause = plan_->ruleset >= 0 ? std::strerror(entered.files_cause) : plan_->no_ruleset;
  report_files(files, report);
  report_calls(entered.calls, plan_->rules.processes, std::strerror(entered.calls_cause), report);
  return report;
}

SandboxReport confine(const SandboxRules& rules) {
  Confinement confinement(rules, thread_count() == 1);
  confinement.enter();
  return confinement.report();
}

SandboxReport sandbox_here() {
  SandboxReport report;
  FileGuards files;
  files.landlock = landlock_version() > 0;
  if (!files.landlock) files.cause = std::strerror(errno);
  const bool filtered = can_filter_system_calls();
  const std::string cause = filtered ? "" : std::strerror(errno);
  files.read_only = filtered && !files.landlock;
  report_files(files, report);
  report_calls(filtered, false, cause, report);
  return report;
}

}  // namespace lockstep
