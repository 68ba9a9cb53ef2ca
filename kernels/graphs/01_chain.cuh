// 01 chain: kernels one behind the other, each on the numbers that the one before has left. Nothing but its length
// makes a kernel: `rounds` dependent integer operations per thread.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/graphs/nodes.hpp"
#include "settings.cuh"
#include "stamps.cuh"

template <class P>
LAB_KERNEL_OF(kThreads) void step(View<const unsigned, P> in, View<unsigned, P> x, Stamps<P> stamps, int kernel, int rounds) {
  begin_stamp<P>(stamps, kernel);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value;
  if (kernel == 0) value = in[i];
  else value = x[i];
  x[i] = mixed(value + kernel, rounds);
  end_stamp<P>(stamps, kernel);
}

template <class P>
void launch(Launcher<P>& gpu, const Binding& b, const Settings& s) {
  const auto in = b.view<P, const unsigned>(0);
  const auto x = b.view<P, unsigned>(1);
  const auto stamps = b.view<P, unsigned long long>(2);
  int kernel = 0;
  for (const lockstep::PipelineNode& node : lockstep::chain_nodes(s.kernels)) {
    gpu.place(node.stream, node.after);
    gpu.launch(node.name.c_str(), step<P>, {kBlocks}, {kThreads}, in, x, stamps, kernel++, s.rounds);
  }
}
