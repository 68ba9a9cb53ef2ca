// 02 fork_join: the first kernel makes each branch its numbers, the branches go on side by side, the last kernel adds
// them up. What a branch does waits for nothing of the others.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/pipeline/nodes.hpp"
#include "settings.cuh"
#include "stamps.cuh"

template <class P>
LAB_KERNEL_OF(kThreads) void fork(View<unsigned, P> x, Stamps<P> stamps, int kernel, int rounds, int branches) {
  begin_stamp<P>(stamps, kernel);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = x[i];
  value = mixed(value, rounds);
  for (int branch = 0; branch < branches; ++branch) x[branch * kWidth + i] = value + branch;
  end_stamp<P>(stamps, kernel);
}

template <class P>
LAB_KERNEL_OF(kThreads) void step(View<unsigned, P> x, Stamps<P> stamps, int kernel, int rounds, int branch) {
  begin_stamp<P>(stamps, kernel);
  const int i = branch * kWidth + blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = x[i];
  x[i] = mixed(value, rounds);
  end_stamp<P>(stamps, kernel);
}

template <class P>
LAB_KERNEL_OF(kThreads) void join(View<unsigned, P> x, Stamps<P> stamps, int kernel, int rounds, int branches) {
  begin_stamp<P>(stamps, kernel);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int branch = 0; branch < branches; ++branch) sum += x[branch * kWidth + i];
  x[i] = mixed(sum, rounds);
  end_stamp<P>(stamps, kernel);
}

template <class P>
void launch(Launcher<P>& gpu, const Binding& b, const Settings& s) {
  const auto x = b.view<P, unsigned>(0);
  const auto stamps = b.view<P, unsigned long long>(1);
  const auto nodes = lockstep::fork_join_nodes(s.kernels, s.branches);
  for (int kernel = 0; kernel < int(nodes.size()); ++kernel) {
    const lockstep::PipelineNode& node = nodes[kernel];
    const bool first = kernel == 0, last = !first && kernel + 1 == int(nodes.size());
    gpu.place(node.stream, node.after);
    gpu.launch(node.name.c_str(), first ? fork<P> : last ? join<P> : step<P>, {kBlocks}, {kThreads}, x, stamps, kernel, s.rounds,
               first || last ? s.branches : node.stream);
  }
}
