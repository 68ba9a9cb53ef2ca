// 02 fork_join: the first kernel makes each branch its numbers, the branches go on side by side, the last kernel adds
// them up. What a branch does waits for nothing of the others.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/graphs/nodes.hpp"
#include "settings.cuh"
#include "stamps.cuh"

template <class P>
LAB_KERNEL_OF(kThreads) void fork(View<const unsigned, P> in, View<unsigned, P> x, Stamps<P> stamps, int kernel, int rounds, int branches) {
  begin_stamp<P>(stamps, kernel);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = in[i];
  value = mixed(value, rounds);
  for (int branch = 0; branch < branches; ++branch) x[branch * kWidth + i] = value + branch;
  end_stamp<P>(stamps, kernel);
}

template <class P>
LAB_KERNEL_OF(kThreads) void step(View<unsigned, P> x, Stamps<P> stamps, int kernel, int rounds, int branch) {
  begin_stamp<P>(stamps, kernel);
  const int i = branch * kWidth + blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = x[i];
  x[i] = mixed(value + kernel, rounds);
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
  const auto in = b.view<P, const unsigned>(0);
  const auto x = b.view<P, unsigned>(1);
  const auto stamps = b.view<P, unsigned long long>(2);
  const auto nodes = lockstep::fork_join_nodes(s.kernels, s.branches);
  for (int kernel = 0; kernel < int(nodes.size()); ++kernel) {
    const lockstep::PipelineNode& node = nodes[kernel];
    const bool last = kernel > 0 && kernel + 1 == int(nodes.size());
    gpu.place(node.stream, node.after);
    const auto go = [&](auto* function, auto... arguments) {
      gpu.launch(node.name.c_str(), function, {kBlocks}, {kThreads}, arguments...);
    };
    if (kernel == 0) go(fork<P>, in, x, stamps, kernel, s.rounds, s.branches);
    else if (last) go(join<P>, x, stamps, kernel, s.rounds, s.branches);
    else go(step<P>, x, stamps, kernel, s.rounds, node.stream);
  }
}
