// 10 many: 32 elements per thread, by eight loads of 16 bytes that are all
// under way at once. A warp has 1024 elements in a row, so eight scans of 128;
// the tiles to tell and to ask are few. Four blocks are to fit on an SM: while
// some look back, others load.
// Any n; 256 threads.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

// Elements i to i + 3, zeros beyond the n-th; their stores.
template <class In>
LAB_DEVICE int4 load_four(In in, int i, int n) {
  if (i + 4 <= n) return as<const int4>(in)[i / 4];
  int x[4] = {};
  for (int k = 0; k < 4; ++k)
    if (i + k < n) x[k] = in[i + k];
  return make_int4(x[0], x[1], x[2], x[3]);
}
template <class Out>
LAB_DEVICE void store_four(Out out, int i, int n, int4 x) {
  if (i + 4 <= n) as<int4>(out)[i / 4] = x;
  else
    for (int k = 0; k < 4; ++k)
      if (i + k < n) out[i + k] = k == 0 ? x.x : k == 1 ? x.y : x.z;
}

// Adds to each of four numbers those before it, and `before`.
LAB_DEVICE int4 scan_of_four(int4 x, int before) {
  x.x += before;
  x.y += x.x;
  x.z += x.y;
  x.w += x.z;
  return x;
}

template <class P>
LAB_KERNEL_OF(kManyThreads, 4)
void scan(View<const int, P> in, View<int, P> out, View<Word, P> words,
          View<unsigned, P> drawn, int n) {
  SHARED(int, part, 32);
  SHARED(int, told, 2);  // the tile; the sum of all before it
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  begin_step("draw", 0);
  const int tile = draw_tile(told, drawn);
  const int i = tile * kManyTile + warp * (kFours * 128) + lane * 4;
  begin_step("load", 0);
  int4 x[kFours];
#pragma unroll
  for (int k = 0; k < kFours; ++k) x[k] = load_four(in, i + 128 * k, n);
  begin_step("tree", 0);
  int all = 0;  // of the warp, up to here
#pragma unroll
  for (int k = 0; k < kFours; ++k) {
    const int four = x[k].x + x[k].y + x[k].z + x[k].w;
    const int up_to = scan_of_warp(four);
    x[k] = scan_of_four(x[k], all + up_to - four);
    all += __shfl_sync(~0u, up_to, 31);
    show("x", tid, x[k].w);
  }
  const Sums warps = over_warps(part, all);
  begin_step("tell", 0);
  if (tid == 0) tell(words, tile, tile == 0 ? kUpTo : kOwn, warps.all);
  begin_step("look", 0);
  if (tid < 32) {
    const int before = look_back(words, tile);
    if (tid == 0 && tile > 0) tell(words, tile, kUpTo, before + warps.all);
    if (tid == 0) told[1] = before;
  }

  __syncthreads();

  begin_step("store", 0);
  const int before = told[1] + warps.before;
#pragma unroll
  for (int k = 0; k < kFours; ++k) {
    const int4 y = make_int4(before + x[k].x, before + x[k].y, before + x[k].z,
                             before + x[k].w);
    store_four(out, i + 128 * k, n, y);
  }
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  const int tiles = ceil_div(s.n, kManyTile);
  gpu.launch("forget", forget<P>, {ceil_div(tiles, 256)}, {256}, at.words,
             at.drawn, tiles);
  gpu.launch("scan", scan<P>, {tiles}, {kManyThreads}, at.in, at.out, at.words,
             at.drawn, s.n);
}
