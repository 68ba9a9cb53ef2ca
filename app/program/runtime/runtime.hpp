// What the runtime of a reader's program holds: errors, the described device, what each launch left, and how
// much is to be traced. Everything here lives in the worker, which runs one program and ends.
#pragma once
#include <csetjmp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/cache.hpp"
#include "app/model/gpu.hpp"
#include "record.hpp"
#include "tracer.hpp"

namespace lockstep::reader {

constexpr std::uintptr_t kFirstStream = 16;  // the handles of streams count from here

struct TraceChoice {
  bool all = false;
  int launch = -1;         // of which all blocks are traced; -1 = none
  std::int64_t block = 0;  // followed
};

// What a launch asks for, without the types of the kernel.
struct LaunchCall {
  std::string file, name, texts;
  int line = 0;
  std::uint32_t site = 0;
  lab::Extents grid, block;
  std::int64_t shared = 0;
  const void* stream = nullptr;
  const void* function = nullptr;
  void (*invoke)(const void* function, void* state) = nullptr;
  void* state = nullptr;
  std::uint64_t state_bytes = 0;
  std::vector<RawArgument> arguments;
  bool cooperative = false;
  std::shared_ptr<void> kept{};  // the state, of a launch in a graph
  void* (*keep)(const void* state, void* old) = nullptr;
};

class Runtime {
 public:
  Runtime();
  TraceChoice choice;
  Gpu gpu;
  int threads = 1;
  bool confined = false;  // by the sandbox
  RecordWriter* out = nullptr;

  // Errors by the runtime's numbers. A sticky one stays for good.
  int error = 0;
  bool sticky = false;
  int fail(int code) {
    if (code) error = code;
    return code;
  }
  std::uint32_t refused_site = 0;  // of a launch whose refusal nobody has asked for yet
  int refused_launch = -1;

  std::map<const void*, std::int64_t> dynamic_limits;  // cudaFuncSetAttribute, by kernel

  bool cooperative_launch = false;  // the one that runs

  // While a graph runs: which launch of a graph it is, from 1, and the call that made the node.
  int graph_launch = 0, graph_launches = 0;
  std::uint32_t graph_site = 0;

  void launch(LaunchCall call);
  // Not within a kernel, and no sticky error.
  bool usable() const { return !sticky; }
  int launches() const { return launches_; }
  // At the end: what was left undone.
  void end();

  // In a kernel that cannot go on: back to launch(), which leaves its machine as it is.
  [[noreturn]] void abandon(int error_code);
  bool in_kernel() const;
  // A crash in a kernel ends there and not the process. False: it was not in a kernel of this thread.
  bool recover(int error_code);

 private:
  bool refuse(const LaunchCall& call, LaunchRecord& record);
  std::int64_t blocks_to_trace(const LaunchCall& call, std::int64_t blocks, const void* traced);
  void trace(const LaunchCall& call, const void* traced, std::int64_t most, LaunchRecord& record);
  // False where a kernel was left by force (abandon()): a crash ends the kernel and not the program.
  bool comes_to_its_end(const std::function<void()>& kernels);
  void run_together(const LaunchCall& call, const void* traced, std::int64_t most, LaunchRecord& record);
  void take_notes(simt::Machine& machine);
  void run_twins(const LaunchCall& call, const std::vector<bool>& done);
  void keep_arrays(const LaunchCall& call, LaunchRecord& record);
  std::vector<ViewInfo> views_for(const LaunchCall& call);

  CacheModel l2_;
  int launches_ = 0;
  std::map<std::pair<const void*, std::string>, int> traced_times_;  // by kernel and grid
  std::uint64_t kept_bytes_ = 0;
  std::jmp_buf back_;
  volatile bool can_return_ = false;
  volatile int abandoned_ = 0;
};

Runtime& runtime();

// Signals of this thread of the host are handled on a stack of their own: its own may be what has run out.
void use_signal_stack();

// What the emulator's machines are told of a launch.
simt::Options machine_options(bool traced);
simt::Config config_of(const LaunchCall& call);

// Dynamic shared memory of the running block on this thread, and the start of its shared memory.
void* dynamic_shared();
// The site of the caller's caller, while a traced block runs; else 0.
std::uint32_t site_here(void* return_address);

}  // namespace lockstep::reader
