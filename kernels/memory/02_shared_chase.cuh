// 02 shared_chase: the same walk in shared memory. No cache has to find
// anything out: the place is in this SM's own memory.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void shared_chase(View<const int, P> next, View<int, P> out,
                  View<int, P> clocks, View<int, P> place, int words,
                  int loads) {
  SHARED(int, tile, kChaseWords);
  int sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    const int x = next[i];
    tile[i] = x;
    sum += x;
  }
  out[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;

  const int first = place[0];
  int at = first;
  const Times begin = times_at_begin();
#pragma unroll 8
  for (int k = 0; k < loads; ++k) at = tile[at];
  const Times end = times_at_end();
  place[0] = at;
  clocks[0] = int(end.cycle - begin.cycle), clocks[1] = int(end.ns - begin.ns);
  clocks[2] = first, clocks[3] = at;
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> next, View<int, P> out,
            View<int, P> clocks, View<int, P> place, const Settings& s) {
  gpu.launch("shared_chase", shared_chase<P>, {1}, {1024}, next, out, clocks,
             place, s.words, s.loads);
}
