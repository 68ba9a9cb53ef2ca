#include "system_calls.hpp"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "sandbox.hpp"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41  // names memory of its own; the C library asks for it
#endif

namespace lockstep {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;  // call numbers unknown: no filter
#endif

enum class For { all, writers, compilers, paths };
struct Call {
  int number;
  const char* name;
  For who;
};

#define ALL(name) \
  { SYS_##name, #name, For::all }
#define WRITERS(name) \
  { SYS_##name, #name, For::writers }
#define COMPILERS(name) \
  { SYS_##name, #name, For::compilers }
#define PATHS(name) \
  { SYS_##name, #name, For::paths }

// Everything that is not in this list is refused, so that calls which a later kernel adds are refused too.
// The frequent ones stand first: the filter is read from top to bottom.
constexpr Call kCalls[] = {
    ALL(futex), ALL(sched_yield), ALL(read), ALL(write), ALL(clock_gettime), ALL(mmap), ALL(munmap),
    ALL(mprotect), ALL(madvise), ALL(mremap), ALL(brk), ALL(close), ALL(fstat), ALL(newfstatat), ALL(lseek),
    ALL(pread64), ALL(pwrite64), ALL(readv), ALL(writev), ALL(preadv), ALL(pwritev), ALL(statx),
    ALL(faccessat), ALL(faccessat2), ALL(readlinkat), ALL(getdents64), ALL(getcwd), ALL(chdir), ALL(fchdir),
    ALL(dup), ALL(dup3), ALL(fcntl), ALL(flock), ALL(fsync), ALL(fdatasync), ALL(pipe2), ALL(ppoll),
    ALL(pselect6), ALL(epoll_create1), ALL(epoll_ctl), ALL(epoll_pwait), ALL(eventfd2), ALL(statfs),
    ALL(fstatfs), ALL(fadvise64), ALL(sendfile), ALL(copy_file_range), ALL(splice), ALL(memfd_create),
    ALL(msync), ALL(mincore), ALL(mlock), ALL(munlock), ALL(membarrier), ALL(rt_sigaction),
    ALL(rt_sigprocmask), ALL(rt_sigreturn), ALL(rt_sigsuspend), ALL(rt_sigpending), ALL(rt_sigtimedwait),
    ALL(sigaltstack), ALL(restart_syscall), ALL(nanosleep), ALL(clock_nanosleep), ALL(clock_getres),
    ALL(gettimeofday), ALL(times), ALL(getrusage), ALL(getrlimit), ALL(setrlimit), ALL(uname), ALL(sysinfo),
    ALL(getpid), ALL(getppid), ALL(gettid), ALL(getuid), ALL(geteuid), ALL(getgid), ALL(getegid),
    ALL(getgroups), ALL(getpgid), ALL(getsid), ALL(getcpu), ALL(sched_getaffinity), ALL(sched_setaffinity),
    ALL(sched_getparam), ALL(sched_getscheduler), ALL(sched_get_priority_max), ALL(sched_get_priority_min),
    ALL(set_robust_list), ALL(get_robust_list), ALL(set_tid_address), ALL(rseq), ALL(getitimer),
    ALL(setitimer), ALL(timer_create), ALL(timer_settime), ALL(timer_gettime), ALL(timer_delete),
    ALL(timerfd_create), ALL(timerfd_settime), ALL(getrandom), ALL(umask), ALL(wait4), ALL(waitid), ALL(exit),
    ALL(exit_group), ALL(close_range), ALL(seccomp), ALL(landlock_create_ruleset), ALL(landlock_add_rule),
    ALL(landlock_restrict_self),  // to be confined more
    WRITERS(ftruncate), WRITERS(fallocate), PATHS(mkdirat), PATHS(unlinkat), PATHS(renameat2), PATHS(linkat),
    PATHS(symlinkat),
#if defined(__x86_64__)
    ALL(stat), ALL(lstat), ALL(access), ALL(readlink), ALL(pipe), ALL(dup2), ALL(poll), ALL(select),
    ALL(epoll_wait), ALL(epoll_create), ALL(eventfd), ALL(getdents), ALL(time), ALL(getpgrp), ALL(pause),
    ALL(alarm), ALL(arch_prctl), PATHS(creat), PATHS(mkdir), PATHS(rmdir), PATHS(unlink), PATHS(rename),
    PATHS(link), PATHS(symlink), COMPILERS(fork), COMPILERS(vfork), COMPILERS(chmod), PATHS(renameat),
#endif
    // Landlock knows nothing of a file's mode, so programs do not change it; a linker makes its output one
    // that can be run.
    COMPILERS(execve), COMPILERS(execveat), COMPILERS(fchmod), COMPILERS(fchmodat), COMPILERS(setpgid),
    COMPILERS(setsid), COMPILERS(kill), COMPILERS(tgkill), COMPILERS(prlimit64), COMPILERS(prctl)};

// A path call with this as its sixth argument, which none of them has, goes through to Landlock.
constexpr unsigned kMark = 0x10c857e9;
bool g_paths_raise = false;

// Named in messages when refused; never allowed.
constexpr Call kRefused[] = {
    ALL(socket),
    ALL(socketpair),
    ALL(connect),
    ALL(bind),
    ALL(ptrace),
    ALL(process_vm_readv),
    ALL(process_vm_writev),
    ALL(mount),
    ALL(umount2),
    ALL(chroot),
    ALL(unshare),
    ALL(setns),
    ALL(bpf),
    ALL(io_uring_setup),
    ALL(perf_event_open),
    ALL(setuid),
    ALL(fchown),
    ALL(fchownat),
    ALL(utimensat),
    ALL(setxattr),
    ALL(tkill),
    ALL(clone),
    ALL(clone3),
    ALL(ioctl),
    ALL(openat),
    ALL(openat2),
    ALL(truncate),
#if defined(__x86_64__)
    ALL(open),
    ALL(chown),
    ALL(utime),
    ALL(utimes),
#endif
};

// A program of the kernel's small filter language: the accumulator holds the call's number between rules.
class Filter {
 public:
  explicit Filter(unsigned refusal) : refusal_(refusal) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load_number();
  }
  void allow(int call) {
    jump(BPF_JEQ, unsigned(call), 0, 1);
    give(SECCOMP_RET_ALLOW);
  }
  void answer(int call, unsigned with) {
    jump(BPF_JEQ, unsigned(call), 0, 1);
    give(with);
  }
  // Allowed where the argument is one of these. Else an error and no signal: libraries try such calls.
  void allow_values(int call, int argument, const std::vector<unsigned>& values) {
    jump(BPF_JEQ, unsigned(call), 0, std::uint8_t(2 * values.size() + 2));
    load(argument);
    for (const unsigned value : values) {
      jump(BPF_JEQ, value, 0, 1);
      give(SECCOMP_RET_ALLOW);
    }
    give(SECCOMP_RET_ERRNO | EPERM);
  }
  // Likewise for the process that enters the filter, and `or_none` (a 0 stands for it, too).
  void allow_own(int call, int argument, bool or_none = false) {
    std::vector<unsigned> values{0};
    if (or_none) values.push_back(0);
    allow_values(call, argument, values);
    own_.push_back(code_.size() - 3);
  }
  void enter_as(unsigned process) {
    for (const std::size_t at : own_) code_[at].k = process;
  }
  // Allowed where none of these bits is set.
  void allow_without(int call, int argument, unsigned bits) {
    jump(BPF_JEQ, unsigned(call), 0, 4);
    load(argument);
    jump(BPF_JSET, bits, 1, 0);
    give(SECCOMP_RET_ALLOW);
    give(refusal_);
  }
  // Raises SIGSYS, except where the call has been marked by the one who was told.
  void allow_marked(int call) { trap_unmarked(call), give(SECCOMP_RET_ALLOW); }
  void raise_unmarked(int call) { trap_unmarked(call), load_number(); }
  // A thread starts. What starts a process by posix_spawn has blocked every signal: one more would end it.
  void allow_threads(int call) {
    jump(BPF_JEQ, unsigned(call), 0, 6);
    load(0);
    jump(BPF_JSET, CLONE_THREAD, 0, 1);
    give(SECCOMP_RET_ALLOW);
    jump(BPF_JSET, CLONE_VFORK, 0, 1);
    give(SECCOMP_RET_ERRNO | EPERM);
    give(refusal_);
  }
  // Refused where a file that is only read would be cut to nothing.
  void allow_open_without_truncation(int call, int flags) {
    jump(BPF_JEQ, unsigned(call), 0, 6);
    load(flags);
    jump(BPF_JSET, O_TRUNC, 0, 2);
    add(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE);
    jump(BPF_JEQ, O_RDONLY, 1, 0);
    give(SECCOMP_RET_ALLOW);
    give(SECCOMP_RET_ERRNO | EPERM);
  }
  void refuse_the_rest() { give(refusal_); }
  sock_fprog program() { return {static_cast<unsigned short>(code_.size()), code_.data()}; }

 private:
  // One more instruction follows, which other calls jump over.
  void trap_unmarked(int call) {
    jump(BPF_JEQ, unsigned(call), 0, 4);
    load(5);
    jump(BPF_JEQ, kMark, 1, 0);
    give(SECCOMP_RET_TRAP);
  }
  void add(int code, unsigned value) { code_.push_back({std::uint16_t(code), 0, 0, value}); }
  void jump(int test, unsigned value, int if_true, int if_false) {
    code_.push_back(
        {std::uint16_t(BPF_JMP | test | BPF_K), std::uint8_t(if_true), std::uint8_t(if_false), value});
  }
  void give(unsigned answer) { add(BPF_RET | BPF_K, answer); }
  void load_number() { add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)); }
  // The lower half: flags, process ids and commands have 32 bits; both processors are little endian.
  void load(int argument) {
    add(BPF_LD | BPF_W | BPF_ABS, unsigned(offsetof(seccomp_data, args)) + 8 * unsigned(argument));
  }

  std::vector<sock_filter> code_;
  std::vector<std::size_t> own_;  // comparisons with the number of the process
  unsigned refusal_;
};

void allow_opening(Filter& filter, const CallRules& rules, bool paths_raise) {
  const auto opening = [&](int call, int flags) {
    if (paths_raise) filter.raise_unmarked(call);
    if (!rules.write_files)
      filter.allow_without(call, flags, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
    else if (rules.guard_truncation)
      filter.allow_open_without_truncation(call, flags);
    else
      filter.allow(call);
  };
  opening(SYS_openat, 2);
#if defined(__x86_64__)
  opening(SYS_open, 1);
#endif
  // Its flags lie behind a pointer, where no filter looks: without it the C library takes openat.
  if (rules.write_files && !rules.guard_truncation && !paths_raise)
    filter.allow(SYS_openat2);
  else
    filter.answer(SYS_openat2, SECCOMP_RET_ERRNO | ENOSYS);
  if (rules.write_files && !rules.guard_truncation) filter.allow(SYS_truncate);
}

void allow_by_arguments(Filter& filter, const CallRules& rules) {
  constexpr unsigned kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  if (rules.processes) {
    filter.allow_without(SYS_clone, 0, kNewNamespaces);
  } else {
    filter.allow_threads(SYS_clone);
    filter.allow_own(SYS_kill, 0);
    filter.allow_own(SYS_tgkill, 0);
    filter.allow_own(SYS_prlimit64, 0, true);
    filter.allow_values(SYS_prctl, 0,
                        {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS,
                         PR_GET_DUMPABLE, PR_SET_SECCOMP, PR_GET_SECCOMP});
  }
  // Its flags lie behind a pointer too; the C library then takes clone.
  filter.answer(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  filter.allow_values(SYS_ioctl, 1, {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX});
}

}  // namespace

struct CallFilter::Text {
  Filter filter;
};

CallFilter::CallFilter(const CallRules& rules)
    : text_(new Text{Filter(rules.raise ? unsigned(SECCOMP_RET_TRAP) : unsigned(SECCOMP_RET_ERRNO | EPERM))}),
      paths_raise_(rules.raise && rules.write_files && !rules.processes) {
  Filter& filter = text_->filter;
  for (const Call& call : kCalls) {
    const bool writes = call.who == For::writers || call.who == For::paths;
    if (call.who != For::all && !(writes ? rules.write_files : rules.processes)) continue;
    if (call.who == For::paths && paths_raise_)
      filter.allow_marked(call.number);
    else
      filter.allow(call.number);
  }
  allow_opening(filter, rules, paths_raise_);
  allow_by_arguments(filter, rules);
  filter.refuse_the_rest();
}

CallFilter::~CallFilter() = default;

bool CallFilter::enter() {
  if (!can_filter_system_calls()) return false;
  text_->filter.enter_as(unsigned(::getpid()));
  g_paths_raise = paths_raise_;
  sock_fprog program = text_->filter.program();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

bool can_filter_system_calls() {
  unsigned action = SECCOMP_RET_ERRNO;
  if (kArchitecture == 0) errno = ENOSYS;
  return kArchitecture != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

std::optional<long> repeat_raised_call(const siginfo_t& info, const void* raw) {
  const auto& at = static_cast<const ucontext_t*>(raw)->uc_mcontext;
  const bool names_path =
      info.si_syscall == SYS_openat || std::any_of(std::begin(kCalls), std::end(kCalls), [&](const Call& c) {
        return c.who == For::paths && c.number == info.si_syscall;
      });
#if defined(__x86_64__)
  if (!g_paths_raise || !(names_path || info.si_syscall == SYS_open)) return {};
  const auto* r = at.gregs;
  const long answer =
      ::syscall(info.si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], kMark);
#elif defined(__aarch64__)
  if (!g_paths_raise || !names_path) return {};
  const auto* r = at.regs;
  const long answer = ::syscall(info.si_syscall, r[0], r[1], r[2], r[3], r[4], kMark);
#else
  const long answer = (void)at, (void)names_path, -1;
#endif
  return answer == -1 ? -errno : answer;
}

std::optional<RaisedOpening> raised_opening(const siginfo_t& info, const void* raw) {
  const auto& at = static_cast<const ucontext_t*>(raw)->uc_mcontext;
  RaisedOpening asked;
  bool from_here = false;
#if defined(__x86_64__)
  const auto* r = at.gregs;
  if (info.si_syscall == SYS_open) {
    asked = {reinterpret_cast<const char*>(r[REG_RDI]), int(r[REG_RSI]), unsigned(r[REG_RDX])};
    from_here = true;
  } else if (info.si_syscall == SYS_openat) {
    asked = {reinterpret_cast<const char*>(r[REG_RSI]), int(r[REG_RDX]), unsigned(r[REG_R10])};
    from_here = int(r[REG_RDI]) == AT_FDCWD;
  }
#elif defined(__aarch64__)
  if (info.si_syscall == SYS_openat) {
    asked = {reinterpret_cast<const char*>(at.regs[1]), int(at.regs[2]), unsigned(at.regs[3])};
    from_here = int(at.regs[0]) == AT_FDCWD;
  }
#else
  (void)at, (void)info;
#endif
  if (!from_here || !asked.path || asked.path[0] == '/' || asked.path[0] == 0) return {};
  return asked;
}

long open_instead(const char* path, int flags, unsigned mode) {
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, flags, mode, 0, kMark);
  return file < 0 ? -errno : file;
}

std::string system_call_name(int number) {
  for (const Call& call : kCalls)
    if (call.number == number) return call.name;
  for (const Call& call : kRefused)
    if (call.number == number) return call.name;
  return "system call " + std::to_string(number);
}

}  // namespace lockstep
