// 08 look_back: one pass. A block tells its sum as soon as it has it, then
// looks back: tile after tile, until one knows the sum up to itself (Merrill
// and Garland's decoupled look-back). Blocks wait for blocks: each draws its
// tile, so those it waits for have begun.
// Any n; threads: a multiple of 32.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void scan(View<const int, P> in, View<int, P> out,
                     View<Word, P> words, View<unsigned, P> drawn, int n) {
  SHARED(int, part, 32);
  SHARED(int, told, 2);  // the tile; the sum of all before it
  const int tid = threadIdx.x;
  begin_step("draw", 0);
  const int tile = draw_tile(told, drawn), i = tile * blockDim.x + tid;
  begin_step("load", 0);
  int x = i < n ? int(in[i]) : 0;
  show("x", tid, x);
  begin_step("tree", 0);
  x = scan_of_warp(x);
  const Sums warps = over_warps(part, x);
  x += warps.before;
  show("x", tid, x);
  begin_step("tell", 0);
  if (tid == 0) tell(words, tile, tile == 0 ? kUpTo : kOwn, warps.all);
  begin_step("look", 0);
  if (tid == 0) {
    int before = 0;
    unsigned what = kOwn;
    for (int t = tile - 1; t >= 0 && what == kOwn; --t) {
      LAB_ITERATION(tile - t);
      const Word word = ask(words, t);
      what = unsigned(word >> 32), before += int(word);
      show("what", t, int(what)), show("sum", t, int(word));
    }
    if (tile > 0) tell(words, tile, kUpTo, before + warps.all);
    told[1] = before;
  }

  __syncthreads();

  begin_step("join", 0);
  x += told[1];
  show("x", tid, x);
  begin_step("store", 0);
  if (i < n) out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  const int tiles = ceil_div(s.n, s.threads);
  gpu.launch("forget", forget<P>, {ceil_div(tiles, 256)}, {256}, at.words,
             at.drawn, tiles);
  gpu.launch("scan", scan<P>, {tiles}, {s.threads}, at.in, at.out, at.words,
             at.drawn, s.n);
}
