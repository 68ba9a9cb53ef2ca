// What a forward pass of attention asks for, by its sizes alone: the same as the rungs' counted bytes where
// tiles are whole (tests/ladder_attention_traffic.cpp), so that curves can be drawn over sizes that nobody
// runs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

namespace lockstep {

struct AttentionShape {
  std::int64_t seq = 64, head_dim = 32, heads = 1;
  std::int64_t tile_q = 32, tile_k = 32;  // rows of Q, of K and V
  std::int64_t element_bytes = 4;         // of q, k and v; O and the row's numbers are fp32
  bool causal = false;
};

namespace attention_traffic {

inline std::int64_t tiles(std::int64_t seq, std::int64_t tile) { return (seq + tile - 1) / tile; }

// Keys in the tiles that a tile of queries meets.
inline std::int64_t keys_met(const AttentionShape& s, std::int64_t i) {
  if (!s.causal) return s.seq;
  const std::int64_t last_row = (i + 1) * s.tile_q - 1;
  return std::min(s.seq, (last_row / s.tile_k + 1) * s.tile_k);
}

// The rungs of flash2's order of loops: a tile of Q stays, K and V pass by.
inline bool queries_outside(std::string_view rung) {
  return rung.starts_with("flash2") || rung == "flash3" || rung == "pingpong" || rung == "causal" ||
         rung == "fp8";
}

inline double flash2_bytes(const AttentionShape& s) {
  double keys = 0;
  for (std::int64_t i = 0; i < tiles(s.seq, s.tile_q); ++i) keys += double(keys_met(s, i));
  return double(s.head_dim) * double(s.element_bytes) * (double(s.seq) + 2 * keys);
}

// V is read once more, to be turned over.
inline double turned_bytes(const AttentionShape& s) {
  return double(s.seq) * double(s.head_dim) * double(s.element_bytes);
}

inline double flash1_bytes(const AttentionShape& s) {
  constexpr double kWarps = 4;  // each of them reads m and the sum of every row
  const double d = double(s.head_dim), eb = double(s.element_bytes);
  double bytes = 2 * double(s.seq) * d * eb + 8 * double(s.seq);  // K and V once; at the end m and the sums
  for (std::int64_t j = 0; j < tiles(s.seq, s.tile_k); ++j) {
    const std::int64_t first = s.causal ? j * s.tile_k / s.tile_q * s.tile_q : 0;
    const double rows = double(std::max<std::int64_t>(0, s.seq - first));
    bytes += rows * d * eb;
    if (j > 0) bytes += rows * (4 * d + kWarps * 8);
  }
  return bytes;
}

// Blocks of 32 x 32 scores, or elements of O; the mask saves nothing.
inline double standard_bytes(const AttentionShape& s) {
  constexpr std::int64_t kTile = 32;
  const double t = double(tiles(s.seq, kTile)), seq = double(s.seq), d = double(s.head_dim),
               eb = double(s.element_bytes);
  const double scores = 2 * t * seq * d * eb;
  const double softmax = 3 * seq * seq * 4;  // maximum, sum, probability
  const double product = d / kTile * seq * seq * eb + t * seq * d * eb;
  return scores + softmax + product;
}

// Where the blocks that run at once are those of all heads and their K and V are more than the L2 holds, they
// come again for every wave of blocks, one on each SM: as far as its rows see, which is half of it on
// average.
inline double read_again_by_all_heads(const AttentionShape& s, std::int64_t l2_bytes) {
  constexpr double kSms = 132;  // of an H100 or H200
  const double kv = 2 * double(s.heads) * double(s.seq) * double(s.head_dim) * double(s.element_bytes);
  const double waves = double(s.heads) * double(tiles(s.seq, s.tile_q)) / kSms;
  return kv > double(l2_bytes) ? kv * std::max(0.0, waves / 2 - 1) : 0;
}

}  // namespace attention_traffic

// Bytes that the threads load from global memory, 0 for a rung that has no model. standard: tiles of Q and K
// for the scores, the scores three times for the softmax, P and V for O. flash1: K and V once, Q, O, m and
// the sums for every tile of K. flash2 and what came of it: Q once, K and V for every tile of Q. Tiles that
// the causal mask hides are skipped.
inline double attention_load_bytes(std::string_view rung, const AttentionShape& s) {
  if (s.seq < 1 || s.tile_q < 1 || s.tile_k < 1) return 0;
  if (rung == "fp8")
    return double(s.heads) * (attention_traffic::flash2_bytes(s) + attention_traffic::turned_bytes(s));
  if (attention_traffic::queries_outside(rung)) return double(s.heads) * attention_traffic::flash2_bytes(s);
  if (rung == "flash1") return double(s.heads) * attention_traffic::flash1_bytes(s);
  if (rung == "standard") return double(s.heads) * attention_traffic::standard_bytes(s);
  return 0;
}

// Every input once: what no kernel can go below.
inline double attention_least_bytes(const AttentionShape& s) {
  return 3 * double(s.heads) * double(s.seq) * double(s.head_dim) * double(s.element_bytes);
}

// Bytes from and to HBM, of sizes far beyond an L2 of this many bytes: every input read once and O and l
// written once, because the K and V of the heads in flight stay in the L2 (one head's K and V must fit); and
// what one pass leaves for the next goes through memory each time where it takes more than half of the L2:
// standard writes scores and probabilities and reads the scores three times, flash1 reads and writes O again
// for every tile of K; causal has all heads in flight. 0 for a rung that has no model. Held against an H200's
// DRAM counters (tests/ladder_attention_traffic.cpp): within 15 %.
inline double attention_memory_bytes(std::string_view rung, const AttentionShape& s, std::int64_t l2_bytes) {
  const double rows = double(s.heads) * double(s.seq), kept = double(l2_bytes) / 2;
  const double output = rows * double(s.head_dim) * 4, once = attention_least_bytes(s) + output + 4 * rows;
  if (rung == "causal") return once + attention_traffic::read_again_by_all_heads(s, l2_bytes);
  if (rung == "fp8") {  // V turned over is written, and read again where it is more than the L2
    const double turned = double(s.heads) * attention_traffic::turned_bytes(s);
    return once + turned + (turned > double(l2_bytes) ? turned : 0);
  }
  if (attention_traffic::queries_outside(rung)) return once;
  if (rung == "standard") {
    const double scores = rows * double(s.seq) * 4, p = rows * double(s.seq) * double(s.element_bytes);
    return once + (scores > kept ? 4 * scores : 0) + (p > kept ? 2 * p : 0);
  }
  if (rung == "flash1") {
    const double again = double(attention_traffic::tiles(s.seq, s.tile_k) - 1);
    return once + (output > kept ? 2 * again * output : 0);
  }
  return 0;
}

// Bytes of global memory beside q, k, v and o that a forward pass keeps: scores and probabilities, or a
// number or three per row. 0 for other rungs.
inline double attention_kept_bytes(std::string_view rung, const AttentionShape& s) {
  const double rows = double(s.heads) * double(s.seq);
  if (rung.starts_with("backward")) return 0;
  if (rung == "standard") return rows * double(s.seq) * (4 + double(s.element_bytes)) + 4 * rows;
  if (rung == "fp8") return double(s.heads) * attention_traffic::turned_bytes(s) + 4 * rows;
  return rows * (rung == "flash1" ? 12 : 4);
}

// Tiles of Q, K and V on the chip: the M of Theta(N^2 d^2 / M).
inline double attention_chip_bytes(const AttentionShape& s) {
  return double(s.tile_q + 2 * s.tile_k) * double(s.head_dim) * double(s.element_bytes);
}

}  // namespace lockstep
