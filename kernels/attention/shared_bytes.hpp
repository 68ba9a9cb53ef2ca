// Shared memory of a block of each rung, in bytes: what its launcher asks for and what ladder.cpp refuses
// past kMostShared.
#pragma once

namespace lab {

constexpr int kMostShared =
    227 * 1024;  // per block on sm_90 (CUDA C++ Programming Guide, compute capabilities)

// Tiles of Q (32 rows), K and V, a part of P V from each of the four warps, their maxima and sums.
constexpr int flash1_shared(int tile_k, int d) { return 4 * ((5 * 32 + 2 * tile_k) * (d + 4) + 8 * 32); }

// Tiles of Q, K and V (32 rows each).
constexpr int flash2_shared(int tile_q, int d) { return 4 * (tile_q + 2 * 32) * (d + 4); }

// A tile of Q and two pairs of tiles of K and V, 16 bits an element.
constexpr int mma_shared(int tile_q, int tile_k, int d) { return 2 * (tile_q + 4 * tile_k) * d; }

// Tiles of Q, dO, K and V.
constexpr int backward_shared(int tile_q, int tile_k, int d) { return 8 * (tile_q + tile_k) * (d + 4); }

}  // namespace lab
