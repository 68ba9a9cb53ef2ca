// Stacks that hand the running thread of the host on to each other. All that depends on Boost.Context, and on
// what a sanitizer has to be told of a change of stack, stands in fibers.cpp.
#pragma once
#include <cstddef>
#include <memory>

namespace lockstep::simt {

class Fibers {
 public:
  static constexpr int kMain = 0;  // the stack that asked for the fibers: where drop() and the destructor run
  // Every fiber calls `body(argument)`, which goes on until park() says that it may end.
  Fibers(void (*body)(void*), void* argument);
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  // A fiber that is parked, or a new one: it goes on, or begins, when somebody switches to it.
  int take();
  // From the running fiber to another; returns when somebody switches back.
  void switch_to(int fiber);
  // The same, and take() may give the running fiber away meanwhile. False: its body has to return.
  bool park_for(int fiber);
  // Ends every fiber where it stands; called on the main stack.
  void drop();

 private:
  struct Stacks;
  std::unique_ptr<Stacks> stacks_;
};

}  // namespace lockstep::simt
