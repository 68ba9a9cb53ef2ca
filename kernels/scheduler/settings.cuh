// What the rungs of this ladder are launched with, and how up to 64 warps come
// to start together on one SM.
#pragma once
#include "kernels/lab.cuh"

constexpr int kIterations = 8, kMaxIlp = 4, kSeats = 2;
// A block has at most 32 warps. For two blocks on one SM, every SM is offered
// two, and one SM keeps them.
constexpr int kBlocksOfAllSms = 384;  // for up to 192 SMs

struct Settings {
  int warps, ilp, fma_per_load, barrier_every;
};

// Calls f with the chains per warp and the FMAs per load as constants.
template <class F>
void for_program(const Settings& s, F f) {
  const auto with_ilp = [&](auto ilp) {
    const auto if_asked = [&](auto fma) {
      if (s.fma_per_load == fma()) f(ilp, fma);
    };
    const auto with = [&]<int... kFma>() {
      (if_asked(std::integral_constant<int, kFma>{}), ...);
    };
    with.template operator()<0, 1, 2, 4, 6, 8, 12, 16, 24, 32>();
  };
  if (s.ilp == 1) with_ilp(std::integral_constant<int, 1>{});
  else if (s.ilp == 2) with_ilp(std::integral_constant<int, 2>{});
  else with_ilp(std::integral_constant<int, 4>{});
}

// Which of the measured blocks this one is; kSeats and above: none. Where time
// is taken, the first two on SM 0 are.
template <class P>
LAB_DEVICE int take_seat(View<int, P> seats) {
  if (gridDim.x == 1) return 0;
#if defined(__CUDA_ARCH__) && !defined(LAB_TRACED)
  SHARED(int, seat, 1);
  if (threadIdx.x == 0) {
    int sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    seat[0] = sm == 0 ? atomicAdd(&seats[0], 1) : kSeats;
  }
  __syncthreads();
  return seat[0];
#else
  (void)seats;
  return blockIdx.x;
#endif
}
template <class P>
LAB_KERNEL void free_seats(View<int, P> seats) { seats[0] = 0; }

// Blocks of an SM share its clock: they go on when it next is a multiple of
// 2^17 cycles, and need not tell each other.
LAB_DEVICE void start_together() {
  if (threadIdx.x < 32)
    while ((int(clock()) & 0x1ffff) > 255) {}
}
