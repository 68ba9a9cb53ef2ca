// 13 box: one thread asks for boxes, waits until one is there, and asks for it
// again. One box at a time: how long it takes from L2; four: how many bytes
// come per cycle.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kBoxes, int kRows, class P>
LAB_KERNEL void box(LAB_BOXES const Boxes<const int, P> from, View<int, P> out,
                    View<int, P> clocks, int repeat) {
  DYNAMIC_BOXES(int, tile, kBoxes * kRows, 0);
  SHARED_BARRIERS(full, kBoxes);
  if (threadIdx.x == 0) {
    for (int c = 0; c < kBoxes; ++c) init_barrier(full[c], 1);
    publish_barriers();
  }
  __syncthreads();                          // the barriers are there
  int begin = 0, end = 0;
  const auto ask = [&](int c) {
    arrive_expecting(full[c], kRows * 128);
    copy_box(tile[c * kRows][0], from, c * kRows, 0, full[c]);
  };
  for (int pass = 0; pass < 2; ++pass) {    // the first brings them to L2
    begin = int(clock());
    if (threadIdx.x == 0)
      for (int c = 0; c < kBoxes; ++c) ask(c);
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kBoxes; ++c) {
        wait_phase(full[c], (pass * repeat + k) & 1);
        if (threadIdx.x == 0 && k + 1 < repeat) ask(c);
      }
    end = int(clock());
  }
  int sum = 0;
  for (int c = 0; c < kBoxes; ++c) sum += tile[c * kRows][threadIdx.x % 32];
  out[threadIdx.x] = sum;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_sizes(s, [&](auto many, auto rows) {
    gpu.launch_shared("box", box<many(), rows(), P>, {1}, {32 * s.warps},
                      many() * rows() * 128,
                      boxes(next, many() * rows(), 32, rows()), out, clocks,
                      s.repeat);
  });
}
