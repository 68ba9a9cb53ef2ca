// What is folded of a run of attention: its steps as the kernels name them, and what they add up to.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/marks.hpp"
#include "app/model/progress.hpp"

namespace lockstep {

namespace attention_step {  // names of begin_step() in the kernels
constexpr std::uint16_t load_q = name_id("load_q"), load_kv = name_id("load_kv"), scores = name_id("scores"),
                        exchange = name_id("exchange"), softmax = name_id("softmax"),
                        output = name_id("output"), product = name_id("product"), finish = name_id("finish"),
                        recompute = name_id("recompute"), rowsum = name_id("rowsum"), turn = name_id("turn"),
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
  // Of these rows and columns, the scores that the mask leaves.
  std::int64_t pairs(Span q, Span k) const;
};
std::optional<AttentionSizes> attention_sizes(const Run& run);
bool is_matrix(const ViewInfo* view);  // with rows and columns

// Tile of a step, without drawing anything.
struct AttentionTile {
  std::uint16_t mark = 0;
  std::int64_t i = -1, j = -1;
  Span q, k;                // its rows of Q, and of K and V
  bool multiplies = false;  // by these rows
};
// Of all steps. Where a launch comes to a tile of what passes by more than once, it takes the rows in as many
// equal parts.
std::vector<AttentionTile> tiles_of(const AttentionSizes& sizes, const MarkedAxis& axis);
AttentionTile tile_of(const AttentionSizes& sizes, const MarkedAxis& axis, int step);

// What the rows of Q's tile went through in a step: how many of them saw their maximum move, and what their
// sums and outputs were multiplied by.
struct RowChanges {
  std::int64_t rows = 0, moved = 0;
  float least_factor = 1;
  std::int64_t least_row = -1;
};
RowChanges changes_of(const AttentionSizes& sizes, const MarkedAxis& axis, int step);
struct AttentionScene final : LabScene {
  explicit AttentionScene(std::shared_ptr<const Run> run);

  const MarkedAxis steps;
  const BlockProgress progress;
  const std::optional<AttentionSizes> sizes;  // nothing for a run that is no attention
  const std::vector<AttentionTile> tiles;     // of each step; none without sizes
  bool tensor_cores = false;
  bool scores_in_memory = false;  // written by one launch, read back by the next ones
  bool uses_shared = false, copies = false;
  bool late_output = false;  // P V is asked for before the next tile is weighed, and is there behind that
  bool transposes = false;   // V, in a launch before: its numbers have 8 bits
  bool boxed = false;        // the tiles come in boxes (TMA), and the products read them in shared memory
  // 2 d per pair of a query and a key and product that was begun: two in the forward pass, five in the
  // backward one and once more those that both of its launches compute.
  double flop_until(int step) const;
  // Rows whose maximum has moved (the first one of a row is no move), over all steps so far.
  std::int64_t moves_until(int step) const;
  // Is the step one in which P V is asked for and has not ended?
  bool asks_for_output(int step) const;
  // Is the step one of a launch of the backward pass?
  bool makes_gradients(int step) const;

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
  std::vector<LabPanel> panels(Rect stage, const Theme& theme) const override;

 private:
  bool shows_output(int step) const;
  std::vector<double> flop_;         // after each step
  std::vector<std::int64_t> moves_;  // after each step
};

// Curves over the problem's size, by the model of the rungs' traffic.
std::vector<LabPanel> attention_panels(const Run& run, const AttentionSizes& sizes);

}  // namespace lockstep
