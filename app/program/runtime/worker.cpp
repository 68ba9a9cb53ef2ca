#include "worker.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/platform/process.hpp"
#include "app/platform/program_objects.hpp"
#include "app/platform/sandbox.hpp"
#include "device_functions.hpp"
#include "device_queries.hpp"
#include "graph_functions.hpp"
#include "host_functions.hpp"
#include "kernels/simt/workers.hpp"
#include "matrix_functions.hpp"
#include "refused_files.hpp"
#include "runtime.hpp"

extern "C" void __tsan_init();

namespace lockstep::reader {

using nlohmann::json;

std::string line_of(const WorkOrder& o) {
  return json{{"program", o.program},     {"traced", o.traced},
              {"name", o.name},           {"arguments", o.arguments},
              {"records", o.records},     {"input", o.input},
              {"here", o.here},           {"scratch", o.scratch},
              {"readable", o.readable},   {"all", o.all},
              {"trust", o.trust},         {"launch", o.launch},
              {"threads", o.threads},     {"block", o.block},
              {"timeout_s", o.timeout_s}, {"memory_limit_bytes", o.memory_limit_bytes}}
      .dump();
}

Result<WorkOrder> parse_work_order(const std::string& text) {
  try {
    const json j = json::parse(text);
    WorkOrder o;
    j.at("program").get_to(o.program), j.at("traced").get_to(o.traced), j.at("name").get_to(o.name);
    j.at("arguments").get_to(o.arguments), j.at("records").get_to(o.records), j.at("input").get_to(o.input);
    j.at("here").get_to(o.here), j.at("scratch").get_to(o.scratch), j.at("readable").get_to(o.readable);
    j.at("all").get_to(o.all), j.at("trust").get_to(o.trust), j.at("launch").get_to(o.launch);
    j.at("threads").get_to(o.threads), j.at("block").get_to(o.block), j.at("timeout_s").get_to(o.timeout_s);
    j.at("memory_limit_bytes").get_to(o.memory_limit_bytes);
    return o;
  } catch (const json::exception& fault) {
    return bad_input("an order that cannot be read: {0}", {fault.what()});
  }
}

namespace {

// The linker takes an object of the library for what it is asked for: one function of each that the program
// is going to ask for by name.
[[gnu::used]] void (*const kept_functions[])() = {
    reinterpret_cast<void (*)()>(&lockstep_thread_x),
    reinterpret_cast<void (*)()>(&lockstep_launch),
    reinterpret_cast<void (*)()>(&lockstep_launch_known),
    reinterpret_cast<void (*)()>(&lockstep_cudaGetDeviceProperties),
    reinterpret_cast<void (*)()>(&__wrap_system),
    reinterpret_cast<void (*)()>(&lockstep_copy_wait),
    &__tsan_init};

RecordWriter* writer = nullptr;
bool finished = false;

std::vector<RawSite> raw_sites() {
  std::vector<RawSite> all;
  for (const Site& s : tracer().sites.all()) {
    RawSite raw;
    raw.file = s.file, raw.line = s.line;
    if (s.address) {
      const CodePlace place = code_place(s.address - 1);
      raw.object = std::uint32_t(place.object), raw.offset = place.offset;
    }
    all.push_back(std::move(raw));
  }
  return all;
}

void write_tables() {
  std::vector<ArrayRecord> arrays;
  for (const auto& a : tracer().memory.all()) arrays.push_back({a->array, a->site});
  writer->arrays(arrays);
  writer->sites(raw_sites());
  writer->findings(tracer().findings.all(), tracer().findings.dropped());
}

// However the program ends by itself: main returned, or exit() was called.
void finish(int code, void*) {
  if (finished) return;
  finished = true;
  runtime().end();
  write_tables();
  writer->exit_code(code);
}

std::uint64_t program_counter(const ucontext_t* context) {
#if defined(__x86_64__)
  return std::uint64_t(context->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context->uc_mcontext.pc;
#else
  return 0;
#endif
}
std::uint64_t stack_pointer(const ucontext_t* context) {
#if defined(__x86_64__)
  return std::uint64_t(context->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context->uc_mcontext.sp;
#else
  return 0;
#endif
}

// A word on the stack may be a function's address too, left by an earlier call: a return address stands
// behind a call.
bool follows_call(std::uint64_t address) {
  const auto* code = reinterpret_cast<const std::uint8_t*>(address);
#if defined(__x86_64__)
  return code[-5] == 0xe8 || (code[-6] == 0xff && code[-5] == 0x15) ||
         (code[-2] == 0xff && (code[-1] & 0x38) == 0x10);
#elif defined(__aarch64__)
  std::uint32_t before;
  std::memcpy(&before, code - 4, 4);
  return (before & 0xfc000000) == 0x94000000 || (before & 0xfffffc1f) == 0xd63f0000;
#else
  return code != nullptr;
#endif
}

// Where the process began: its environment lies above the first frame, until somebody sets a variable.
const auto stack_top = reinterpret_cast<std::uintptr_t>(environ);

// Code of the program that led here: the counter itself, else the nearest return address on the stack, which
// has run out where `fault` lies just at its end. It reads other functions' frames on purpose.
__attribute__((no_sanitize("address"))) std::uint64_t program_code(const ucontext_t* context,
                                                                   std::uintptr_t fault = 0) {
  const std::uint64_t here = program_counter(context);
  if (code_place(here).object != CodePlace::Object::none) return here + 1;
  constexpr std::uintptr_t kPage = 4096;
  std::uintptr_t at = stack_pointer(context), end = (at | (kPage - 1)) + 1;
  if (fault - (at - kPage) < 2 * kPage) at = (std::max(at, fault) | (kPage - 1)) + 1, end = at + kPage;
  if (!simt::machine && stack_top > at && stack_top - at < 8 * 1024 * kPage)
    end = stack_top;  // the host's own
  for (; at + 8 <= end; at += 8)
    if (const auto word = *reinterpret_cast<const std::uint64_t*>(at);
        code_place(word).object != CodePlace::Object::none && follows_call(word))
      return word;
  return 0;
}

std::int64_t running_block() {
  const simt::Machine* m = simt::machine;
  if (!m) return -1;
  return std::int64_t(m->block_index.x) +
         std::int64_t(m->grid_dim.x) * (m->block_index.y + std::int64_t(m->grid_dim.y) * m->block_index.z);
}

RawFinding finding_here(const char* kind, const ucontext_t* context, const std::string& text = "",
                        std::uintptr_t fault = 0) {
  RawFinding f;
  f.kind = kind, f.text = text;
  f.site = tracer().sites.of_address(reinterpret_cast<const void*>(program_code(context, fault)));
  f.launch = simt::machine ? tracer().launch : -1;
  if (simt::machine) f.block = running_block(), f.thread = simt::current ? simt::current->linear : -1;
  return f;
}

// What the last words need where the program has taken all memory.
std::unique_ptr<char[]> reserve;
constexpr std::size_t kReserveBytes = 4 << 20;

[[noreturn]] void end_here(const char* how, int signal, const ucontext_t* context, std::uintptr_t fault = 0) {
  reserve.reset();
  const CodePlace place = code_place(program_code(context, fault) - 1);
  writer->ended(how, signal, std::uint32_t(place.object), place.offset, running_block(),
                simt::current ? simt::current->linear : -1);
  finished = true;
  std::fflush(stdout);
  write_tables();
  _exit(128 + signal);
}

void on_time(int signal, siginfo_t*, void* context) {
  end_here("time", signal, static_cast<const ucontext_t*>(context));
}

// A crash in a kernel ends the kernel; the program goes on with the runtime's error.
void on_crash(int signal, siginfo_t* info, void* raw) {
  const auto* context = static_cast<const ucontext_t*>(raw);
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool stack = signal == SIGSEGV && address - (stack_pointer(context) - 65536) < 131072;
  if (simt::machine && signal != SIGABRT) {
    if (stack) {
      tracer().findings.add(finding_here("stack_overflow", context, "", address));
    } else if (!tracer().machine) {
      RawFinding f = finding_here("illegal_address", context);
      if (signal != SIGSEGV && signal != SIGBUS) f.kind = "trap";
      tracer().crashed_at(f, address);
      tracer().findings.add(std::move(f));
    }
    runtime().recover(stack ? 719 : 700);
  }
  end_here(stack ? "stack" : "signal", signal, context, stack ? address : 0);
}

// A file that the program writes by a path from its own folder is made in the scratch folder, under a name
// that has no folders in it; it is read from there from then on.
class ScratchFiles {
 public:
  std::optional<long> open_written(const RaisedOpening& asked) {
    if (!std::count(names_.begin(), names_.end(), asked.path)) return {};
    return open_instead(place_of(asked.path).c_str(), asked.flags, asked.mode);
  }
  long make(const RaisedOpening& asked) {
    const long file = open_instead(place_of(asked.path).c_str(), asked.flags, asked.mode);
    if (file >= 0) {
      names_.emplace_back(asked.path);
      writer->note("wrote " + names_.back());
    }
    return file;
  }
  std::string folder;

 private:
  std::string place_of(std::string name) const {
    std::replace(name.begin(), name.end(), '/', '%');
    return folder + "/" + name;
  }
  std::vector<std::string> names_;
};
ScratchFiles scratch_files;

std::optional<long> answer_to(const siginfo_t& info, const void* raw) {
  const auto opening = raised_opening(info, raw);
  if (opening)
    if (const auto written = scratch_files.open_written(*opening)) return written;
  const auto answer = repeat_raised_call(info, raw);
  const bool refused = answer && *answer == -EACCES;
  if (opening && refused && (opening->flags & O_ACCMODE) != O_RDONLY && !scratch_files.folder.empty() &&
      program_code(static_cast<const ucontext_t*>(raw)) != 0)
    return scratch_files.make(*opening);
  return answer;
}

void on_refused_call(int, siginfo_t* info, void* raw) {
  auto* context = static_cast<ucontext_t*>(raw);
  const auto answer = answer_to(*info, raw);
  if ((!answer || *answer == -EACCES) && program_code(context) != 0)
    tracer().findings.add(finding_here("not_allowed", context, system_call_name(info->si_syscall)));
#if defined(__x86_64__)
  context->uc_mcontext.gregs[REG_RAX] = answer.value_or(-EPERM);
#elif defined(__aarch64__)
  context->uc_mcontext.regs[0] = std::uint64_t(answer.value_or(-EPERM));
#endif
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(signal, &action, nullptr);
}

void watch_signals(double timeout_s) {
  use_signal_stack();
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) handle(signal, on_crash);
  handle(SIGSYS, on_refused_call);
  handle(SIGALRM, on_time);
  handle(SIGXCPU, on_time);
  if (timeout_s <= 0) return;
  itimerval timer{};
  timer.it_value.tv_sec = time_t(timeout_s);
  timer.it_value.tv_usec = suseconds_t((timeout_s - double(time_t(timeout_s))) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void confine_for(const WorkOrder& order) {
  if (order.trust) {
    (void)limit_memory(order.memory_limit_bytes);
    return;
  }
  runtime().confined = true;
  scratch_files.folder = order.scratch;
  SandboxRules rules;
  rules.read = system_headers_and_libraries();
  for (const std::string& path : order.readable) rules.read.push_back(path);
  rules.write = {order.scratch};
  rules.raise = true;
  rules.memory_bytes = order.memory_limit_bytes;
  rules.file_bytes = std::uint64_t{1} << 30;
  // The clock on the wall ends it first; this is for a program that got rid of the timer. Beside the threads
  // that run blocks its own main may work.
  rules.cpu_seconds = int(order.timeout_s * (runtime().threads + 1)) + 2;
  (void)confine(rules);
}

}  // namespace

int program_worker_main(const std::string& order_file) {
  std::ifstream file(order_file);
  const auto order = parse_work_order({std::istreambuf_iterator<char>(file), {}});
  if (!order) {
    std::fprintf(stderr, "%s\n", order.error().text().c_str());
    return int(Exit::bad_input);
  }
  const int records = open(order->records.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
  if (records < 0) return int(Exit::bad_input);
  if (!order->input.empty())
    if (const int input = open(order->input.c_str(), O_RDONLY); input >= 0) dup2(input, STDIN_FILENO);
  if (!order->here.empty() && chdir(order->here.c_str()) != 0) std::perror("chdir");
  writer = new RecordWriter(records);
  the_tracer = new Tracer;
  Runtime& r = runtime();
  r.out = writer, r.choice = {order->all, order->launch, order->block};
  // Each may hold a thousand stacks, and all of them count as memory.
  constexpr int kMostThreads = 16;
  r.threads = std::min(kMostThreads, order->threads > 0 ? order->threads : simt::threads_to_use());
  watch_signals(order->timeout_s);  // before calls raise
  confine_for(*order);
  on_exit(finish, nullptr);
  const auto entry = load_objects(order->program, order->traced);
  if (!entry) {
    writer->note("load " + entry.error().text());
    std::exit(int(Exit::bad_input));
  }
  static std::vector<std::string> words{order->name};
  words.insert(words.end(), order->arguments.begin(), order->arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  reserve = std::make_unique<char[]>(kReserveBytes);
  // An exception that nobody catches ends it where it was thrown.
  const auto run = [&]() noexcept { return (*entry)(int(words.size()), arguments.data()); };
  std::exit(run());
}

}  // namespace lockstep::reader
