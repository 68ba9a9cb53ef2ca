// What every rung of this ladder is launched with, and what its accesses are
// measured by. Words are 4 bytes. One block.
#pragma once
#include "kernels/lab.cuh"

constexpr int kTileWords = 8192;

struct Settings {
  int width;                   // bytes per lane and access: 4, 8 or 16
  int stride, offset;          // words
  int pitch, column;           // words
  int divide, modulo;          // lanes that share an element
  bool store;                  // the repeated access writes
  int warps;                   // of the block
  int chains, repeat;          // independent accesses in a row: 1 or 4; rounds
};

// Calls f with the type of one access, the number of chains and the direction
// as constants.
template <class F>
void for_access(const Settings& s, F f) {
  const auto with_type = [&](auto word) {
    using Yes = std::true_type;
    using No = std::false_type;
    using One = std::integral_constant<int, 1>;
    using Four = std::integral_constant<int, 4>;
    if (s.chains == 1) s.store ? f(word, One{}, Yes{}) : f(word, One{}, No{});
    else s.store ? f(word, Four{}, Yes{}) : f(word, Four{}, No{});
  };
  if (s.width == 4) with_type(int{});
  else if (s.width == 8) with_type(int2{});
  else with_type(int4{});
}

// The harness: `repeat` rounds of `access(element)` between two readings of the
// clock, for a lane that begins at `word` of the tile. Every element holds its
// own index, so that each load says where the next one goes: a true dependent
// chain, for latency. With four chains and 32 warps there is always another
// access to issue: throughput. Returns a sum of where the lane has been.
template <class T, int kChains, bool kStore, class Tile, class Access>
LAB_DEVICE int measure(const Tile& tile, int word, int repeat, Access access,
                       int& begin, int& end) {
  constexpr int kWords = sizeof(T) / 4;  // per access
  int at[kChains];                       // elements; chains are 32 words apart
  for (int c = 0; c < kChains; ++c) at[c] = (word + 32 * c) / kWords;
  int rest = 0;
  begin = int(clock());
#pragma unroll 16                        // so that the loop does not show
  for (int k = 0; k < repeat; ++k) {
    for (int c = 0; c < kChains; ++c) {
      if constexpr (kStore) {
        access(at[c]) = splat<T>(at[c] + 1);
      } else {
        const T element = access(at[c]);
        at[c] = first_word(element);
        rest += other_words(element);    // so that the compiler reads all of it
      }
    }
    if constexpr (kStore) __syncwarp();  // others may look: no store goes
  }
  end = int(clock());

  int sum = rest;
  for (int c = 0; c < kChains; ++c)
    if constexpr (kStore) sum += tile[at[c] * kWords];
    else sum += at[c];
  return sum;
}

// Each warp's first and last cycle.
template <class P>
LAB_DEVICE void write_clocks(View<int, P> clocks, int begin, int end) {
  const int lane = threadIdx.x % 32;
  if (lane == 0) {
    clocks[threadIdx.x / 32 * 2] = begin;
    clocks[threadIdx.x / 32 * 2 + 1] = end;
  }
}
