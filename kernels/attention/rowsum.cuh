// What both backward passes begin with.
#pragma once
#include "kernels/half.cuh"
#include "kernels/lab.cuh"

// d = the sum of dO O along each row: what the softmax takes from all gradients
// of the row. A warp per row.
template <int kTileQ, int kTileK, int kD, class T, class P>
LAB_KERNEL_OF(128)
void rowsum(View<const T, P> d_o, View<float, P> o, View<float, P> d, int seq) {
  begin_step("rowsum", blockIdx.x * ceil_div(seq, kTileK));
  for (int r = threadIdx.x / 32; r < kTileQ; r += 4) {
    const int lane = threadIdx.x % 32, row = blockIdx.x * kTileQ + r;
    const int first = (blockIdx.y * seq + row) * kD;
    float sum = 0;
    for (int c = lane; c < kD; c += 32)
      sum += float(load_if(row < seq, d_o[first + c])) *
             load_if(row < seq, o[first + c]);
    sum = warp_sum(sum);
    if (row < seq && lane == 0) d[blockIdx.y * seq + row] = sum;
  }
}
