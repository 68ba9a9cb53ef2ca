#include "ranges.hpp"

#include <chrono>
#include <mutex>
#include <utility>

#include "nvtx.hpp"

namespace lockstep {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Notes {
 public:
  int thread() {
    thread_local int number = -1;
    if (number >= 0) return number;
    const std::lock_guard lock(mutex_);
    names_.emplace_back();
    return number = int(names_.size()) - 1;
  }
  // Whether there is room for what begins now: then it is kept when it ends, and so is all around it.
  bool begin() {
    const std::lock_guard lock(mutex_);
    if (notes_.size() + open_ >= kMostNotes) return false;
    ++open_;
    return true;
  }
  void end(RangeNote note) {
    const std::lock_guard lock(mutex_);
    --open_;
    notes_.push_back(std::move(note));
  }
  void name(int thread, std::string_view name) {
    const std::lock_guard lock(mutex_);
    names_[std::size_t(thread)] = name;
  }
  Ranges take() {
    const std::lock_guard lock(mutex_);
    return {std::exchange(notes_, {}), names_};
  }

 private:
  std::mutex mutex_;
  std::vector<RangeNote> notes_;
  std::size_t open_ = 0;
  std::vector<std::string> names_;
};

Notes& notes() {
  static Notes all;
  return all;
}

thread_local int depth = 0;  // open ranges of this thread

}  // namespace

Range::Range(std::string_view name) : name_(name) {
  nvtx_push(name_.c_str());
  ++depth;
  kept_ = notes().begin();
  start_ns_ = now_ns();
}

Range::~Range() {
  const std::int64_t end_ns = now_ns();
  --depth;
  const int thread = notes().thread();
  if (kept_) notes().end({std::move(name_), thread, thread, depth, false, start_ns_, end_ns});
  nvtx_pop();
}

LooseRange::LooseRange(std::string_view name)
    : name_(name), start_ns_(now_ns()), thread_(notes().thread()), kept_(notes().begin()) {
  nvtx_ = nvtx_start(name_.c_str());
}

LooseRange::LooseRange(LooseRange&& other) noexcept
    : name_(std::move(other.name_)),
      start_ns_(other.start_ns_),
      nvtx_(other.nvtx_),
      thread_(other.thread_),
      open_(std::exchange(other.open_, false)),
      kept_(other.kept_) {}

void LooseRange::end() {
  if (!std::exchange(open_, false)) return;
  if (kept_) notes().end({std::move(name_), thread_, notes().thread(), -1, false, start_ns_, now_ns()});
  nvtx_end(nvtx_);
}

void mark(std::string_view name) {
  const std::int64_t now = now_ns();
  const int thread = notes().thread();
  if (notes().begin()) notes().end({std::string(name), thread, thread, depth, true, now, now});
  nvtx_mark(std::string(name).c_str());
}

void name_this_thread(std::string_view name) {
  notes().name(notes().thread(), name);
  nvtx_name_thread(std::string(name).c_str());
}

Ranges take_ranges() { return notes().take(); }

}  // namespace lockstep
