#include "machine.hpp"

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)  // g++
#define LOCKSTEP_ASAN
#elif defined(__has_feature)  // clang++
#if __has_feature(address_sanitizer)
#define LOCKSTEP_ASAN
#endif
#endif
#ifdef LOCKSTEP_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace lockstep::simt {
namespace context = boost::context;

namespace {
constexpr std::size_t kStackBytes = 64 * 1024;
constexpr std::size_t kWarp = 32;
constexpr std::size_t kFirstSlots = 64;  // events per thread before a buffer grows

std::string n(std::int64_t x) { return std::to_string(x); }
}  // namespace

// Stacks with guard pages, kept from run to run: to map and to fault in a thousand of them takes longer than
// most blocks. One pool for each thread of the host: a machine runs a launch on one.
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool() {
    for (context::stack_context& c : free_) stack_.deallocate(c);
  }
  context::stack_context take() {
    if (free_.empty()) return stack_.allocate();
    const context::stack_context c = free_.back();
    free_.pop_back();
    return c;
  }
  void give_back(const context::stack_context& c) { free_.push_back(c); }

 private:
  context::protected_fixedsize_stack stack_{kStackBytes};
  std::vector<context::stack_context> free_;
};

StackPool& stack_pool() {
  static thread_local StackPool pool;
  return pool;
}

// One fiber per thread slot, kept from block to block: each resume runs the kernel to the next barrier or its
// end.
struct Fiber {
  struct Bounds {
    const void* bottom = nullptr;
    std::size_t size = 0;
  };
  std::vector<context::fiber> threads;
  std::vector<context::fiber> schedulers;  // where thread t goes back to
  std::vector<Bounds> stacks;
  Bounds scheduler_stack;
  bool stopping = false;  // the next resume lets the fiber end
};

namespace {

// AddressSanitizer has to be told of every change of stack, and a stack that is given back must not stay
// poisoned.
#ifdef LOCKSTEP_ASAN
void leave_for(void** own_fake_stack, Fiber::Bounds to) {
  __sanitizer_start_switch_fiber(own_fake_stack, to.bottom, to.size);
}
void arrived(void* own_fake_stack, Fiber::Bounds* from) {
  __sanitizer_finish_switch_fiber(own_fake_stack, from ? &from->bottom : nullptr,
                                  from ? &from->size : nullptr);
}
void unpoison(Fiber::Bounds stack) { __asan_unpoison_memory_region(stack.bottom, stack.size); }
#else
void leave_for(void**, Fiber::Bounds) {}
void arrived(void*, Fiber::Bounds*) {}
void unpoison(Fiber::Bounds) {}
#endif

// A stack of the pool that tells where it lies.
class Stack {
 public:
  using traits_type = context::protected_fixedsize_stack::traits_type;
  explicit Stack(Fiber::Bounds* bounds) : pool_(&stack_pool()), bounds_(bounds) {}
  context::stack_context allocate() {
    const context::stack_context c = pool_->take();
    *bounds_ = {static_cast<char*>(c.sp) - c.size, c.size};
    return c;
  }
  void deallocate(context::stack_context& c) {
    unpoison({static_cast<char*>(c.sp) - c.size, c.size});
    pool_->give_back(c);
  }

 private:
  StackPool* pool_;
  Fiber::Bounds* bounds_;
};

// From the scheduler into thread t and back.
void resume_thread(Fiber& fiber, std::size_t t) {
  void* fake_stack = nullptr;
  leave_for(&fake_stack, fiber.stacks[t]);
  fiber.threads[t] = std::move(fiber.threads[t]).resume();
  arrived(fake_stack, nullptr);
}

// From thread t to the scheduler and back.
void yield_thread(Fiber& fiber, std::size_t t) {
  void* fake_stack = nullptr;
  leave_for(&fake_stack, fiber.scheduler_stack);
  fiber.schedulers[t] = std::move(fiber.schedulers[t]).resume();
  arrived(fake_stack, &fiber.scheduler_stack);
}

}  // namespace

Machine::Machine(Options options)
    : options_(std::move(options)),
      fiber_(std::make_unique<Fiber>()),
      shared_(std::make_unique<std::uint8_t[]>(kMaxSharedBytes + 128)) {}

Machine::~Machine() = default;

bool Machine::refuse(const Config& c) {
  const std::int64_t threads = std::int64_t(c.block.x) * c.block.y * c.block.z;
  const std::int64_t blocks = std::int64_t(c.grid.x) * c.grid.y * c.grid.z;
  Message why;
  if (threads < 1 || threads > kMaxThreads)
    why = {"a block of {0} threads cannot be launched: 1 to {1} are possible", {n(threads), n(kMaxThreads)}};
  else if (blocks < 1)
    why = {"a grid of {0} blocks cannot be launched", {n(blocks)}};
  else if (c.dynamic_shared_bytes > kMaxSharedBytes)
    why = {"{0} bytes of shared memory per block cannot be launched: {1} are possible",
           {n(c.dynamic_shared_bytes), n(kMaxSharedBytes)}};
  if (why.id.empty()) return false;
  find("launch", 0, 0, 0, why);
  return true;
}

// Thread slots, event buffers and fibers for blocks of this shape.
void Machine::prepare(const Config& c) {
  const std::size_t threads = std::size_t(c.block.x) * c.block.y * c.block.z;
  grid_dim = {unsigned(c.grid.x), unsigned(c.grid.y), unsigned(c.grid.z)};
  block_dim = {unsigned(c.block.x), unsigned(c.block.y), unsigned(c.block.z)};
  fiber_->threads.clear();
  fiber_->threads.resize(threads);
  fiber_->schedulers.clear();
  fiber_->schedulers.resize(threads);
  fiber_->stacks.assign(threads, {});
  threads_.assign(threads, {});
  seen_.assign(threads * kWarp, 0);
  slots_.resize(std::max(slots_.size(), threads));
  slots_taken_ = threads * kFirstSlots;
  for (std::size_t t = 0; t < threads; ++t) {
    Thread& thread = threads_[t];
    thread.linear = std::uint16_t(t);
    thread.index = {unsigned(t % block_dim.x), unsigned(t / block_dim.x % block_dim.y),
                    unsigned(t / block_dim.x / block_dim.y)};
    slots_[t] = std::make_unique<Access[]>(kFirstSlots);
    thread.begin = thread.next = slots_[t].get();
    thread.end = thread.begin + kFirstSlots;
  }
  arrays_.clear();
  shared_used_ = std::uint64_t(c.dynamic_shared_bytes + 127) / 128 * 128;
  dynamic_bytes_ = c.dynamic_shared_bytes;
  dynamic_cells_.assign(std::size_t(dynamic_bytes_ + 3) / 4, {});
}

void Machine::grow(Thread& thread) {
  const std::size_t used = std::size_t(thread.next - thread.begin);
  if (slots_taken_ + used > options_.max_block_events) {
    overflowed_ = true;
    thread.next = thread.begin;
    return;
  }
  slots_taken_ += used;
  auto larger = std::make_unique<Access[]>(2 * used);
  std::copy(thread.begin, thread.next, larger.get());
  thread.begin = larger.get(), thread.next = thread.begin + used, thread.end = thread.begin + 2 * used;
  slots_[thread.linear] = std::move(larger);
}

bool Machine::launch(const Config& config, const std::function<void()>& kernel, const OnBlock& on_block) {
  if (refuse(config)) return false;
  prepare(config);
  kernel_ = &kernel;
  machine = this;
  const std::int64_t blocks = std::int64_t(config.grid.x) * config.grid.y * config.grid.z;
  bool go_on = true;
  if (options_.blocks.empty())
    for (std::int64_t b = 0; b < blocks && go_on; ++b) run_block(b, on_block, go_on);
  else
    for (std::int64_t b : options_.blocks)
      if (b < blocks && go_on) run_block(b, on_block, go_on);
  stop_fibers();
  machine = nullptr, current = nullptr;
  return go_on;
}

void Machine::run_block(std::int64_t block, const OnBlock& on_block, bool& go_on) {
  block_ = block;
  block_index = {unsigned(block % grid_dim.x), unsigned(block / grid_dim.x % grid_dim.y),
                 unsigned(block / grid_dim.x / grid_dim.y)};
  block_epoch_ = ++epoch_;
  // Shared memory holds no values when a block starts; NaN shows where a kernel reads it all the same.
  std::memset(shared_.get(), 0xff, shared_used_);
  for (Thread& t : threads_) {
    t.state = Thread::State::ready, t.waiting_line = 0, t.next = t.begin, t.group = 0;
    t.pending.clear(), t.copies.clear();
  }
  run_threads();
  if (!refused_.empty()) {
    go_on = false;
    return;
  }
  std::vector<std::span<const Access>> streams;
  std::vector<std::span<const Copy>> copies;
  streams.reserve(threads_.size());
  bool any_copies = false;
  for (Thread& t : threads_) {
    streams.emplace_back(t.begin, t.next);
    any_copies |= !t.copies.empty();
  }
  if (any_copies)
    for (Thread& t : threads_) copies.emplace_back(t.copies);
  go_on = on_block(block, streams, copies);
}

// A fiber runs the kernel once per block until it is told to stop; nothing is ever unwound.
void Machine::start_fiber(std::size_t t) {
  fiber_->threads[t] =
      context::fiber(std::allocator_arg, Stack(&fiber_->stacks[t]), [this, t](context::fiber&& back) {
        arrived(nullptr, &fiber_->scheduler_stack);
        fiber_->schedulers[t] = std::move(back);
        while (!fiber_->stopping) {
          (*kernel_)();
          threads_[t].state = Thread::State::done;
          leave(t);
        }
        leave_for(nullptr, fiber_->scheduler_stack);
        return std::move(fiber_->schedulers[t]);
      });
}

void Machine::stop_fibers() {
  // Fibers that stand in the middle of a kernel are unwound by Boost.Context when they are destroyed.
  if (!refused_.empty()) return fiber_->threads.clear();
  fiber_->stopping = true;
  for (std::size_t t = 0; t < fiber_->threads.size(); ++t)
    if (fiber_->threads[t]) resume_thread(*fiber_, t);
  fiber_->threads.clear();
  fiber_->stopping = false;
}

void Machine::leave(std::size_t thread) { yield_thread(*fiber_, thread); }

// Rounds: every warp runs until its threads are done or stand at a barrier.
void Machine::run_threads() {
  for (bool any = true; any;) {
    any = false;
    for (std::size_t first = 0; first < threads_.size(); first += kWarp)
      any |= run_warp(first, std::min(first + kWarp, threads_.size()));
    if (!refused_.empty()) return;
    if (any && options_.checks) check_barrier_round();
    for (Thread& t : threads_)
      if (!t.done()) t.state = Thread::State::ready, t.waiting_line = 0;
    ++epoch_;
  }
}

// Runs the threads first .. last - 1 of one warp; true if one of them waits at a barrier.
bool Machine::run_warp(std::size_t first, std::size_t last) {
  bool any = false, met = true;
  while (met) {
    any = met = false;
    for (std::size_t t = first; t < last; ++t) {
      Thread& thread = threads_[t];
      if (thread.state == Thread::State::ready) {
        current = &thread;
        if (!fiber_->threads[t]) start_fiber(t);
        resume_thread(*fiber_, t);
        if (!refused_.empty()) return false;
      }
      any |= !thread.done();
      met |= thread.state == Thread::State::at_collective;
    }
    if (met) met = complete_collectives(first, last);
  }
  return any;
}

void Machine::barrier(const char* file, int line) {
  Thread& me = *current;
  if (options_.trace) record({0, 0, 0, file_id_of(file), std::uint16_t(line), 0, 0, Kind::barrier});
  if (threads_.size() == 1) {
    ++epoch_;
    return;
  }
  me.waiting_line = std::uint16_t(line);
  me.state = Thread::State::at_barrier;
  leave(me.linear);
}

void Machine::print(std::string_view text) {
  constexpr std::size_t kMaxPrinted = 64 * 1024;
  printed_ += text.substr(0, kMaxPrinted - std::min(kMaxPrinted, printed_.size()));
}

// The fiber is given up where it stands; the machine starts afresh at the next launch.
void Machine::refuse_waiting(const char* name) {
  refused_ = name;
  for (;;) leave(current->linear);
}

// Some thread waits at a barrier: all of them have to, and at the same one.
void Machine::check_barrier_round() {
  const Thread* waiting = nullptr;
  for (const Thread& t : threads_)
    if (!t.done()) {
      waiting = &t;
      break;
    }
  for (const Thread& t : threads_) {
    if (!t.done() && t.waiting_line == waiting->waiting_line) continue;
    const Message what =
        t.done()
            ? Message{"thread {0} ended without reaching the barrier at line {1}, where thread {2} waits",
                      {n(t.linear), n(waiting->waiting_line), n(waiting->linear)}}
            : Message{"thread {0} waits at the barrier at line {1}, thread {2} at another one at line {3}",
                      {n(waiting->linear), n(waiting->waiting_line), n(t.linear), n(t.waiting_line)}};
    find("barrier_divergence", waiting->linear, waiting->waiting_line, last_file_, what, t.linear,
         t.waiting_line);
    return;
  }
}

SharedArray* Machine::shared_array(const char* name, int line, std::uint32_t element_bytes, const char* type,
                                   std::uint64_t rows, std::uint64_t cols, bool two_dimensional,
                                   std::int64_t dynamic_byte) {
  const auto id = std::uint16_t(kFirstSharedView + line);
  for (auto& known : arrays_)
    if (known->id == id) return known.get();
  auto array = std::make_unique<SharedArray>();
  array->id = id;
  array->bytes = rows * cols * element_bytes;
  array->cell_bytes = std::min(element_bytes, 4u);
  const bool dynamic = dynamic_byte >= 0;
  const bool fits = dynamic ? dynamic_byte + std::int64_t(array->bytes) <= dynamic_bytes_
                            : shared_used_ + array->bytes <= std::uint64_t(kMaxSharedBytes);
  if (!fits) {
    find("launch", current->linear, line, 0,
         {"shared array {0} of {1} bytes does not fit into the block's shared memory",
          {name, n(std::int64_t(array->bytes))}});
    array->bytes = 0;  // every access is out of bounds
  }
  array->dynamic_byte = dynamic_byte;
  // Arrays of whole cells may lie over each other: one account says who touched the bytes last. Narrower
  // elements keep their own.
  const auto count = std::size_t((array->bytes + array->cell_bytes - 1) / array->cell_bytes);
  if (dynamic && array->cell_bytes == 4 && dynamic_byte % 4 == 0 && array->bytes > 0) {
    array->cells = std::span(dynamic_cells_).subspan(std::size_t(dynamic_byte) / 4, count);
  } else {
    array->own_cells.resize(count);
    array->cells = array->own_cells;
  }
  for (const auto& other : arrays_)
    if (dynamic && other->dynamic_byte >= 0 && !(array->own_cells.empty() && other->own_cells.empty()) &&
        other->dynamic_byte < dynamic_byte + std::int64_t(array->bytes) &&
        dynamic_byte < other->dynamic_byte + std::int64_t(other->bytes))
      find("launch", current->linear, line, 0,
           {"shared array {0} lies over another one in dynamic shared memory", {name}});
  if (dynamic && dynamic_byte % std::min<std::int64_t>(element_bytes, 16) != 0)
    find("launch", current->linear, line, 0,
         {"shared array {0} starts at byte {1}, which its elements of {2} bytes cannot",
          {name, n(dynamic_byte), n(element_bytes)}});
  array->data = shared_.get() + (dynamic ? std::uint64_t(dynamic_byte) : shared_used_);
  if (!dynamic) {
    if (fits) std::memset(array->data, 0xff, array->bytes);
    shared_used_ += (array->bytes + 127) / 128 * 128;
  }
  if (std::none_of(shared_views_.begin(), shared_views_.end(), [&](auto& v) { return v.id == id; })) {
    ViewInfo view{id, name, Space::shared, type, element_bytes, {rows}, 0};
    if (two_dimensional) view.shape = {rows, cols}, view.pitch = std::uint32_t(cols);
    shared_views_.push_back(std::move(view));
  }
  arrays_.push_back(std::move(array));
  return arrays_.back().get();
}

std::uint16_t Machine::remember_file(const char* path) {
  const std::uint16_t id = file_id(path);
  std::string_view name(path);
  if (auto slash = name.rfind('/'); slash != name.npos)
    if (auto folder = name.rfind('/', slash - 1); folder != name.npos) name.remove_prefix(folder + 1);
  if (std::none_of(files_.begin(), files_.end(), [&](auto& f) { return f.first == id; }))
    files_.emplace_back(id, std::string(name));
  return id;
}

std::string Machine::file_name(std::uint16_t id) const {
  for (const auto& [known, name] : files_)
    if (known == id) return name;
  return {};
}

}  // namespace lockstep::simt
