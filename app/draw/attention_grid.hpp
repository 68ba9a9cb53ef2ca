// Attention as a picture: queries down, keys across, the scores of every pair between them; K and V above, Q
// to the left, what the kernel holds of each row (m, l, the factor of this step) and O to the right. Plain
// data in, what the pointer is on out.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/model/fold.hpp"
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

// A cell of the scores. Above kScore it is a probability beside the row's largest score so far: kScore + 0
// .. 1.
namespace attention_cell {
constexpr std::uint8_t ahead = 0, elsewhere = 1, hidden = 2, kept = 3;
std::uint8_t score(double share);  // 0 .. 1
}  // namespace attention_cell

// Of a tile in shared memory that this step does not use.
Color held_color(const Theme& theme);

struct AttentionRow {
  std::optional<float> m, l, factor;
  bool moved = false;  // m grew in this step
};
// How the three numbers of a row are called, and what they are; a column without a name is not drawn.
struct AttentionColumn {
  std::string name, meaning;
  bool from_zero = false;  // its bars begin at 0, not below the least
};

// What becomes of rows of Q (beside the scores) or of K (below them): O, dQ, dK, dV.
struct AttentionOutput {
  std::string name, meaning;
  Span rows;
  std::vector<float> values;  // [rows.count x head_dim], NaN where there is nothing yet
  bool of_keys = false;
};

// What moves in this step.
enum class AttentionMove : std::uint8_t { none, loads_q, loads_kv, multiplies_q_k, weighs, multiplies_p_v };

// The part of the current tile that one warp computes.
struct AttentionShare {
  std::string name;  // "warp 2"
  Span rows, cols;
};

struct AttentionPicture {
  std::string id;                  // "stage/attention"
  std::string title, short_title;  // above the scores; the shorter one where the other has no room
  std::int64_t seq = 0;            // scores are seq x seq
  std::int64_t head_dim = 0;
  std::int64_t cells = 0;               // cells x cells of them are drawn: one per score, or one per so many
  std::vector<std::uint8_t> values;     // cells x cells of attention_cell
  std::int64_t tile_q = 0, tile_k = 0;  // lines at their multiples
  Span block_rows;                      // of Q, that the followed block works on
  Span q_tile, k_tile;                  // of this step; none where count is 0
  bool v_alone = false;                 // k_tile is of V, and K has no part in the step
  bool k_in_use = false, v_in_use = false, q_in_use = false;  // in shared memory or registers, in this step
  std::vector<Span> k_held, v_held;  // tiles in shared memory: loaded, and not used for the last time
  std::vector<AttentionShare> shares;
  std::vector<AttentionRow> rows;  // [seq], or empty
  std::array<AttentionColumn, 3> columns{{{"m", "", false}, {"l", "", true}, {"factor", "", true}}};
  std::vector<AttentionOutput> outputs;  // at most one of queries, two of keys
  std::int64_t focus = -1;               // a row told in full elsewhere
  AttentionMove move = AttentionMove::none;
  float motion = 1;  // 0 .. 1: how far it has come
};

struct AttentionHit {
  std::optional<std::int64_t> row, col;  // under the pointer: a row alone beside the scores
  bool clicked = false;
  Rect below;  // free
};
// What stands left and right of the scores takes at most so much of the width, at type size 1.
constexpr float kAttentionBeside = 246;
AttentionHit draw_attention(Canvas& canvas, const Theme& theme, Rect r, const AttentionPicture& picture);

// Cells per edge that stay readable in r; at most `most`.
std::int64_t attention_cells(const Theme& theme, Rect r, std::int64_t seq, std::int64_t most);

Color attention_color(const Theme& theme, std::uint8_t cell);

}  // namespace lockstep
