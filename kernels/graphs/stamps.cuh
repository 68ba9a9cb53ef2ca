// When a kernel ran, by %globaltimer: the begin of its first block and the end of its last one, in ns. Only where time
// is taken; elsewhere nothing is written.
#pragma once
#include "kernels/lab.cuh"

template <class P>
using Stamps = View<unsigned long long, P>;            // [kernels][2]: ~0 and 0 before the run

#if defined(__CUDA_ARCH__) && !defined(LAB_TRACED)
LAB_DEVICE unsigned long long global_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
template <class P>
LAB_DEVICE void begin_stamp(Stamps<P> stamps, int kernel) {
  if (threadIdx.x == 0) atomicMin(&stamps[2 * kernel], global_ns());
}
template <class P>
LAB_DEVICE void end_stamp(Stamps<P> stamps, int kernel) {
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&stamps[2 * kernel + 1], global_ns());
}
#else
template <class P>
LAB_DEVICE void begin_stamp(Stamps<P>, int) {}
template <class P>
LAB_DEVICE void end_stamp(Stamps<P>, int) { __syncthreads(); }
#endif
