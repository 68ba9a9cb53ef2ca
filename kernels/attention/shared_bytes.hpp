// Where the tiles of each rung stand in a block's shared memory, in bytes: what the kernels go by, what their
// launchers ask for and what ladder.cpp refuses past kMostShared.
#pragma once

namespace lab {

constexpr int kMostShared =
    227 * 1024;  // per block on sm_90 (CUDA C++ Programming Guide, compute capabilities)

// Rows of a tile of floats are padded by 4: lanes that read 16 bytes each of neighbouring rows share no bank.
constexpr int padded(int d) { return d + 4; }

struct Flash1Layout {
  int q = 0, k = 0, v = 0;  // the tiles; Q's has 32 rows
  int part = 0;             // of each of the four warps: P V of its columns, 32 rows
  int of_warp = 0;          // of each warp and row: its maximum (0 to 3), its sum (4 to 7)
  int bytes = 0;
};
constexpr Flash1Layout flash1_layout(int tile_k, int d) {
  const int row = 4 * padded(d);
  Flash1Layout at;
  at.k = at.q + 32 * row, at.v = at.k + tile_k * row, at.part = at.v + tile_k * row;
  at.of_warp = at.part + 4 * 32 * row;
  at.bytes = at.of_warp + 8 * 32 * 4;
  return at;
}
constexpr int flash1_shared(int tile_k, int d) { return flash1_layout(tile_k, d).bytes; }

struct Flash2Layout {
  int q = 0, k = 0, v = 0;  // the tiles; K's and V's have 32 rows
  int bytes = 0;
};
constexpr Flash2Layout flash2_layout(int tile_q, int d) {
  const int row = 4 * padded(d);
  Flash2Layout at;
  at.k = at.q + tile_q * row, at.v = at.k + 32 * row, at.bytes = at.v + 32 * row;
  return at;
}
constexpr int flash2_shared(int tile_q, int d) { return flash2_layout(tile_q, d).bytes; }

// A tile of Q and two pairs of tiles of K and V, 16 bits an element, swizzled.
constexpr Flash2Layout mma_layout(int tile_q, int tile_k, int d) {
  const int row = 2 * d;
  Flash2Layout at;
  at.k = at.q + tile_q * row, at.v = at.k + 2 * tile_k * row, at.bytes = at.v + 2 * tile_k * row;
  return at;
}
constexpr int mma_shared(int tile_q, int tile_k, int d) { return mma_layout(tile_q, tile_k, d).bytes; }

// The same in boxes of 64 columns.
constexpr int boxed_shared(int tile_q, int tile_k, int d) { return (tile_q + 4 * tile_k) * d * 2; }
// 128 rows of two matrices, and four times 64 of the two that pass.
constexpr int boxed_backward_shared(int d) { return 2 * (128 + 4 * 64) * d * 2; }

struct BackwardLayout {
  int q = 0, d_o = 0, k = 0, v = 0;  // the tiles
  int bytes = 0;
};
constexpr BackwardLayout backward_layout(int tile_q, int tile_k, int d) {
  const int row = 4 * padded(d);
  BackwardLayout at;
  at.d_o = at.q + tile_q * row, at.k = at.d_o + tile_q * row, at.v = at.k + tile_k * row;
  at.bytes = at.v + tile_k * row;
  return at;
}
constexpr int backward_shared(int tile_q, int tile_k, int d) {
  return backward_layout(tile_q, tile_k, d).bytes;
}

}  // namespace lab
