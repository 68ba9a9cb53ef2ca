// What every rung of this ladder is launched with. `in` holds n floats; part
// and rest take what a launch leaves when that is more than one; the last
// launch leaves its result in out[0].
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int n, threads, blocks;
};

// Two elements in braces: so the left one is read first by every compiler.
struct Pair {
  float a, b;
};

// What n elements are reduced by: two of them at once, what stands where there
// is no element, and the same on out[0] by one atomic.
struct Sum {
  static constexpr float nothing = 0;
  LAB_DEVICE static float of(float a, float b) { return a + b; }
  LAB_DEVICE static float of(Pair x) { return of(x.a, x.b); }
  template <class Out>
  LAB_DEVICE static void onto(Out out, float x) {
    atomicAdd(&out[0], x);
  }
};
struct Max {
  static constexpr float nothing = -INFINITY;
  LAB_DEVICE static float of(float a, float b) { return fmaxf(a, b); }
  LAB_DEVICE static float of(Pair x) { return of(x.a, x.b); }
  // There is no atomic maximum of floats. Their bits as integers are in the
  // same order, but for negative ones: there it is turned round.
  template <class Out>
  LAB_DEVICE static void onto(Out out, float x) {
    if (x >= 0) atomicMax(&as<int>(out)[0], __float_as_int(x));
    else atomicMin(&as<unsigned>(out)[0], __float_as_uint(x));
  }
};

// The sum over a block of kThreads, in its thread 0; `part` holds 32 floats.
template <class Op, int kThreads, class Part>
LAB_DEVICE float over_block(Part part, float sum) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int s = 16; s > 0; s /= 2)
    sum = Op::of(sum, __shfl_down_sync(~0u, sum, s));
  if (lane == 0) part[warp] = sum;

  __syncthreads();

  sum = lane < kThreads / 32 ? float(part[lane]) : Op::nothing;
  if (warp == 0)
    for (int s = 16; s > 0; s /= 2)
      sum = Op::of(sum, __shfl_down_sync(~0u, sum, s));
  return sum;
}

// The buffers of a run.
template <class P>
struct Arrays {
  View<const float, P> in;
  View<float, P> part, rest, out;
};

// Launches a kernel that leaves an element per block again and again, each time
// on what the launch before left, until one element is left.
template <class P, class Kernel>
void until_one(Launcher<P>& gpu, Kernel* reduce, int threads, int per_block,
               const Arrays<P>& at, int n) {
  int blocks = ceil_div(n, per_block);
  gpu.launch("reduce", reduce, {blocks}, {threads}, at.in,
             blocks == 1 ? at.out : at.part, n);
  for (bool odd = true; blocks > 1; odd = !odd) {
    n = blocks, blocks = ceil_div(n, per_block);
    const auto from = odd ? at.part : at.rest, to = odd ? at.rest : at.part;
    gpu.launch("reduce", reduce, {blocks}, {threads}, as<const float>(from),
               blocks == 1 ? at.out : to, n);
  }
}

// Launches it on the array, then with one block on what the blocks left.
template <class P, class Kernel>
void twice(Launcher<P>& gpu, Kernel* reduce, int threads, int blocks,
           const Arrays<P>& at, int n) {
  gpu.launch("reduce", reduce, {blocks}, {threads}, at.in, at.part, n);
  gpu.launch("reduce", reduce, {1}, {threads}, as<const float>(at.part),
             at.out, blocks);
}

// Calls f with the size of the block as a constant.
template <class P, class F>
void for_threads(Launcher<P>& gpu, const Settings& s, F f) {
  if (s.threads == 64) f.template operator()<64>();
  else if (s.threads == 128) f.template operator()<128>();
  else if (s.threads == 256) f.template operator()<256>();
  else if (s.threads == 512) f.template operator()<512>();
  else if (s.threads == 1024) f.template operator()<1024>();
  else
    gpu.refuse("threads = " + std::to_string(s.threads) +
               " is no block that this kernel is compiled for");
}
