// Blocks that run in turns on one thread of the host, each on a fiber of its own: from one place where it
// lets the others go on to the next.
#pragma once
#include <cstddef>
#include <vector>

#include "fibers.hpp"
#include "machine.hpp"

namespace lockstep::simt {

class Turns {
 public:
  explicit Turns(std::size_t members);
  virtual ~Turns() = default;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Every member's turns, round by round, until each has ended. Where end_round() has had enough, those that
  // are left have one more, in which they give up().
  void take();
  // By the running member: its turn is over. Returns in its next one.
  void leave();
  bool ended(std::size_t member) const { return members_[member].ended; }

 protected:
  // From the member's first turn to the end of its last.
  virtual void body(std::size_t member) = 0;
  virtual void begin_turn(std::size_t) {}
  virtual void end_turn(std::size_t) {}
  // May change the order of those whose turn it will be.
  virtual void begin_round(std::vector<std::size_t>&) {}
  // False: that is enough. `left`: that have not ended.
  virtual bool end_round(std::size_t) { return true; }
  // By the running member, in leave(), where end_round() has had enough.
  [[noreturn]] virtual void give_up();
  std::size_t running() const { return running_; }

 private:
  struct Member {
    int fiber = -1;
    bool ended = false;
    Machine* machine = nullptr;  // and its thread, where the turn was over
    Thread* thread = nullptr;
  };
  static void carry(void* self);
  void go_on(std::size_t member);

  std::vector<Member> members_;
  std::size_t running_ = 0;
  bool enough_ = false;
  Fibers fibers_;
};

}  // namespace lockstep::simt
