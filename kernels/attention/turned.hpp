// Sizes of the rung whose Q, K and V have 8 bits per element: what its kernels go by, and what ladder.cpp
// makes room for.
#pragma once

namespace lab {

// Keys in a row of V turned over: rows of a matrix that goes in boxes are multiples of 16 bytes.
constexpr int turned_keys(int seq) { return (seq + 15) / 16 * 16; }

// Shared memory of a block: 128 rows of Q, and four times 128 lines of K or V, 128 bytes each.
constexpr int kByteBoxes = (128 + 4 * 128) * 128;

}  // namespace lab
