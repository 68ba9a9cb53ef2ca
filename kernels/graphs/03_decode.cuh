// 03 decode: a layer of a transformer for one new token per sequence, fp32: norm, QKV product, rotation of Q and K (which
// go into the cache), attention over the cache, output product, norm, and an MLP whose two products wait for nothing of
// each other. Rows are sequences, padded to the bucket, so that one graph serves every batch in it; weights are [in][out].
#pragma once
#include "kernels/fast_math.cuh"
#include "kernels/lab.cuh"
#include "kernels/graphs/nodes.hpp"
#include "settings.cuh"
#include "stamps.cuh"

// out = in / sqrt(mean of in^2 + 1e-5) * weight. A block per row, a thread per column.
template <class P>
LAB_KERNEL_OF(kHidden) void norm(View<const float, P> in, View<const float, P> weight, View<float, P> out, Stamps<P> stamps, int kernel) {
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

// out = in x weight, and the residual to it where there is one. A thread per element, a block per 64 columns of a row.
template <class P>
LAB_KERNEL_OF(64) void product(View<const float, P> in, View<const float, P> weight, View<const float, P> residual, View<float, P> out,
                               int depth, int cols, int with_residual, Stamps<P> stamps, int kernel) {
  begin_stamp<P>(stamps, kernel);
  const int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (with_residual) sum = residual[row * cols + col];
  for (int k = 0; k < depth; ++k) sum += float(in[row * depth + k]) * float(weight[k * cols + col]);
  out[row * cols + col] = sum;
  end_stamp<P>(stamps, kernel);
}

// Turns each pair of q and k by an angle that its position and its place in the head give, and puts k and v into the
// cache [row][k, v][position][hidden]. A block per row; the first half of the threads turns q, the other one k.
template <class P>
LAB_KERNEL_OF(kHidden) void rope(View<float, P> qkv, View<float, P> cache, Stamps<P> stamps, int kernel) {
  begin_stamp<P>(stamps, kernel);
  const int row = blockIdx.x, pair = threadIdx.x % (kHidden / 2), is_k = threadIdx.x / (kHidden / 2);
  const int head = pair / (kHeadDim / 2), d = pair % (kHeadDim / 2), col = head * kHeadDim + d;
  const int first = row * 3 * kHidden + is_k * kHidden + col, second = first + kHeadDim / 2;
  const float angle = kPosition * exp2f(-13.287712f * d / (kHeadDim / 2));      // 10000^(-d / (head dimension / 2))
  const float c = cosf(angle), s = sinf(angle), a = qkv[first], b = qkv[second];
  const float turned_a = a * c - b * s, turned_b = a * s + b * c;
  qkv[first] = turned_a, qkv[second] = turned_b;
  const int at = (row * 2 * kCached + kPosition) * kHidden;                      // of k in the cache; v is kCached rows on
  if (is_k) cache[at + col] = turned_a, cache[at + col + kHeadDim / 2] = turned_b;
  const float v = qkv[row * 3 * kHidden + 2 * kHidden + threadIdx.x];
  cache[at + kCached * kHidden + threadIdx.x] = v;
  end_stamp<P>(stamps, kernel);
}

// A block per head and row: a thread per position takes its score, then a thread per dimension the sum over positions.
template <class P>
LAB_KERNEL_OF(kCached) void attend(View<const float, P> qkv, View<const float, P> cache, View<float, P> out, Stamps<P> stamps, int kernel) {
  SHARED(float, weight, kCached);
  SHARED(float, total, 2);
  begin_stamp<P>(stamps, kernel);
  const int head = blockIdx.x, row = blockIdx.y, t = threadIdx.x, col = head * kHeadDim;
  const int k_row = row * 2 * kCached * kHidden + col, v_row = k_row + kCached * kHidden;
  float score = 0;
  if (t <= kPosition)
    for (int d = 0; d < kHeadDim; ++d) score += float(qkv[row * 3 * kHidden + col + d]) * float(cache[k_row + t * kHidden + d]);
  weight[t] = score / sqrtf(float(kHeadDim));
  __syncthreads();
  if (t == 0) {
    float most = weight[0], sum = 0;
    for (int p = 1; p <= kPosition; ++p) most = fmaxf(most, weight[p]);
    for (int p = 0; p <= kPosition; ++p) sum += expf(weight[p] - most);
    total[0] = most, total[1] = sum;
  }
  __syncthreads();
  if (t < kHeadDim) {
    float sum = 0;
    for (int p = 0; p <= kPosition; ++p) sum += expf(weight[p] - total[0]) / total[1] * float(cache[v_row + p * kHidden + t]);
    out[row * kHidden + col + t] = sum;
  }
  end_stamp<P>(stamps, kernel);
}

// out = residual + (gate / (1 + e^-gate) * up) x weight.
template <class P>
LAB_KERNEL_OF(64) void down(View<const float, P> gate, View<const float, P> up, View<const float, P> weight, View<const float, P> residual,
                            View<float, P> out, Stamps<P> stamps, int kernel) {
  begin_stamp<P>(stamps, kernel);
  const int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
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
  const auto f = [&](int id) { return b.view<P, float>(id); };
  const auto c = [&](int id) { return b.view<P, const float>(id); };
  const auto stamps = b.view<P, unsigned long long>(15);
  const auto nodes = lockstep::decode_nodes();
  int kernel = 0;
  const auto go = [&](auto* function, Extents grid, int threads, auto... arguments) {
    gpu.place(nodes[kernel].stream, nodes[kernel].after);
    gpu.launch(nodes[kernel].name.c_str(), function, grid, {threads}, arguments..., stamps, kernel);
    ++kernel;
  };
  const int rows = s.bucket, columns = 64;
  const auto grid = [&](int cols) { return Extents{cols / columns, rows}; };
  //                                        x or in, weights -> out
  go(norm<P>, {rows}, kHidden,              c(0), c(1), f(8));
  go(product<P>, grid(3 * kHidden), columns, c(8), c(2), c(8), f(9), kHidden, 3 * kHidden, 0);
  go(rope<P>, {rows}, kHidden,              f(9), f(7));
  go(attend<P>, {kHeads, rows}, kCached,    c(9), c(7), f(10));
  go(product<P>, grid(kHidden), columns,    c(10), c(3), c(0), f(11), kHidden, kHidden, 1);
  go(norm<P>, {rows}, kHidden,              c(11), c(1), f(8));
  go(product<P>, grid(kInner), columns,     c(8), c(4), c(8), f(12), kHidden, kInner, 0);
  go(product<P>, grid(kInner), columns,     c(8), c(5), c(8), f(13), kHidden, kInner, 0);
  go(down<P>, grid(kHidden), columns,       c(12), c(13), c(6), c(11), f(14));
}
