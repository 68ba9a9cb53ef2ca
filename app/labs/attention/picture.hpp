// What the attention lab draws of one step, as plain data from (scene, view).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/amount_bars.hpp"
#include "app/draw/attention_grid.hpp"
#include "app/draw/legend.hpp"
#include "scene.hpp"

namespace lockstep {

// The tile, the rows, what the kernel holds of them.
struct AttentionStep {
  const AttentionScene& scene;
  const StageInput& in;
  const Launch& launch;  // of the step
  AttentionSizes sizes;
  std::uint16_t mark = 0;
  std::int64_t i = -1, j = -1;  // tile of Q and of K of this step; -1 = none
  std::int64_t head = 0;
  Span block_rows, block_cols;  // of Q and of K within the head, that the followed block works on
  std::int64_t focus = 0;       // the row told in full
  int first_step = 0;           // of the launch
  bool backward = false;        // its launch computes probabilities once more
  bool gradients = false;       // its launch is one of the backward pass
  Span q_rows() const, k_rows() const;
  std::uint32_t score_index(std::int64_t row, std::int64_t col) const {
    return std::uint32_t(row * sizes.seq + col);
  }
};
std::optional<AttentionStep> attention_step_of(const AttentionScene& scene, const StageInput& in);

// Its formulas with what they give in words, as many as have room: this step's.
void draw_row_card(Canvas& canvas, const AttentionStep& now, Rect r);
// The whole stage of a presentation.
void draw_attention_presentation(Canvas& canvas, const AttentionStep& now);

// Where these rows and columns stand in a picture of all seq x seq scores.
Rect part_of(Rect whole, std::int64_t seq, Span rows, Span cols);

AttentionPicture attention_picture(const AttentionStep& now, std::int64_t cells);
// What the colours of the scores mean: of all cells there can be, or of those that this picture has.
std::vector<LegendItem> attention_legend(const AttentionStep& now, const AttentionPicture* picture = nullptr);
// A formula with this step's own numbers, and what it gives in words.
struct RowLine {
  std::string formula, meaning;
};
// m, l and O of the row told in full; in the backward pass its P, dP and dS, and what they are added to.
std::vector<RowLine> row_lines(const AttentionStep& now);

// Of the backward pass (backward.cpp): the gradients that the step's launch makes, as far as they have come;
// the columns beside the scores; the formulas.
std::vector<AttentionOutput> gradients_of(const AttentionStep& now);
void fill_backward_rows(const AttentionStep& now, AttentionPicture& p);
std::vector<RowLine> backward_lines(const AttentionStep& now);

// What each rung moves between HBM and the chip at the size at which the ladder is timed.
AmountBars memory_bars(const AttentionScene& scene);

}  // namespace lockstep
