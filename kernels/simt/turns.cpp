#include "turns.hpp"

#include <cstdlib>

namespace lockstep::simt {

Turns::Turns(std::size_t members) : members_(members), fibers_(&Turns::carry, this) {}

void Turns::carry(void* self) {
  Turns& me = *static_cast<Turns*>(self);
  do {
    const std::size_t mine = me.running_;
    me.body(mine);
    me.members_[mine].ended = true;
  } while (me.fibers_.park_for(Fibers::kMain));
}

void Turns::take() {
  std::vector<std::size_t> order;
  for (;;) {
    order.clear();
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (!members_[m].ended) order.push_back(m);
    if (order.empty()) break;
    begin_round(order);
    for (const std::size_t m : order) go_on(m);
    std::erase_if(order, [&](std::size_t m) { return members_[m].ended; });
    enough_ = !end_round(order.size());
  }
  machine = nullptr, current = nullptr;
}

void Turns::go_on(std::size_t m) {
  Member& member = members_[m];
  running_ = m;
  begin_turn(m);
  if (member.thread) machine = member.machine, current = member.thread;
  if (member.fiber < 0) member.fiber = fibers_.take();
  fibers_.switch_to(member.fiber);
  member.machine = machine, member.thread = current;
  end_turn(m);
}

void Turns::give_up() { std::abort(); }

void Turns::leave() {
  fibers_.switch_to(Fibers::kMain);
  if (enough_) give_up();
}

}  // namespace lockstep::simt
