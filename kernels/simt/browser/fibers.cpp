// Fibers in WebAssembly, which has no stacks to hand on. The pass ASYNCIFY lets every function that may wait
// return early, its frame saved in memory ("unwind"), and lets it go on later from there ("rewind"). All
// fibers, of however many `Fibers` that run in each other's threads, run upon one frame of resume(): who
// waits unwinds down to it, and it rewinds who is next. The pass puts its own code in the place of the
// imports from "asyncify", so that a change of fiber never leaves the module; Emscripten's own fibers pass
// through JavaScript each time.
#include "kernels/simt/fibers.hpp"

#include <cstdint>
#include <utility>
#include <vector>

extern "C" {
// https://github.com/WebAssembly/binaryen/blob/main/src/passes/Asyncify.cpp says what they do.
[[clang::import_module("asyncify"), clang::import_name("start_unwind")]] void asyncify_begin_unwind(
    void* frames);
[[clang::import_module("asyncify"), clang::import_name("stop_unwind")]] void asyncify_end_unwind();
[[clang::import_module("asyncify"), clang::import_name("start_rewind")]] void asyncify_begin_rewind(
    void* frames);
[[clang::import_module("asyncify"), clang::import_name("stop_rewind")]] void asyncify_end_rewind();
// Of the stack of what has an address, which the pass knows nothing of.
void* stackSave();
void stackRestore(void* top);
}

namespace lockstep::simt {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;  // of what has an address
constexpr std::size_t kSavedBytes = 8 * 1024;   // of a thread's frames while it waits

// A stack has to begin at a multiple of 16, which malloc does not promise: clang adds offsets by `or`.
struct alignas(16) Unit {
  std::uint8_t bytes[16];
};

// What the pass reads: where the next frame is saved, and where the room ends.
struct Frames {
  std::uint8_t *next, *end;
};

struct Fiber {
  Frames frames{};
  void* top = nullptr;  // of its stack
  bool begun = false;
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  std::unique_ptr<Unit[]> stack, saved;
};

Fiber* at_work = nullptr;  // nullptr: the module's own stack, below resume()
bool rewinding = false;

// From the module's own stack: runs `at_work` and whoever takes its place, until somebody hands back. A body
// never returns but to unwind, since park_for() never says that it may end.
void resume() {
  void* const own_top = stackSave();
  while (at_work) {
    Fiber& fiber = *at_work;
    stackRestore(fiber.top);
    rewinding = std::exchange(fiber.begun, true);
    if (rewinding) asyncify_begin_rewind(&fiber.frames);
    fiber.body(fiber.argument);
    asyncify_end_unwind();
  }
  stackRestore(own_top);
}

// From a fiber to whoever is `at_work` now. It is called twice: to leave, and while its caller is rewound.
void leave(Fiber& from) {
  if (std::exchange(rewinding, false)) return asyncify_end_rewind();
  from.top = stackSave();
  asyncify_begin_unwind(&from.frames);
}

// The pass leaves functions alone that call its own; inlined, they would take their callers with them.
void (*volatile const kResume)() = resume;
void (*volatile const kLeave)(Fiber&) = leave;

}  // namespace

struct Fibers::Stacks {
  void (*body)(void*);
  void* argument;
  std::vector<std::unique_ptr<Fiber>> all;  // none at [kMain]
  // Of each of ours, what goes on there: itself, or of other `Fibers`, which it runs, the one that handed on
  // in its place; nullptr for the module's own stack.
  std::vector<Fiber*> stands;
  std::vector<int> parked;
  int running = kMain;

  void go(int to) {
    Fiber* const from = at_work;
    stands[std::size_t(std::exchange(running, to))] = from;
    Fiber* const next = stands[std::size_t(to)];
    if (next == from) return;
    at_work = next;
    if (from)
      kLeave(*from);
    else
      kResume();
  }
};

Fibers::Fibers(void (*body)(void*), void* argument) : stacks_(std::make_unique<Stacks>()) {
  stacks_->body = body, stacks_->argument = argument;
  stacks_->all.push_back(nullptr), stacks_->stands.push_back(nullptr);
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
  fresh->stack.reset(new Unit[kStackBytes / sizeof(Unit)]);  // as they are: zeroes would take milliseconds
  fresh->saved.reset(new Unit[kSavedBytes / sizeof(Unit)]);
  fresh->body = s.body, fresh->argument = s.argument;
  fresh->top = fresh->stack.get() + kStackBytes / sizeof(Unit);
  fresh->frames = {fresh->saved[0].bytes, fresh->saved[0].bytes + kSavedBytes};
  s.stands.push_back(fresh.get());
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
  stacks_->all.resize(1), stacks_->stands.resize(1);
}

}  // namespace lockstep::simt
