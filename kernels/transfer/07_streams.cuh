// 07 streams: the same chunks, dealt to several streams. Streams do not wait
// for one another: while one chunk is computed, the next one comes in, and the
// one before goes out.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(kThreads)
void work(View<const float, P> in, View<float, P> out, int first, int end,
          int rounds) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= end) return;
  float x = in[i];
  out[i] = worked(x, rounds);
}

template <class P>
void launch(Launcher<P>& gpu, const Binding& b, const Settings& s) {
  const auto in = b.view<P, const float>(0);      // cudaHostAlloc
  const auto out = b.view<P, float>(1);           // cudaHostAlloc
  const auto d_in = b.view<P, float>(2);          // cudaMalloc
  const auto d_out = b.view<P, float>(3);         // cudaMalloc
  for (int first = 0; first < s.n; first += s.chunk) {
    const int count = min(s.chunk, s.n - first);
    const auto bytes = count * sizeof(float);
    const auto stream = gpu.stream(first / s.chunk % s.streams);
    gpu.cudaMemcpyAsync(d_in + first, in + first, bytes,
                        cudaMemcpyHostToDevice, stream);
    gpu.launch_on(stream, "work", work<P>, {ceil_div(count, kThreads)},
                  {kThreads}, d_in, d_out, first, first + count, s.rounds);
    gpu.cudaMemcpyAsync(out + first, d_out + first, bytes,
                        cudaMemcpyDeviceToHost, stream);
  }
}
