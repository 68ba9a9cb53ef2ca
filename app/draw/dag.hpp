// Kernels and what they wait for, from left to right: a box each, in the column of its longest way from the
// start. Where there are too many columns, those around the current box are drawn, and what is left out is
// counted.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct DagBox {
  std::string label;
  Color color;
  bool done = false;       // filled; else in outline
  bool current = false;    // with the frame of the current step
  std::vector<int> after;  // boxes that it waits for, all of them earlier
  std::string hint;        // shown on hover
};

// The column of each box: 0 where it waits for none.
std::vector<int> dag_columns(std::span<const DagBox> boxes);
// How high they want to stand: the fullest column decides.
float dag_height(const Theme& theme, std::span<const DagBox> boxes);
// Returns the box that was clicked.
std::optional<int> draw_dag(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                            std::span<const DagBox> boxes);

}  // namespace lockstep
