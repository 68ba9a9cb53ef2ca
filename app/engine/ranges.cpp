#include "ranges.hpp"

#include <chrono>
#include <mutex>
#include <utility>

#ifdef LOCKSTEP_HAS_CUDA
#include "kernels/cuda/nvtx.hpp"
#endif

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
  void add(RangeNote note) {
    const std::lock_guard lock(mutex_);
    if (notes_.size() < kMostNotes) notes_.push_back(std::move(note));
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
  std::vector<std::string> names_;
};

Notes& notes() {
  static Notes all;
  return all;
}

thread_local int depth = 0;  // open ranges of this thread

}  // namespace

Range::Range(std::string_view name) : name_(name) {
#ifdef LOCKSTEP_HAS_CUDA
  cuda::nvtx_push(name_.c_str());
#endif
  ++depth;
  start_ns_ = now_ns();
}

Range::~Range() {
  const std::int64_t end_ns = now_ns();
  --depth;
  notes().add({std::move(name_), notes().thread(), depth, false, start_ns_, end_ns});
#ifdef LOCKSTEP_HAS_CUDA
  cuda::nvtx_pop();
#endif
}

LooseRange::LooseRange(std::string_view name) : name_(name), start_ns_(now_ns()), thread_(notes().thread()) {
#ifdef LOCKSTEP_HAS_CUDA
  nvtx_ = cuda::nvtx_start(name_.c_str());
#endif
}

LooseRange::LooseRange(LooseRange&& other) noexcept
    : name_(std::move(other.name_)),
      start_ns_(other.start_ns_),
      nvtx_(other.nvtx_),
      thread_(other.thread_),
      open_(std::exchange(other.open_, false)) {}

void LooseRange::end() {
  if (!std::exchange(open_, false)) return;
  notes().add({std::move(name_), thread_, -1, false, start_ns_, now_ns()});
#ifdef LOCKSTEP_HAS_CUDA
  cuda::nvtx_end(nvtx_);
#endif
}

void mark(std::string_view name) {
  const std::int64_t now = now_ns();
  notes().add({std::string(name), notes().thread(), depth, true, now, now});
#ifdef LOCKSTEP_HAS_CUDA
  cuda::nvtx_mark(std::string(name).c_str());
#endif
}

void name_this_thread(std::string_view name) {
  notes().name(notes().thread(), name);
#ifdef LOCKSTEP_HAS_CUDA
  cuda::nvtx_name_thread(std::string(name).c_str());
#endif
}

Ranges take_ranges() { return notes().take(); }

}  // namespace lockstep
