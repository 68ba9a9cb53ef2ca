// 14 ask: what the thread that asks for a box pays for it: for the barrier that
// is told of its bytes, and for the request. It waits between its rounds, by
// another clock.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kBoxes, int kRows, class P>
LAB_KERNEL void ask(LAB_BOXES const Boxes<const int, P> from, View<int, P> out,
                    View<int, P> clocks, int repeat) {
  DYNAMIC_BOXES(int, tile, kBoxes * kRows, 0);
  SHARED_BARRIERS(full, kBoxes);
  if (threadIdx.x == 0) {
    for (int c = 0; c < kBoxes; ++c) init_barrier(full[c], 1);
    publish_barriers();
  }
  __syncthreads();                          // the barriers are there
  int asking = 0;
  for (int k = 0; k < repeat; ++k) {
    const int begin = int(clock());
    if (threadIdx.x == 0)
      for (int c = 0; c < kBoxes; ++c) {
        arrive_expecting(full[c], kRows * 128);
        copy_box(tile[c * kRows][0], from, c * kRows, 0, full[c]);
      }
    if (k > 0) asking += int(clock()) - begin;
    for (int c = 0; c < kBoxes; ++c) wait_phase(full[c], k & 1);
  }
  int sum = 0;
  for (int c = 0; c < kBoxes; ++c) sum += tile[c * kRows][threadIdx.x % 32];
  out[threadIdx.x] = sum;
  write_clocks<P>(clocks, 0, asking);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_sizes(s, [&](auto many, auto rows) {
    gpu.launch_shared("ask", ask<many(), rows(), P>, {1}, {32 * s.warps},
                      many() * rows() * 128,
                      boxes(next, many() * rows(), 32, rows()), out, clocks,
                      s.repeat);
  });
}
