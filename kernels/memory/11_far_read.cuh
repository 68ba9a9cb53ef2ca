// 11 far_read: shared_read, but each block reads the shared memory of the other
// one of its cluster: every byte goes from SM to SM.
#pragma once
#include "kernels/groups.cuh"
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(256) __cluster_dims__(2, 1, 1)
void far_read(View<const int, P> in, View<int, P> out, int rounds) {
  SHARED(int, tile, kTileWords);
  const auto cluster = cooperative_groups::this_cluster();
  for (int i = threadIdx.x; i < kTileWords; i += blockDim.x) tile[i] = in[i];
  cluster.sync();                        // the other block's tile is there

  const auto far = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  int sum = 0;
#pragma unroll 8
  for (int k = 0; k < rounds; ++k) {
    const unsigned unit = (threadIdx.x + k * 32u) % (kTileWords / 4);
    const int4 x = as<int4>(far)[unit];
    sum += sum_of(x);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  cluster.sync();                        // nobody ends while it is being read
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> in, View<int, P> out,
            View<int, P>, View<int, P>, const Settings& s) {
  gpu.launch_cluster(2, "far_read", far_read<P>, {s.blocks}, {kThreads}, in,
                     out, s.rounds);
}
