// What a forward pass of attention asks for, by its sizes alone: the same as the rungs' counted bytes where
// tiles are whole (tests/ladder_attention_traffic.cpp), so that curves can be drawn over sizes that nobody
// runs.
#pragma once
#include <cstdint>
#include <string_view>

namespace lockstep {

struct AttentionShape {
  std::int64_t seq = 64, head_dim = 32, heads = 1;
  std::int64_t tile_q = 32, tile_k = 32;  // rows of Q, of K and V
  std::int64_t element_bytes = 4;         // of q, k and v; O and the row's numbers are fp32
  bool causal = false;
};

// Bytes that the threads load from global memory, 0 for a rung that has no model. standard: tiles of Q and K
// for the scores, the scores three times for the softmax, P and V for O. flash1: K and V once, Q, O, m and
// the sums for every tile of K. flash2 (and with mma): Q once, K and V for every tile of Q. Tiles that the
// causal mask hides are skipped.
double attention_load_bytes(std::string_view rung, const AttentionShape& shape);

// Every input once: what no kernel can go below.
double attention_least_bytes(const AttentionShape& shape);

// Bytes from and to HBM, of sizes far beyond an L2 of this many bytes: every input read once and O and l
// written once, because the K and V of the heads in flight stay in the L2 (one head's K and V must fit); and
// what one pass leaves for the next goes through memory each time where it takes more than half of the L2:
// standard writes scores and probabilities and reads the scores three times, flash1 reads and writes O again
// for every tile of K. 0 for a rung that has no model. Held against an H200's DRAM counters
// (tests/ladder_attention_traffic.cpp): within 15 %.
double attention_memory_bytes(std::string_view rung, const AttentionShape& shape, std::int64_t l2_bytes);

// Bytes of global memory beside q, k, v and o that a forward pass keeps: scores and probabilities, or a
// number or three per row. 0 for other rungs.
double attention_kept_bytes(std::string_view rung, const AttentionShape& shape);

// Tiles of Q, K and V on the chip: the M of Theta(N^2 d^2 / M).
double attention_chip_bytes(const AttentionShape& shape);

}  // namespace lockstep
