// What every rung of this ladder is launched with, and what the later ones take
// over from the earlier ones.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/shuffle/sizes.hpp"

struct Settings {
  int n, threads;
};

// What a tile tells the others, in one word: the upper half says which tiles
// the sum in the lower half is of. A word is written and read as one.
using Word = unsigned long long;
constexpr unsigned kNothing = 0;  // not yet told
constexpr unsigned kOwn = 1;      // of this tile alone
constexpr unsigned kUpTo = 2;     // of this tile and all before it

template <class P>
struct Arrays {
  View<const int, P> in;
  View<int, P> out, sums;   // of the blocks
  View<Word, P> words;      // of the tiles
  View<unsigned, P> drawn;  // how many tiles have been drawn
};

// The sum of this lane's x and of those of the lanes before it.
LAB_DEVICE int scan_of_warp(int x) {
  const int lane = threadIdx.x % 32;
  for (int s = 1; s < 32; s *= 2) {
    const int left = __shfl_up_sync(~0u, x, s);
    if (lane >= s) x += left;
  }
  return x;
}

// From the sums of the warps: that of those before this one, and of all.
struct Sums {
  int before, all;
};
template <class Part>
LAB_DEVICE Sums over_warps(Part part, int sum) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 31) part[warp] = sum;

  __syncthreads();

  const int warps = blockDim.x / 32;
  const int sums = lane < warps ? int(part[lane]) : 0;
  const int up_to = scan_of_warp(sums);
  const int before = __shfl_sync(~0u, up_to, warp - 1);
  return {warp > 0 ? before : 0, __shfl_sync(~0u, up_to, 31)};
}

// The tile that this block works on. It is drawn, so that all before it are
// under way: CUDA says nothing of the order in which blocks begin.
template <class Told, class Drawn>
LAB_DEVICE int draw_tile(Told told, Drawn drawn) {
  if (threadIdx.x == 0) told[0] = int(atomicAdd(&drawn[0], 1u));

  __syncthreads();

  return told[0];
}

// Tells the others; waits until a tile has told something.
template <class Words>
LAB_DEVICE void tell(Words words, int tile, unsigned what, int sum) {
  as<volatile Word>(words)[tile] = Word(what) << 32 | unsigned(sum);
}
template <class Words>
LAB_DEVICE Word ask(Words words, int tile) {
  Word word;
  do {
    word = as<volatile Word>(words)[tile];
  } while (word >> 32 == kNothing);
  return word;
}

// The sum of all tiles before this one, by the 32 lanes of a warp, which look
// at 32 tiles at once: lane 0 at the nearest one.
template <class Words>
LAB_DEVICE int look_back(Words words, int tile) {
  const int lane = threadIdx.x % 32;
  int before = 0;
  unsigned known = 0;
  for (int last = tile - 1; last >= 0 && known == 0; last -= 32) {
    const int t = last - lane;
    Word word = Word(kUpTo) << 32;
    if (t >= 0) {
      word = ask(words, t);
      show("what", t, int(word >> 32)), show("sum", t, int(word));
    }
    known = __ballot_sync(~0u, word >> 32 == kUpTo);
    // All of them, or those up to the first that knows the sum up to itself.
    int sum = known == 0 || lane < __ffs(int(known)) ? int(word) : 0;
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
    before += sum;
  }
  return before;
}

// No tile has told anything, none is drawn.
template <class P>
LAB_KERNEL void forget(View<Word, P> words, View<unsigned, P> drawn,
                       int tiles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < tiles) words[i] = 0;
  if (i == 0) drawn[0] = 0;
}
