// 03 near_far: the L2 is in many parts, and each line belongs to one of them. A
// walk stands still on one line after the other: its first load and those
// behind it tell how far that part is from this SM. Loads go around L1, and all
// lines were written just before.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void bring(View<int, P> walk, int stride, int places) {
  for (int i = threadIdx.x; i < places; i += blockDim.x)
    walk[i * stride] = i * stride;
}

template <class P>
LAB_KERNEL void near_far(View<int, P> walk, View<int, P> clocks, int stride,
                         int places) {
  for (int i = 0; i < places; ++i) {
    int at = i * stride;
    const int begin = int(clock());
    at = __ldcg(&walk[at]);
    if (at < 0) return;  // never; but it holds the clock until it has come
    const int first = int(clock());
#pragma unroll
    for (int k = 0; k < kHops; ++k) at = __ldcg(&walk[at]);
    if (at < 0) return;
    const int end = int(clock());
    clocks[2 * i] = first - begin;
    clocks[2 * i + 1] = end - first;
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P>, View<int, P> walk,
            View<int, P> clocks, View<int, P>, const Settings& s) {
  const int places = s.words / s.stride;
  gpu.launch("bring", bring<P>, {1}, {1024}, walk, s.stride, places);
  gpu.launch("near_far", near_far<P>, {1}, {1}, walk, clocks, s.stride,
             places);
}
