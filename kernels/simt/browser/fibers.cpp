// Fibers in WebAssembly: Emscripten's, which save and restore the frames of a stack by ASYNCIFY.
#include "kernels/simt/fibers.hpp"

#include <emscripten/fiber.h>

#include <cstdint>
#include <vector>

namespace lockstep::simt {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;      // of what has an address
constexpr std::size_t kSavedBytes = 8 * 1024;       // of a thread's frames while it waits
constexpr std::size_t kMainSavedBytes = 64 * 1024;  // of the frames from the module's entry to run_threads()

// A stack has to begin at a multiple of 16, which malloc does not promise: clang adds offsets by `or`.
struct alignas(16) Unit {
  std::uint8_t bytes[16];
};

struct Fiber {
  emscripten_fiber_t self{};
  std::unique_ptr<Unit[]> stack, saved;
};

}  // namespace

struct Fibers::Stacks {
  void (*body)(void*);
  void* argument;
  std::vector<std::unique_ptr<Fiber>> all;  // [kMain] is the stack that asked
  std::vector<int> parked;
  int running = kMain;

  // What a fiber starts with; its body never returns, since park_for() never says so.
  static void begin(void* stacks) {
    const auto& s = *static_cast<const Stacks*>(stacks);
    s.body(s.argument);
  }
  void go(int to) {
    Fiber& from = *all[std::size_t(running)];
    if (running == kMain)
      emscripten_fiber_init_from_current_context(&from.self, from.saved.get(), kMainSavedBytes);
    running = to;
    emscripten_fiber_swap(&from.self, &all[std::size_t(to)]->self);
  }
};

Fibers::Fibers(void (*body)(void*), void* argument) : stacks_(std::make_unique<Stacks>()) {
  stacks_->body = body, stacks_->argument = argument;
  stacks_->all.push_back(std::make_unique<Fiber>());
  stacks_->all[kMain]->saved = std::make_unique<Unit[]>(kMainSavedBytes / sizeof(Unit));
}

Fibers::~Fibers() = default;

int Fibers::take() {
  Stacks& s = *stacks_;
  if (!s.parked.empty()) {
    const int fiber = s.parked.back();
    s.parked.pop_back();
    return fiber;
  }
  auto fresh = std::make_unique<Fiber>();
  fresh->stack = std::make_unique<Unit[]>(kStackBytes / sizeof(Unit));
  fresh->saved = std::make_unique<Unit[]>(kSavedBytes / sizeof(Unit));
  emscripten_fiber_init(&fresh->self, Stacks::begin, &s, fresh->stack.get(), kStackBytes, fresh->saved.get(),
                        kSavedBytes);
  s.all.push_back(std::move(fresh));
  return int(s.all.size()) - 1;
}

void Fibers::switch_to(int fiber) { stacks_->go(fiber); }

bool Fibers::park_for(int fiber) {
  stacks_->parked.push_back(stacks_->running);
  stacks_->go(fiber);
  return true;
}

// Nothing is unwound: what the frames held is gone with their memory, as far as it lay on the stack.
void Fibers::drop() {
  stacks_->parked.clear();
  stacks_->all.resize(1);
}

}  // namespace lockstep::simt
