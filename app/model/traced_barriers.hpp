// The barriers in shared memory of a traced block, as the SM model needs them. A trace says who arrived where
// and who waited for which parity, not how many arrivals end a phase, nor which phase it was.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run.hpp"

namespace lockstep {

// "full[0]": as long as a name may be, of letters, digits, underscores and brackets.
bool is_barrier_name(std::string_view name);

class TracedBarriers {
 public:
  TracedBarriers() = default;
  explicit TracedBarriers(const BlockTrace& trace);
  // From 0 on, in the order of their arrays and places.
  std::uint16_t id_of(const Access& event) const { return id_of(event.view, event.offset); }
  std::uint16_t id_of(std::uint16_t view, std::uint32_t offset) const;
  // Of each: its array and, where that has several, its place: "full[0]". None at all where one of them has
  // none.
  std::vector<std::string> names(const Launch& launch) const;
  // By barrier: as many as end every phase that was waited for, of all threads that arrive there, or of those
  // that do so equally often. A thread is taken to arrive at most once in a phase.
  const std::vector<std::uint16_t>& arrivals() const { return arrivals_; }

 private:
  using Place = std::pair<std::uint16_t, std::uint32_t>;  // array, index
  static Place place_of(std::uint16_t view, std::uint32_t offset) { return {view, offset / 8}; }
  std::map<Place, std::uint16_t> ids_;
  std::vector<std::uint16_t> arrivals_;
};

// Of one thread: how many phases of a barrier have ended when it passes a wait for this parity. The first
// wait is for the phase that is under way at the launch, of parity 0, or for the one before it.
class WaitedPhases {
 public:
  int ended(std::uint16_t barrier, unsigned parity) {
    Waited& w = waited_[barrier];
    if (!w.any)
      w.ended = parity == 0;
    else if (w.parity != parity)
      ++w.ended;
    w.any = true, w.parity = parity;
    return w.ended;
  }

 private:
  struct Waited {
    bool any = false;
    unsigned parity = 0;
    int ended = 0;
  };
  std::map<std::uint16_t, Waited> waited_;
};

}  // namespace lockstep
