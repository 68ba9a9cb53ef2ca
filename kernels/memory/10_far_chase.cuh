// 10 far_chase: the walk of shared_chase, but through the shared memory of
// another SM: two blocks that start together as a cluster reach each other's.
#pragma once
#include "kernels/groups.cuh"
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024) __cluster_dims__(2, 1, 1)
void far_chase(View<const int, P> next, View<int, P> out, View<int, P> clocks,
               View<int, P> place, int words, int loads) {
  SHARED(int, tile, kChaseWords);
  const auto cluster = cooperative_groups::this_cluster();
  int sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    const int x = next[i];
    tile[i] = x;
    sum += x;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  cluster.sync();                        // the other block's tile is there

  const auto far = cluster.map_shared_rank(tile, 1);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const int first = place[0];
    int at = first;
    const Times begin = times_at_begin();
#pragma unroll 8
    for (int k = 0; k < loads; ++k) at = far[at];
    const Times end = times_at_end();
    place[0] = at;
    clocks[0] = int(end.cycle - begin.cycle);
    clocks[1] = int(end.ns - begin.ns);
    clocks[2] = first, clocks[3] = at;
  }
  cluster.sync();                        // nobody ends while it is being read
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> next, View<int, P> out,
            View<int, P> clocks, View<int, P> place, const Settings& s) {
  gpu.launch_cluster(2, "far_chase", far_chase<P>, {2}, {1024}, next, out,
                     clocks, place, s.words, s.loads);
}
