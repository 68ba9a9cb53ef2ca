#include "host_turn.hpp"

#include <mutex>
#include <utility>

#include "runtime.hpp"

namespace lockstep::reader {
namespace {

// Never taken down: threads may be in the runtime while the process ends.
std::recursive_mutex& turns() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

thread_local int depth = 0;

}  // namespace

HostTurn::HostTurn() : taken_(!runtime().in_kernel()) {
  if (taken_) turns().lock(), ++depth;
}

HostTurn::~HostTurn() {
  if (taken_) --depth, turns().unlock();
}

OutOfTurn::OutOfTurn() : depth_(std::exchange(depth, 0)) {
  for (int i = 0; i < depth_; ++i) turns().unlock();
}

OutOfTurn::~OutOfTurn() {
  for (int i = 0; i < depth_; ++i) turns().lock();
  depth = depth_;
}

}  // namespace lockstep::reader
