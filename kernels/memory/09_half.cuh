// 09 half: what does the near half of the L2 give, and what the far one? Each
// block first stands still on line after line, as near_far does. Then it reads
// only those lines that are in the nearer half of them, or in the farther one:
// 16 bytes per lane, four loads under way, around L1.
#pragma once
#include "kernels/lab.cuh"
#include "halves.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void number(View<int, P> lines, int words) {  // each place holds its number
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < words; i += gridDim.x * blockDim.x) lines[i] = i;
}

template <class P>
LAB_KERNEL_OF(1024)
void half(View<int, P> lines, View<int, P> clocks, int each, int far,
          int rounds) {
  SHARED(int, took, kLines);     // cycles of each line
  SHARED(int, own, kLines / 2);  // the lines that are read
  const int tid = threadIdx.x, first = blockIdx.x * each;
  for (int i = 0; i < each && tid == 0; ++i) {
    int at = __ldcg(&lines[(first + i) * 32]);  // once, to bring it
    if (at < 0) return;  // never; but it holds the clock until it has come
    const int begin = int(clock());
#pragma unroll
    for (int k = 0; k < kHops; ++k) at = __ldcg(&lines[at]);
    if (at < 0) return;
    took[i] = int(clock()) - begin;
  }
  __syncthreads();
  if (tid < each) {
    int place = 0;  // of this line, from the nearest on
    const int mine = took[tid];
    for (int i = 0; i < each; ++i) place += is_nearer(took[i], i, mine, tid);
    if (far) place = each - 1 - place;
    if (place < each / 2) own[place] = first + tid;
  }
  __syncthreads();
  int sum = 0;
  const Times begin = times_at_begin();
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    int x[4];
    for (int j = 0; j < 4; ++j) {
      const int line = own[(tid / 8 + 32 * j + k) & (each / 2 - 1)];
      const int4 unit = __ldcg(&as<int4>(lines)[line * 8 + tid % 8]);
      // It holds its four numbers: nothing is left of them.
      x[j] = sum_of(unit) - 128 * line - 16 * (tid % 8) - 6;
    }
    sum += x[0] + x[1] + x[2] + x[3];
  }
  if (sum != 0) return;  // never; but it holds the clock
  const Times end = times_at_end();
  if (tid > 0) return;
  clocks[4 * blockIdx.x] = sum;
  clocks[4 * blockIdx.x + 1] = each;
  clocks[4 * blockIdx.x + 2] = int(end.cycle - begin.cycle);
  clocks[4 * blockIdx.x + 3] = int(end.ns - begin.ns);
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P>, View<int, P> lines,
            View<int, P> clocks, View<int, P>, const Settings& s, int each,
            int far) {
  gpu.launch("number", number<P>, {s.blocks}, {1024}, lines,
             s.blocks * each * 32);
  gpu.launch("half", half<P>, {s.blocks}, {1024}, lines, clocks, each, far,
             s.rounds);
}
