// A thread's own pipeline of asynchronous copies: the cuda::pipeline of thread scope, on top of the dialect's cp.async,
// the same in all three builds. Stages are committed in order; wait_prior<N> leaves the N newest in flight.
#pragma once
#include "kernels/lab.cuh"

namespace lab {

class Pipeline {
 public:
  LAB_DEVICE void producer_acquire() const {}  // a thread's own stages need no room from others
  LAB_DEVICE void producer_commit() const { copy_async_commit(); }
  template <int kNewest>
  LAB_DEVICE void consumer_wait_prior() const {
    copy_async_wait<kNewest>();
  }
  LAB_DEVICE void consumer_release() const {}
};
LAB_DEVICE Pipeline make_pipeline() { return {}; }

// One element of 4, 8 or 16 bytes into the stage that is being filled.
template <class Target, class Source>
LAB_DEVICE void memcpy_async(Target&& target, Source&& source, const Pipeline&) {
  copy_async(target, source);
}

}  // namespace lab
