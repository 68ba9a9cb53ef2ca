// 03 near_far: the L2 is in two halves, and a line of memory belongs to one of
// them. Each place holds its own number, so that a walk stands still on one
// line; loads go around L1. Line by line, the time says how far its half is.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void near_far(View<const int, P> next, View<int, P> out,
                         View<int, P> clocks, int stride, int places) {
  for (int i = 0; i < places; ++i) {
    int at = __ldcg(&next[i * stride]);  // brings the line to L2
    if (at < 0) return;  // never; but it holds the clock until it has come
    const int begin = int(clock());
#pragma unroll
    for (int k = 0; k < kHops; ++k) at = __ldcg(&next[at]);
    if (at < 0) return;
    const int end = int(clock());
    out[i] = at;
    clocks[i] = end - begin;
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> next, View<int, P> out,
            View<int, P> clocks, View<int, P>, const Settings& s) {
  gpu.launch("near_far", near_far<P>, {1}, {1}, next, out, clocks, s.stride,
             s.words / s.stride);
}
