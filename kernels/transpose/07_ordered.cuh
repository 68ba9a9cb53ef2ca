// 07 ordered: blocks that run at the same time write side by side. Blocks are
// handed out x first, and here x goes along the rows of `out`, not of `in`: the
// thousand blocks on the chip fill a few stretches of memory from end to end.
// The order of the loads suffers, which costs less. All else is `vectorized`:
// only blockIdx.x and blockIdx.y have changed places. Any n.
#pragma once
#include "kernels/lab.cuh"

// Four neighbours of row `row` from column `col` on; zeros beyond the edge.
template <bool kAligned, class P>
LAB_DEVICE float4 load4(View<const float, P> in, int row, int col, int n) {
  if (row >= n || col >= n) return make_float4(0, 0, 0, 0);
  if constexpr (kAligned) {
    return as<const float4>(in)[(row * n + col) / 4];
  } else {
    float x = in[row * n + col], y = 0, z = 0, w = 0;
    if (col + 1 < n) y = in[row * n + col + 1];
    if (col + 2 < n) z = in[row * n + col + 2];
    if (col + 3 < n) w = in[row * n + col + 3];
    return make_float4(x, y, z, w);
  }
}

// Element (row, col) lies within the matrix.
template <bool kAligned, class P>
LAB_DEVICE void store4(View<float, P> out, int row, int col, int n,
                       float4 v) {
  if constexpr (kAligned) {
    as<float4>(out)[(row * n + col) / 4] = v;
  } else {
    out[row * n + col] = v.x;
    if (col + 1 < n) out[row * n + col + 1] = v.y;
    if (col + 2 < n) out[row * n + col + 2] = v.z;
    if (col + 3 < n) out[row * n + col + 3] = v.w;
  }
}

template <bool kAligned, class P>
LAB_KERNEL void transpose(View<const float, P> in, View<float, P> out,
                          int n) {
  SHARED(float4, tile, 64, 16);               // 64 rows of 16 units
  const int u = threadIdx.x % 16, v = threadIdx.x / 16;
  float4 a[4];                                // rows 4v .. 4v + 3 of the tile
  for (int j = 0; j < 4; ++j)
    a[j] = load4<kAligned, P>(in, blockIdx.x * 64 + 4 * v + j,
                              blockIdx.y * 64 + 4 * u, n);
  tile[4 * u + 0][v ^ u] = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
  tile[4 * u + 1][v ^ u] = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
  tile[4 * u + 2][v ^ u] = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
  tile[4 * u + 3][v ^ u] = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);

  __syncthreads();

  const int col = blockIdx.x * 64 + 4 * u;
  for (int r = v; r < 64; r += 16) {
    const int row = blockIdx.y * 64 + r;
    if (row < n && col < n)
      store4<kAligned, P>(out, row, col, n, tile[r][u ^ (r / 4)]);
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            int n) {
  const int tiles = ceil_div(n, 64);
  const auto kernel = n % 4 == 0 ? transpose<true, P> : transpose<false, P>;
  gpu.launch("transpose", kernel, {tiles, tiles}, {256}, in, out, n);
}
