// 01 chase: each place says where the next one is, in an order that nothing can
// guess. So a load cannot start before the one before it has come back, and the
// time per load is the latency of the level that answers. The block first reads
// all places, so that each level holds what it can.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void chase(View<const int, P> next, View<int, P> out, View<int, P> clocks,
           View<int, P> place, int stride, int warm, int loads) {
  int sum = 0;
  for (int i = threadIdx.x; i < warm; i += blockDim.x) sum += next[i * stride];
  out[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;

  const int first = place[0];  // where the launch before has come to
  int at = first;
  const Times begin = times_at_begin();
#pragma unroll 8
  for (int k = 0; k < loads; ++k) at = next[at];
  const Times end = times_at_end();
  place[0] = at;
  clocks[0] = int(end.cycle - begin.cycle), clocks[1] = int(end.ns - begin.ns);
  clocks[2] = first, clocks[3] = at;
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> next, View<int, P> out,
            View<int, P> clocks, View<int, P> place, const Settings& s) {
  const int places = s.words / s.stride;
  gpu.launch("chase", chase<P>, {1}, {1024}, next, out, clocks, place,
             s.stride, s.warm < places ? s.warm : places, s.loads);
}
