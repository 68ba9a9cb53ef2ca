// 05 vectorized: 16 bytes per access, the row in registers, one barrier. Each
// warp sums its own part of the row below its own maximum, and the parts are
// merged by the rule of `online`. Little shared memory: many rows per SM in
// flight. Any rows; cols up to 32768, multiples of what 16 bytes hold: 4
// (float) or 8 (bf16, half). A row per block.
#pragma once
#include "kernels/half.cuh"
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class T>
struct alignas(16) Pack {
  T x[16 / sizeof(T)];
};

template <int kWarps, int kElements, class T, class P>
LAB_KERNEL_OF(kWarps * 32)
void softmax(View<const T, P> in, View<T, P> out, int cols) {
  constexpr int kWide = 16 / sizeof(T), kPacks = kElements / kWide;
  SHARED(float, warp_m, 32);
  SHARED(float, warp_l, 32);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row = blockIdx.x, packs = cols / kWide;
  begin_step("load", 0);
  Pack<T> pack[kPacks];             // all on their way before the first is used
  for (int i = 0; i < kPacks; ++i) {
    const int p = i * kWarps * 32 + tid;
    pack[i] = load_if(p < packs, as<const Pack<T>>(in)[row * packs + p]);
  }
  float x[kPacks][kWide];
  float m = -INFINITY, l = 0;       // of this thread, of its warp, of the row
  for (int i = 0; i < kPacks; ++i)
    for (int e = 0; e < kWide; ++e) {
      x[i][e] = i * kWarps * 32 + tid < packs ? float(pack[i].x[e]) : -INFINITY;
      m = fmaxf(m, x[i][e]);
    }
  begin_step("sum", 0);
  m = warp_max(m);
  for (int i = 0; i < kPacks; ++i)
    for (int e = 0; e < kWide; ++e) l += x[i][e] = expf(x[i][e] - finite(m));
  l = warp_sum(l);
  show_if(lane == 0, "m_w", warp, m);
  show_if(lane == 0, "l_w", warp, l);
  if (lane == 0) warp_m[warp] = m, warp_l[warp] = l;

  __syncthreads();

  begin_step("merge", 0);
  const float m_w = lane < kWarps ? float(warp_m[lane]) : -INFINITY;
  const float m_row = warp_max(m_w);
  const float l_w = lane < kWarps ? float(warp_l[lane]) : 0;
  l = warp_sum(l_w * expf(m_w - finite(m_row)));
  show_if(tid == 0, "m", row, m_row);
  show_if(tid == 0, "l", row, l);
  begin_step("divide", 0);
  const float share =                       // a row of -infinity alone gives 0
      l > 0 ? expf(m - finite(m_row)) / l : 0;
  for (int i = 0; i < kPacks; ++i) {
    const int p = i * kWarps * 32 + tid;
    for (int e = 0; e < kWide; ++e) pack[i].x[e] = T(x[i][e] * share);
    if (p < packs) as<Pack<T>>(out)[row * packs + p] = pack[i];
  }
}

template <class T, class P>
void launch(Launcher<P>& gpu, View<const T, P> in, View<T, P> out,
            const Settings& s) {
  const auto with = [&]<int kWarps, int kScores>() {  // scores per thread
    gpu.launch("softmax", softmax<kWarps, kScores, T, P>, {s.rows},
               {kWarps * 32}, in, out, s.cols);
  };
  if (s.cols <= 512) with.template operator()<2, 8>();
  else if (s.cols <= 2048) with.template operator()<8, 8>();
  else if (s.cols <= 4096) with.template operator()<16, 8>();
  else if (s.cols <= 8192) with.template operator()<32, 8>();
  else if (s.cols <= 16384) with.template operator()<32, 16>();
  else with.template operator()<32, 32>();
}
