// What every rung of this ladder is launched with.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int n;               // threads
  int stride, offset;  // floats
  int pitch;           // floats from row to row
  int fields, read;    // floats per particle; those that are read
  int width;           // bytes per lane: 4, 8 or 16
};

constexpr Extents kBlock{256};

inline Extents blocks(int threads) { return {ceil_div(threads, kBlock.x)}; }

// Calls f with an element of that many bytes.
template <class F>
void for_width(int bytes, F f) {
  if (bytes == 4) f(float{});
  else if (bytes == 8) f(float2{});
  else f(float4{});
}
