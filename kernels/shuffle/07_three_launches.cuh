// 07 three_launches: a scan over the whole array. A block cannot hand anything
// to the next one while both run, so it takes three launches: the sums of the
// blocks, their scan by one block, and the scan of each block behind what
// stands before it. All of `in` is read twice.
// Any n; threads: a multiple of 32.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void block_sums(View<const int, P> in, View<int, P> sums, int n) {
  SHARED(int, part, 32);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  begin_step("load", 0);
  int x = i < n ? int(in[i]) : 0;
  show("x", threadIdx.x, x);
  begin_step("tree", 0);
  x = scan_of_warp(x);
  const Sums warps = over_warps(part, x);
  show("x", threadIdx.x, warps.before + x);
  begin_step("store", 0);
  if (threadIdx.x == 0) sums[blockIdx.x] = warps.all;
}

template <class P>
LAB_KERNEL void scan_sums(View<int, P> sums, int blocks) {
  SHARED(int, part, 32);
  int before = 0;
  for (int k = 0, first = 0; first < blocks; ++k, first += blockDim.x) {
    const int i = first + threadIdx.x;
    begin_step("load", k);
    const int x = i < blocks ? int(sums[i]) : 0;
    show("x", threadIdx.x, x);
    begin_step("tree", k);
    const int in_warp = scan_of_warp(x);
    const Sums warps = over_warps(part, in_warp);
    const int up_to = before + warps.before + in_warp;
    show("x", threadIdx.x, up_to);
    begin_step("store", k);
    if (i < blocks) sums[i] = up_to - x;
    before += warps.all;
    __syncthreads();  // the next round writes to part
  }
}

template <class P>
LAB_KERNEL void scan(View<const int, P> in, View<const int, P> before,
                     View<int, P> out, int n) {
  SHARED(int, part, 32);
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  begin_step("load", 0);
  int x = i < n ? int(in[i]) : 0;
  show("x", tid, x);
  begin_step("tree", 0);
  x = scan_of_warp(x);
  x += over_warps(part, x).before;
  show("x", tid, x);
  begin_step("join", 0);
  x += before[blockIdx.x];
  show("x", tid, x);
  begin_step("store", 0);
  if (i < n) out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  const int blocks = ceil_div(s.n, s.threads);
  gpu.launch("block_sums", block_sums<P>, {blocks}, {s.threads}, at.in, at.sums,
             s.n);
  gpu.launch("scan_sums", scan_sums<P>, {1}, {1024}, at.sums, blocks);
  gpu.launch("scan", scan<P>, {blocks}, {s.threads}, at.in,
             as<const int>(at.sums), at.out, s.n);
}
