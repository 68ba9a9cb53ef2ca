// 01 standard: three launches, as the formula reads. The scores S = Q K^T /
// sqrt(d) and the weights P = softmax(S), seq x seq each, go to HBM and come
// back: S in fp32, P in the inputs' type. Any seq.
#pragma once
#include "kernels/half.cuh"
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kTile, class T, class P>
LAB_KERNEL void scores(View<const T, P> q, View<const T, P> k, View<float, P> s,
                       int seq, int d, float scale, bool causal) {
  SHARED(float, q_tile, kTile, kTile + 1);  // padded: no two lanes share a bank
  SHARED(float, k_tile, kTile, kTile + 1);
  const int x = threadIdx.x, y = threadIdx.y, head = blockIdx.z * seq;
  const int row = blockIdx.y * kTile + y;
  const int col0 = blockIdx.x * kTile, col = col0 + x;
  begin_step("scores", blockIdx.y * gridDim.x + blockIdx.x);
  float sum = 0;
  for (int p0 = 0; p0 < d; p0 += kTile) {
    q_tile[y][x] = float(load_if(row < seq, q[(head + row) * d + p0 + x]));
    k_tile[y][x] =
        float(load_if(col0 + y < seq, k[(head + col0 + y) * d + p0 + x]));

    __syncthreads();

    for (int p = 0; p < kTile; ++p) sum += q_tile[y][p] * k_tile[x][p];

    __syncthreads();
  }
  sum = causal && col > row ? -INFINITY : sum * scale;
  show_if(row < seq && col < seq, "s", row * seq + col, sum);
  if (row < seq && col < seq) s[(head + row) * seq + col] = sum;
}

// A warp per row.
template <int kTile, class T, class P>
LAB_KERNEL void softmax(View<float, P> s, View<T, P> p, View<float, P> l,
                        int seq) {
  const int lane = threadIdx.x, row = blockIdx.x * kTile + threadIdx.y;
  const int head = blockIdx.y * seq;
  begin_step("softmax", blockIdx.x * gridDim.x);
  if (row >= seq) return;
  float m = -INFINITY, sum = 0;
  for (int col = lane; col < seq; col += 32)
    m = fmaxf(m, s[(head + row) * seq + col]);
  m = warp_max(m);
  for (int col = lane; col < seq; col += 32)
    sum += expf(s[(head + row) * seq + col] - m);
  sum = warp_sum(sum);
  for (int col = lane; col < seq; col += 32)
    p[(head + row) * seq + col] =
        T(expf(s[(head + row) * seq + col] - m) / sum);
  show_if(lane == 0, "m", row, m);
  show_if(lane == 0, "l", row, sum);
  if (lane == 0) l[head + row] = m + logf(sum);
}

template <int kTile, class T, class P>
LAB_KERNEL void product(View<T, P> p, View<const T, P> v, View<float, P> o,
                        int seq, int d) {
  SHARED(float, p_tile, kTile, kTile + 1);
  SHARED(float, v_tile, kTile, kTile + 1);
  const int x = threadIdx.x, y = threadIdx.y, head = blockIdx.z * seq;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  const int tiles = ceil_div(seq, kTile);
  float sum = 0;
  for (int j = 0; j < tiles; ++j) {
    begin_step("product", blockIdx.y * tiles + j);
    p_tile[y][x] = float(load_if(row < seq && j * kTile + x < seq,
                                 p[(head + row) * seq + j * kTile + x]));
    v_tile[y][x] = float(
        load_if(j * kTile + y < seq, v[(head + j * kTile + y) * d + col]));

    __syncthreads();

    for (int i = 0; i < kTile; ++i) sum += p_tile[y][i] * v_tile[i][x];
    show_if(row < seq, "o", row * d + col, sum);

    __syncthreads();
  }
  if (row < seq) o[(head + row) * d + col] = sum;
}

template <class P, class T>
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k,
            View<const T, P> v, View<float, P> o, View<float, P> l,
            View<float, P> s, View<T, P> p, const Settings& a) {
  for_tile<Tiles<32, 32>>(gpu, a, [&](auto t) {
    const int tiles = ceil_div(a.seq, t.q), cols = a.head_dim / t.q;
    const Extents block{t.q, t.q};
    gpu.launch("scores", scores<t.q, T, P>, {tiles, tiles, a.heads}, block,
               q, k, s, a.seq, a.head_dim, a.scale(), a.causal);
    gpu.launch("softmax", softmax<t.q, T, P>, {tiles, a.heads}, {32, t.q},
               s, p, l, a.seq);
    gpu.launch("product", product<t.q, T, P>, {cols, tiles, a.heads}, block,
               p, v, o, a.seq, a.head_dim);
  });
}
