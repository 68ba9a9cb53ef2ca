// 02 clusters: the same blocks, launched as clusters of kCluster. The hardware
// starts the blocks of a cluster together, on SMs of one GPC: so two SMs that
// were seen in one cluster share a GPC. It needs compute capability 9.0.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/architecture/sizes.hpp"
#include "settings.cuh"

template <int kCluster, class P>
LAB_KERNEL __cluster_dims__(kCluster, 1, 1)
void clusters(View<float, P> in, View<float, P> out, View<unsigned, P> where,
              int turns, int skew) {
  const unsigned begin = now_ns();
  const float a = in[0], b = in[1];        // both 1: the sum counts its FMAs
  float x = in[kFirst + threadIdx.x];
  __syncthreads();
  const int mine = turns_of(skew, turns, blockIdx.x, gridDim.x);
#pragma unroll 1
  for (int turn = 0; turn < mine; ++turn)
    for (int k = 0; k < kFmas; ++k) x = x * a + b;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
  __syncthreads();
  if (threadIdx.x == 0) {
    where[4 * blockIdx.x] = sm_id();
    where[4 * blockIdx.x + 1] = warp_slot();
    where[4 * blockIdx.x + 2] = begin;
    where[4 * blockIdx.x + 3] = now_ns();
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<float, P> in, View<float, P> out,
            View<unsigned, P> where, const Settings& s) {
  for_cluster(s, [&](auto cluster) {
    gpu.launch_shared("clusters", clusters<cluster(), P>, {s.blocks},
                      {s.threads}, s.shared_bytes, in, out, where, s.turns,
                      s.skew);
  });
}
