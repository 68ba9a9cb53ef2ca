#include "fibers.hpp"

#include <atomic>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <vector>

#ifndef __has_feature  // clang++ tells by it what g++ tells by macros
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define LOCKSTEP_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define LOCKSTEP_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace lockstep::simt {
namespace context = boost::context;
namespace {

constexpr std::size_t kStackBytes = 128 * 1024;  // of addresses: memory is taken as it is used

// Stacks with guard pages, kept from run to run: to map and to fault in a thousand of them takes longer than
// most blocks. Pages begin at multiples of 16, which the code on them relies on.
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool() {
    for (context::stack_context& c : free_) stack_.deallocate(c);
  }
  context::stack_context take() {
    const Held held(busy_);
    if (free_.empty()) return stack_.allocate();
    const context::stack_context c = free_.back();
    free_.pop_back();
    return c;
  }
  void give_back(const context::stack_context& c) {
    const Held held(busy_);
    free_.push_back(c);
  }

 private:
  struct Held {  // for a few instructions, so that nobody is put to sleep over it
    explicit Held(std::atomic_flag& flag) : flag_(flag) {
      while (flag_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Held() { flag_.clear(std::memory_order_release); }
    std::atomic_flag& flag_;
  };
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  context::protected_fixedsize_stack stack_{kStackBytes};
  std::vector<context::stack_context> free_;
};

StackPool& stack_pool() {
  static StackPool pool;
  return pool;
}

struct Bounds {
  const void* bottom = nullptr;
  std::size_t size = 0;
};

// AddressSanitizer has to be told of every change of stack, and a stack that is given back must not stay
// poisoned.
#ifdef LOCKSTEP_ASAN
void leave_for(void** own_fake_stack, Bounds to) {
  __sanitizer_start_switch_fiber(own_fake_stack, to.bottom, to.size);
}
void arrived(void* own_fake_stack, Bounds* from) {
  __sanitizer_finish_switch_fiber(own_fake_stack, &from->bottom, &from->size);
}
void unpoison(Bounds stack) { __asan_unpoison_memory_region(stack.bottom, stack.size); }
#else
void leave_for(void**, Bounds) {}
void arrived(void*, Bounds*) {}
void unpoison(Bounds) {}
#endif

// ThreadSanitizer keeps a shadow of each stack.
#ifdef LOCKSTEP_TSAN
void* make_shadow() { return __tsan_create_fiber(0); }
void free_shadow(void* shadow) { __tsan_destroy_fiber(shadow); }
void* running_shadow() { return __tsan_get_current_fiber(); }
void switch_shadow(void* shadow) { __tsan_switch_to_fiber(shadow, 0); }
#else
void* make_shadow() { return nullptr; }
void free_shadow(void*) {}
void* running_shadow() { return nullptr; }
void switch_shadow(void*) {}
#endif

// A stack of the pool that tells where it lies.
class Stack {
 public:
  using traits_type = context::protected_fixedsize_stack::traits_type;
  explicit Stack(Bounds* bounds) : bounds_(bounds) {}
  context::stack_context allocate() {
    const context::stack_context c = stack_pool().take();
    *bounds_ = {static_cast<char*>(c.sp) - c.size, c.size};
    return c;
  }
  void deallocate(context::stack_context& c) {
    unpoison({static_cast<char*>(c.sp) - c.size, c.size});
    stack_pool().give_back(c);
  }

 private:
  Bounds* bounds_;
};

struct Fiber {
  context::fiber context;  // where it goes on; empty while it runs
  Bounds bounds;
  void* shadow = nullptr;
};

}  // namespace

struct Fibers::Stacks {
  // Ends a body where it stands. Boost.Context would do so by itself, but tell no sanitizer of the changes of
  // stack.
  struct Unwind {};

  void (*body)(void*);
  void* argument;
  std::vector<std::unique_ptr<Fiber>> all;  // [kMain] is the stack that asked
  std::vector<int> parked;
  int running = kMain, left = kMain;  // left: whose stack was left for the running one
  bool ending = false;

  void leave(int to, void** fake_stack) {
    left = running, running = to;
    leave_for(fake_stack, all[std::size_t(to)]->bounds);
  }
  void arrive(void* fake_stack, context::fiber&& from) {
    Bounds bounds;
    arrived(fake_stack, &bounds);
    if (left == kMain) all[kMain]->bounds = bounds;
    all[std::size_t(left)]->context = std::move(from);  // empty where that fiber has ended
  }
  // ThreadSanitizer counts the functions that each stack has entered: none may return between the change of
  // shadow and the jump, so all stand in one. A fiber that ends returns from some, and its shadow is left
  // after the jump.
  [[gnu::flatten]] void go(int to) {
    void* fake_stack = nullptr;
    if (running == kMain) all[kMain]->shadow = running_shadow();
    leave(to, &fake_stack);
    switch_shadow(all[std::size_t(to)]->shadow);
    context::fiber from = std::move(all[std::size_t(to)]->context).resume();
    if (!from) switch_shadow(all[kMain]->shadow);
    arrive(fake_stack, std::move(from));
  }
  context::fiber run(context::fiber&& from) {
    arrive(nullptr, std::move(from));
    try {
      if (!ending) body(argument);
    } catch (const Unwind&) {
    }
    leave(kMain, nullptr);
    return std::move(all[kMain]->context);
  }
};

Fibers::Fibers(void (*body)(void*), void* argument) : stacks_(std::make_unique<Stacks>()) {
  stacks_->body = body, stacks_->argument = argument;
  stacks_->all.push_back(std::make_unique<Fiber>());
}

Fibers::~Fibers() { drop(); }

int Fibers::take() {
  Stacks& s = *stacks_;
  if (!s.parked.empty()) {
    const int fiber = s.parked.back();
    s.parked.pop_back();
    return fiber;
  }
  auto fresh = std::make_unique<Fiber>();
  fresh->shadow = make_shadow();
  fresh->context = context::fiber(std::allocator_arg, Stack(&fresh->bounds),
                                  [&s](context::fiber&& from) { return s.run(std::move(from)); });
  s.all.push_back(std::move(fresh));
  return int(s.all.size()) - 1;
}

void Fibers::switch_to(int fiber) {
  stacks_->go(fiber);
  if (stacks_->ending && stacks_->running != kMain) throw Stacks::Unwind{};
}

bool Fibers::park_for(int fiber) {
  stacks_->parked.push_back(stacks_->running);
  stacks_->go(fiber);
  return !stacks_->ending;
}

// Parked fibers return by themselves, which is quick; those in the middle of a body are unwound.
void Fibers::drop() {
  Stacks& s = *stacks_;
  s.ending = true;
  s.parked.clear();
  for (std::size_t f = 1; f < s.all.size(); ++f) {
    if (s.all[f]->context) s.go(int(f));
    if (s.all[f]->shadow) free_shadow(s.all[f]->shadow);
  }
  s.all.resize(1);
  s.ending = false;
}

}  // namespace lockstep::simt
