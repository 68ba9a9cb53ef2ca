// 03 decode: a layer of a transformer for one new token per sequence, fp32:
// norm, QKV product, rotation of Q and K (which go into the cache), attention
// over the cache, output product, norm, and an MLP whose two products wait for
// nothing of each other. Rows are sequences, padded to the bucket, so that one
// graph serves every batch in it; weights are [in][out].
#pragma once
#include "kernels/fast_math.cuh"
#include "kernels/lab.cuh"
#include "kernels/graphs/nodes.hpp"
#include "settings.cuh"
#include "stamps.cuh"

// out = in / sqrt(mean of in^2 + 1e-5) * weight. A block per row, a thread per
// column.
template <class P>
LAB_KERNEL_OF(kHidden)
void norm(View<const float, P> in, View<const float, P> weight,
          View<float, P> out, Stamps<P> stamps, int kernel) {
  SHARED(float, square, kHidden);
  begin_stamp<P>(stamps, kernel);
  const int col = threadIdx.x, at = blockIdx.x * kHidden + col;
  const float x = in[at];
  square[col] = x * x;
  for (int half = kHidden / 2; half > 0; half /= 2) {
    __syncthreads();
    if (col < half) square[col] = square[col] + square[col + half];
  }
  __syncthreads();
  out[at] = x / sqrtf(square[0] / kHidden + 1e-5f) * weight[col];
  end_stamp<P>(stamps, kernel);
}

// out = in x weight, and the residual to it where there is one. A thread per
// element, a block per 64 columns of a row.
template <class P>
LAB_KERNEL_OF(64)
void product(View<const float, P> in, View<const float, P> weight,
             View<const float, P> residual, View<float, P> out, int depth,
             int cols, int with_residual, Stamps<P> stamps, int kernel) {
  begin_stamp<P>(stamps, kernel);
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (with_residual) sum = residual[row * cols + col];
  for (int k = 0; k < depth; ++k)
    sum += float(in[row * depth + k]) * float(weight[k * cols + col]);
  out[row * cols + col] = sum;
  end_stamp<P>(stamps, kernel);
}

// Turns each pair of q and k by an angle that its position and its place in the
// head give, and puts k and v into the cache [row][k, v][position][hidden]. A
// block per row; the first half of the threads turns q, the other one k.
template <class P>
LAB_KERNEL_OF(kHidden)
void rope(View<float, P> qkv, View<float, P> cache, Stamps<P> stamps,
          int kernel) {
  begin_stamp<P>(stamps, kernel);
  constexpr int kPairs = kHidden / 2, kHalf = kHeadDim / 2;
  constexpr float kLog2 = 13.287712f;               // of 10000
  const int row = blockIdx.x;
  const int pair = threadIdx.x % kPairs, is_k = threadIdx.x / kPairs;
  const int head = pair / kHalf, d = pair % kHalf, col = head * kHeadDim + d;
  const int first = row * 3 * kHidden + is_k * kHidden + col;
  const int second = first + kHalf;
  const float angle = kPosition * exp2f(-kLog2 * d / kHalf);
  const float cosine = cosf(angle), sine = sinf(angle);
  const float a = qkv[first], b = qkv[second];
  const float turned_a = a * cosine - b * sine;
  const float turned_b = a * sine + b * cosine;
  qkv[first] = turned_a, qkv[second] = turned_b;
  const int at = (row * 2 * kCached + kPosition) * kHidden;            // of k
  if (is_k) cache[at + col] = turned_a, cache[at + col + kHalf] = turned_b;
  const float v = qkv[row * 3 * kHidden + 2 * kHidden + threadIdx.x];
  cache[at + kCached * kHidden + threadIdx.x] = v;
  end_stamp<P>(stamps, kernel);
}

// A block per head and row: a thread per position takes its score, then a
// thread per dimension the sum over positions.
template <class P>
LAB_KERNEL_OF(kCached)
void attend(View<const float, P> qkv, View<const float, P> cache,
            View<float, P> out, Stamps<P> stamps, int kernel) {
  SHARED(float, weight, kCached);
  SHARED(float, total, 2);
  begin_stamp<P>(stamps, kernel);
  const int row = blockIdx.y, col = blockIdx.x * kHeadDim, tid = threadIdx.x;
  const int q_row = row * 3 * kHidden + col;
  const int k_row = row * 2 * kCached * kHidden + col;
  const int v_row = k_row + kCached * kHidden;
  float score = 0;
  if (tid <= kPosition)
    for (int d = 0; d < kHeadDim; ++d)
      score += float(qkv[q_row + d]) * float(cache[k_row + tid * kHidden + d]);
  weight[tid] = score / sqrtf(float(kHeadDim));
  __syncthreads();
  if (tid == 0) {
    float most = weight[0], sum = 0;
    for (int p = 1; p <= kPosition; ++p) most = fmaxf(most, weight[p]);
    for (int p = 0; p <= kPosition; ++p) sum += expf(weight[p] - most);
    total[0] = most, total[1] = sum;
  }
  __syncthreads();
  if (tid < kHeadDim) {
    float sum = 0;
    for (int p = 0; p <= kPosition; ++p)
      sum += expf(weight[p] - total[0]) / total[1] *
             float(cache[v_row + p * kHidden + tid]);
    out[row * kHidden + col + tid] = sum;
  }
  end_stamp<P>(stamps, kernel);
}

// out = residual + (gate / (1 + e^-gate) * up) x weight.
template <class P>
LAB_KERNEL_OF(64)
void down(View<const float, P> gate, View<const float, P> up,
          View<const float, P> weight, View<const float, P> residual,
          View<float, P> out, Stamps<P> stamps, int kernel) {
  begin_stamp<P>(stamps, kernel);
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = residual[row * kHidden + col];
  for (int k = 0; k < kInner; ++k) {
    const float g = gate[row * kInner + k], u = up[row * kInner + k];
    sum += g / (1 + expf(-g)) * u * float(weight[k * kHidden + col]);
  }
  out[row * kHidden + col] = sum;
  end_stamp<P>(stamps, kernel);
}

template <class P>
void launch(Launcher<P>& gpu, const Binding& b, const Settings& s) {
  const auto in = [&](LayerBuffer id) { return b.view<P, const float>(id); };
  const auto out = [&](LayerBuffer id) { return b.view<P, float>(id); };
  const auto stamps = b.view<P, unsigned long long>(kStamps);
  const auto nodes = lockstep::decode_nodes();
  int kernel = 0;
  const auto next = [&](auto* function, Extents grid, int threads,
                        auto... arguments) {
    gpu.place(nodes[kernel].stream, nodes[kernel].after);
    gpu.launch(nodes[kernel].name.c_str(), function, grid, {threads},
               arguments..., stamps, kernel);
    ++kernel;
  };
  const auto grid = [&](int cols) { return Extents{cols / 64, s.bucket}; };
  const auto multiply = [&](LayerBuffer x, LayerBuffer weight, LayerBuffer y,
                            int cols) {
    next(product<P>, grid(cols), 64, in(x), in(weight), in(x), out(y),
         kHidden, cols, 0);
  };

  next(norm<P>, {s.bucket}, kHidden, in(kX), in(kNormWeight), out(kNormed));
  multiply(kNormed, kQkvWeight, kQkv, 3 * kHidden);
  next(rope<P>, {s.bucket}, kHidden, out(kQkv), out(kCache));
  next(attend<P>, {kHeads, s.bucket}, kCached, in(kQkv), in(kCache),
       out(kContext));
  next(product<P>, grid(kHidden), 64, in(kContext), in(kProjWeight), in(kX),
       out(kMiddle), kHidden, kHidden, 1);
  next(norm<P>, {s.bucket}, kHidden, in(kMiddle), in(kNormWeight),
       out(kNormed));
  multiply(kNormed, kGateWeight, kGate, kInner);
  multiply(kNormed, kUpWeight, kUp, kInner);
  next(down<P>, grid(kHidden), 64, in(kGate), in(kUp), in(kDownWeight),
       in(kMiddle), out(kOut));
}
