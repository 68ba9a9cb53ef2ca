// A launch: its first blocks traced, one after another; the others by the untraced twin, on all cores.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "app/devices/gpus.hpp"
#include "app/platform/program_objects.hpp"
#include "blocks_together.hpp"
#include "kernels/simt/workers.hpp"
#include "launch_fold.hpp"
#include "runtime.hpp"

namespace lockstep::reader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kTracedBlocks = 64;
constexpr auto kTracedFor = std::chrono::milliseconds(200);
constexpr int kTracedLaunches = 3;                                 // of one kernel and grid
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{96} << 20;  // of arrays, over all launches
constexpr int kMostLaunchRecords = 400;

thread_local std::unique_ptr<std::uint8_t[]> dynamic_bytes;
thread_local bool on_main_thread = false;  // the one that launches
constexpr std::size_t kDynamicRoom = std::size_t(simt::kMaxSharedBytes) + 8192;

// A machine per thread of the host, kept from launch to launch. None is taken down when the process ends: the
// stacks that it would give back may be gone by then.
simt::Machine& twin_machine() {
  static thread_local simt::Machine* machine = nullptr;
  if (!machine) machine = new simt::Machine(machine_options(false));
  return *machine;
}

std::unique_ptr<simt::Machine>& traced_machine() {
  static auto* machine = new std::unique_ptr<simt::Machine>;
  return *machine;
}

}  // namespace

simt::Options machine_options(bool traced) {
  constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 24;  // of a block: 335 MB
  simt::Options o;
  o.trace = o.checks = traced;
  o.max_block_events = kMostEvents;
  return o;
}

simt::Config config_of(const LaunchCall& call) {
  simt::Config config;
  config.name = call.name, config.grid = call.grid, config.block = call.block;
  config.dynamic_shared_bytes = call.shared;
  return config;
}

namespace {

std::int64_t product(const lab::Extents& e) { return std::int64_t(e.x) * e.y * e.z; }

// "stream 1", as they were made; the default one has no name, per thread or not.
std::string stream_name(const void* stream) {
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  return number < kFirstStream ? "" : "stream " + std::to_string(number - kFirstStream + 1);
}

}  // namespace

Runtime& runtime() {
  static Runtime the;
  return the;
}

Runtime::Runtime() : l2_(l2_shape(Gpu{})) {
  if (const Gpu* h200 = gpu_by_word("H200")) gpu = *h200;
  l2_ = CacheModel(l2_shape(gpu));
}

void* dynamic_shared() {
  if (!dynamic_bytes) dynamic_bytes = std::make_unique<std::uint8_t[]>(kDynamicRoom + 256);
  const auto at = reinterpret_cast<std::uintptr_t>(dynamic_bytes.get());
  return reinterpret_cast<void*>((at + 255) / 256 * 256);
}

namespace {

// A thread's own stack for signals. The one before comes back when the thread ends: who
// made it (a sanitizer) takes it away then, and would take ours for it.
class SignalStack {
 public:
  SignalStack() {
    stack_t stack{};
    stack.ss_sp = memory_.get(), stack.ss_size = kBytes;
    sigaltstack(&stack, &before_);
  }
  ~SignalStack() { sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 64 * 1024;
  std::unique_ptr<char[]> memory_ = std::make_unique<char[]>(kBytes);
  stack_t before_{};
};

}  // namespace

void use_signal_stack() { thread_local const SignalStack stack; }

std::uint32_t site_here(void* return_address) { return tracer().machine ? tracer().site(return_address) : 0; }

bool Runtime::in_kernel() const { return simt::machine != nullptr; }

void Runtime::abandon(int error_code) {
  abandoned_ = error_code;
  std::longjmp(back_, 1);
}

bool Runtime::recover(int error_code) {
  if (!can_return_ || !simt::machine || !on_main_thread) return false;
  abandon(error_code);
}

// As the runtime would refuse it.
bool Runtime::refuse(const LaunchCall& call, LaunchRecord& record) {
  const std::int64_t threads = product(call.block);
  std::int64_t most_shared = 48 * 1024;
  if (const auto set = dynamic_limits.find(call.function); set != dynamic_limits.end())
    most_shared = std::max(most_shared, set->second);
  const auto n = [](std::int64_t x) { return std::to_string(x); };
  int code = 1;  // cudaErrorInvalidValue: what CUDA 13 answers to all of these
  std::string why;
  if (threads > simt::kMaxThreads)
    why = "threads " + n(threads);
  else if (call.block.x > 1024 || call.block.y > 1024 || call.block.z > 64)
    why = "block " + n(call.block.x) + " " + n(call.block.y) + " " + n(call.block.z);
  else if (threads < 1)
    why = "no threads";
  else if (call.grid.x < 1 || call.grid.y < 1 || call.grid.z < 1)
    why = "no blocks";
  else if (call.grid.x > 0x7fffffff || call.grid.y > 65535 || call.grid.z > 65535)
    why = "grid " + n(call.grid.x) + " " + n(call.grid.y) + " " + n(call.grid.z);
  else if (call.shared > most_shared)
    why = "shared " + n(call.shared) + " " + n(most_shared);
  else if (call.cooperative && product(call.grid) > gpu.multiprocessors * std::int64_t{32})
    why = "cooperative " + n(product(call.grid)), code = 720;
  if (why.empty()) return false;
  record.refused = why;
  fail(code);
  refused_site = call.site, refused_launch = launches_;
  return true;
}

std::int64_t Runtime::blocks_to_trace(const LaunchCall& call, std::int64_t blocks, const void* traced) {
  if (!traced) return 0;
  if (choice.all || choice.launch == launches_) return blocks;
  const std::string grid = std::to_string(call.grid.x) + "," + std::to_string(call.grid.y) + "," +
                           std::to_string(call.grid.z) + "," + std::to_string(product(call.block));
  if (++traced_times_[{call.function, grid}] > kTracedLaunches) return 0;
  return std::min(blocks, kTracedBlocks);
}

std::vector<ViewInfo> Runtime::views_for(const LaunchCall& call) {
  Tracer& t = tracer();
  for (const RawArgument& a : call.arguments) {
    if (a.kind != 'p' || a.array < 0) continue;
    Allocation& allocation = *t.memory.all()[std::size_t(a.array)];
    ProgramArray& array = allocation.array;
    if (a.element_bytes && (array.type == "bytes" || array.element_bytes == 0) &&
        a.bits == allocation.region.begin)
      array.type = a.type, array.element_bytes = a.element_bytes;
  }
  std::vector<ViewInfo> views;
  for (const auto& a : t.memory.all()) {
    if (!a->live || a->region.quiet) continue;
    const std::uint32_t bytes = std::max(1u, a->array.element_bytes);
    t.memory.watch(*a, a->array.type == "bytes" && bytes < 4 ? 4
                       : bytes % 4 == 0                      ? 4
                       : bytes % 2 == 0                      ? 2
                                                             : 1);
    ViewInfo view{
        a->region.view, a->array.name, Space::global, a->array.type, bytes, {a->region.bytes() / bytes}, 0};
    const auto same =
        std::find_if(views.begin(), views.end(), [&](const ViewInfo& v) { return v.id == view.id; });
    if (same == views.end()) views.push_back(std::move(view));
  }
  return views;
}

void Runtime::take_notes(simt::Machine& machine) {
  const simt::BlockNotes notes = machine.take_notes();
  tracer().take(notes.findings);
  std::fwrite(notes.printed.data(), 1, notes.printed.size(), stdout);
}

bool Runtime::comes_to_its_end(const std::function<void()>& kernels) {
  if (setjmp(back_) == 0) {
    can_return_ = true;
    kernels();
    can_return_ = false;
    return true;
  }
  can_return_ = false;
  simt::machine = nullptr, simt::current = nullptr;
  return false;
}

void Runtime::trace(const LaunchCall& call, const void* traced, std::int64_t most, LaunchRecord& record) {
  Tracer& t = tracer();
  auto& machine = traced_machine();
  // A fresh one per launch: the names that it gives to shared arrays are this launch's.
  machine.reset();
  machine = std::make_unique<simt::Machine>(machine_options(true));
  const std::function<void()> kernel = [&call, traced] {
    call.invoke(traced, call.state);
    tracer().end_thread();
  };
  const simt::Config config = config_of(call);
  if (!machine->begin_launch(config, kernel)) return;
  t.begin_launch(reinterpret_cast<std::uintptr_t>(call.state), call.state_bytes);
  t.dynamic_bytes = call.shared;
  record.launch.views = views_for(call);
  const std::int64_t followed = std::clamp<std::int64_t>(choice.block, 0, record.blocks - 1);
  LaunchFold fold(record, followed, l2_, gpu);
  std::vector<bool> done(std::size_t(record.blocks), false);
  const auto until = Clock::now() + kTracedFor;
  const bool unlimited = most == record.blocks && (choice.all || choice.launch == launches_);
  const auto run_block = [&](std::int64_t block) {
    t.begin_block(block, std::size_t(product(call.block)));
    t.machine = machine.get();
    const bool ended = comes_to_its_end([&] { (void)machine->run(block); });
    t.machine = nullptr;
    if (!ended) {  // its fibers stay where they stand
      (void)machine.release();
      return false;
    }
    t.end_block();
    take_notes(*machine);
    fold.add(block, *machine);
    done[std::size_t(block)] = true;
    return true;
  };
  bool going = true;
  for (std::int64_t block = 0; going && block < record.blocks; ++block) {
    if (block != followed && (block >= most || (!unlimited && Clock::now() > until))) continue;
    if (block > followed && block >= most) break;
    going = run_block(block);
  }
  if (machine) fold.finish(*machine);
  if (going) run_twins(call, done);
}

// A grid whose blocks wait for one another: all of them run together, on this thread.
void Runtime::run_together(const LaunchCall& call, const void* traced, std::int64_t most,
                           LaunchRecord& record) {
  Tracer& t = tracer();
  t.begin_launch(reinterpret_cast<std::uintptr_t>(call.state), call.state_bytes);
  t.dynamic_bytes = call.shared;
  record.launch.views = views_for(call);
  auto blocks = std::make_unique<BlocksTogether>(call, traced, most);
  if (!comes_to_its_end([&] { blocks->run(); })) {
    t.machine = nullptr;
    BlocksTogether::forget_running();
    (void)blocks.release();  // their fibers stay where they stand
    return;
  }
  const std::int64_t followed =
      std::clamp<std::int64_t>(choice.block, 0, std::max<std::int64_t>(0, most - 1));
  LaunchFold fold(record, followed, l2_, gpu);
  for (std::int64_t b = 0; b < record.blocks; ++b) {
    take_notes(blocks->machine(b));
    if (b < most) fold.add(b, blocks->machine(b));
  }
  if (most > 0) fold.finish(blocks->machine(0));
}

void Runtime::run_twins(const LaunchCall& call, const std::vector<bool>& done) {
  const std::int64_t blocks = product(call.grid);
  const std::int64_t left = blocks - std::count(done.begin(), done.end(), true);
  if (left == 0) return;
  const std::int64_t chunk = std::max<std::int64_t>(1, std::min<std::int64_t>(256, blocks / (threads * 8)));
  const auto items = int((blocks + chunk - 1) / chunk);
  const std::function<void()> kernel = [&call] { call.invoke(call.function, call.state); };
  const simt::Config config = config_of(call);
  std::vector<std::string> printed(static_cast<std::size_t>(items));
  std::vector<char> begun(std::size_t(std::max(1, threads)), 0);
  const auto job = [&](int worker, int item) {
    use_signal_stack();
    simt::Machine& machine = twin_machine();
    if (!begun[std::size_t(worker)]) machine.begin_launch(config, kernel), begun[std::size_t(worker)] = 1;
    for (std::int64_t b = item * chunk; b < std::min(blocks, (item + 1) * chunk); ++b) {
      if (!done.empty() && done[std::size_t(b)]) continue;
      (void)machine.run(b);
      simt::BlockNotes notes = machine.take_notes();
      printed[std::size_t(item)] += notes.printed;
    }
  };
  (void)comes_to_its_end([&] { simt::for_each_item(items, threads, job); });
  for (const std::string& text : printed) std::fwrite(text.data(), 1, text.size(), stdout);
}

// The arrays that the launch was given, as it left them.
void Runtime::keep_arrays(const LaunchCall& call, LaunchRecord& record) {
  Tracer& t = tracer();
  std::vector<int> kept;
  for (const RawArgument& a : call.arguments)
    if (a.array >= 0 && std::find(kept.begin(), kept.end(), a.array) == kept.end()) kept.push_back(a.array);
  for (const int index : kept) {
    const Allocation& a = *t.memory.all()[std::size_t(index)];
    const std::uint64_t bytes = a.region.bytes();
    if (!a.live || bytes > kMaxKeptElements * 8 || kept_bytes_ + bytes > kMostKeptBytes) continue;
    kept_bytes_ += bytes;
    const auto* at = reinterpret_cast<const std::uint8_t*>(a.region.begin);
    record.buffers.push_back({a.region.view, {at, at + bytes}});
  }
}

void Runtime::launch(LaunchCall call) {
  Tracer& t = tracer();
  on_main_thread = true;
  if (!usable()) return;
  LaunchRecord record;
  record.name = call.name, record.file = call.file, record.line = call.line, record.texts = call.texts;
  for (RawArgument& a : call.arguments)
    if (a.kind == 'p')
      if (Allocation* found = t.memory.find(a.bits)) a.array = t.memory.index_of(*found);
  record.arguments = call.arguments, record.graph = graph_launch;
  if (call.stream) record.stream = stream_name(call.stream);
  record.launch.kernel = call.name;
  record.launch.grid = {call.grid.x, call.grid.y, call.grid.z};
  record.launch.block = {call.block.x, call.block.y, call.block.z};
  record.launch.dynamic_shared_bytes = record.shared_bytes = call.shared;
  record.blocks = product(call.grid);
  t.launch = launches_;
  out->begin_launch(call.name, launches_);
  abandoned_ = 0, cooperative_launch = call.cooperative;
  if (!refuse(call, record)) {
    const void* traced = traced_counterpart(call.function);
    const std::int64_t most = blocks_to_trace(call, record.blocks, traced);
    if (call.cooperative && record.blocks > 1 && BlocksTogether::fits(call))
      run_together(call, traced, most, record);
    else if (most > 0)
      trace(call, traced, most, record);
    else
      run_twins(call, {});
    if (abandoned_) sticky = true, error = abandoned_;
    std::fflush(stdout);
    if (record.traced_blocks > 0) keep_arrays(call, record);
  }
  if (launches_ < kMostLaunchRecords) out->launch(record);
  ++launches_;
}

// What a program that has ended by itself left undone.
void Runtime::end() {
  Tracer& t = tracer();
  t.launch = -1;
  if (refused_site) {
    RawFinding f;
    f.kind = "launch", f.launch = refused_launch, f.site = refused_site;
    t.findings.add(std::move(f));
  }
  if (sticky) return;
  for (const auto& a : t.memory.all()) {
    RawFinding f;
    f.array = t.memory.index_of(*a), f.site = a->site;
    const bool device = a->array.memory == ProgramArray::Memory::device;
    if (device && a->written && !a->read && !a->fetched) {
      f.kind = "missing_copy";
      t.findings.add(f);
    }
    if (!a->live || !t.memory.holds(a->region.begin)) continue;
    f.kind = "leak";
    t.findings.add(std::move(f));
  }
}

}  // namespace lockstep::reader
