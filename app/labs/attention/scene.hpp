// What the attention lab shows of one step: the tile, the rows, what the kernel holds of them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/attention_grid.hpp"
#include "app/draw/legend.hpp"
#include "app/labs/lab.hpp"
#include "app/model/marks.hpp"

namespace lockstep {

namespace attention_step {  // names of begin_step() in the kernels
constexpr std::uint16_t load_q = name_id("load_q"), load_kv = name_id("load_kv"), scores = name_id("scores"),
                        exchange = name_id("exchange"), softmax = name_id("softmax"),
                        output = name_id("output"), product = name_id("product"), finish = name_id("finish"),
                        recompute = name_id("recompute"), rowsum = name_id("rowsum"),
                        gradient_v = name_id("gradient_v"), gradient_p = name_id("gradient_p"),
                        gradient_s = name_id("gradient_s"), gradient_k = name_id("gradient_k"),
                        gradient_q = name_id("gradient_q");
}
namespace attention_value {  // names of show()
constexpr std::uint16_t s = name_id("s"), m = name_id("m"), l = name_id("l"), factor = name_id("factor"),
                        o = name_id("o"), p = name_id("p"), ds = name_id("ds");
}

// The sizes of a run's problem, from its views and parameters.
struct AttentionSizes {
  std::int64_t seq = 0, head_dim = 0, heads = 0, tile_q = 0, tile_k = 0;
  bool causal = false;
  std::int64_t tiles_q() const { return (seq + tile_q - 1) / tile_q; }
  std::int64_t tiles_k() const { return (seq + tile_k - 1) / tile_k; }
  // Scores of a tile that the mask leaves.
  std::int64_t pairs(std::int64_t i, std::int64_t j) const;
};
std::optional<AttentionSizes> attention_sizes(const Run& run);

struct AttentionScene {
  const StageInput& in;
  const Launch& launch;  // of the step
  AttentionSizes sizes;
  std::uint16_t mark = 0;
  std::int64_t i = -1, j = -1;  // tile of Q and of K of this step; -1 = none
  std::int64_t head = 0;
  Span block_rows, block_cols;  // of Q and of K within the head, that the followed block works on
  std::int64_t focus = 0;       // the row told in full
  int first_step = 0;           // of the launch
  bool backward = false;        // it computes probabilities once more
  Span q_rows() const, k_rows() const;
  std::uint32_t score_index(std::int64_t row, std::int64_t col) const {
    return std::uint32_t(row * sizes.seq + col);
  }
};
std::optional<AttentionScene> attention_scene(const StageInput& in);
// Tile of a step, without drawing anything.
struct AttentionTile {
  std::uint16_t mark = 0;
  std::int64_t i = -1, j = -1;
};
AttentionTile tile_of(const AttentionSizes& sizes, const StepAxis& axis, int step);

// What the rows of Q's tile went through in a step: how many of them saw their maximum move, and what their
// sums and outputs were multiplied by.
struct RowChanges {
  std::int64_t rows = 0, moved = 0;
  float least_factor = 1;
  std::int64_t least_row = -1;
};
RowChanges changes_of(const AttentionSizes& sizes, const StepAxis& axis, int step);
// Rows whose maximum has moved (the first one of a row is no move), over all steps so far.
std::int64_t moves_until(const AttentionSizes& sizes, const StepAxis& axis, int step);
// 2 d per pair of a query and a key and product that was begun: two in the forward pass, five in the backward
// one and once more those that both of its launches compute.
double attention_flop_until(const AttentionSizes& sizes, const StepAxis& axis, int step);

AttentionPicture attention_picture(const AttentionScene& scene, std::int64_t cells);
// What the colours of the scores mean: of all cells there can be, or of those that this picture has.
std::vector<LegendItem> attention_legend(const AttentionScene& scene,
                                         const AttentionPicture* picture = nullptr);
// m, l and O of the row told in full, with this step's own numbers in the formulas.
std::vector<std::string> row_lines(const AttentionScene& scene);

}  // namespace lockstep
