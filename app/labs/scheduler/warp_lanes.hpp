// Warps as lanes over cycles: their states, the issue slots and what could have issued, over any stretch.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/draw/theme.hpp"
#include "app/model/result.hpp"
#include "app/model/scheduler.hpp"

namespace lockstep {

Color state_color(WarpState state);      // done: no colour of its own
Message state_label(WarpState state);    // the profiler's word: "long scoreboard"
Message state_meaning(WarpState state);  // what it says: "waits for global memory"
Message state_in_full(WarpState state);  // both

// A stretch of cycles.
struct CycleWindow {
  int first = 0, end = 1;  // cycles
  bool operator==(const CycleWindow&) const = default;
  int count() const { return end - first; }
  // The cycles of column x of so many: at least one.
  CycleWindow part(int x, int columns) const {
    const auto at = [&](int column) { return first + int(std::int64_t(count()) * column / columns); };
    return {at(x), std::max(at(x) + 1, at(x + 1))};
  }
  // Columns of 3 px and more.
  int columns(float width) const { return std::max(1, std::min(count(), int(width / 3))); }
};

// The state that most of the warps first_warp .. end_warp - 1 are in over these cycles; done only where all
// are.
WarpState most_common(const SmRun& sm, int first_warp, int end_warp, CycleWindow window);

// The states of warps over a stretch of cycles as WarpState [warp][column], each the most common one of its
// column. They are a walk over every cycle: what was asked for last is kept, so that a frame does not make
// them again. Asked by one thread at a time; the SM's run must outlive it.
class StateCells {
 public:
  explicit StateCells(const SmRun& sm) : sm_(sm) {}
  const std::vector<std::uint8_t>& of(const std::vector<int>& warps, CycleWindow window, int columns) const;

 private:
  const SmRun& sm_;
  mutable std::vector<int> warps_;
  mutable CycleWindow window_;
  mutable int columns_ = 0;
  mutable std::vector<std::uint8_t> cells_;
};

void draw_state_cells(Canvas& canvas, const Theme& theme, const std::string& key, Rect r, int columns,
                      std::span<const std::uint8_t> cells);

// Round cycles below a timeline.
void draw_cycles_axis(Canvas& canvas, const Theme& theme, Rect r, CycleWindow window);

// Of each cycle how many there are, as bars: warps that could issue, boxes that are under way. A bar of
// `full` height at least stands for so many.
void draw_counts(Canvas& canvas, const Theme& theme, Rect r, std::span<const std::uint8_t> counts,
                 CycleWindow window, int full, Color color);

// The issue slots of all four schedulers, or their tensor cores: how many of the cycles of a column they use;
// `used` by cycle, 0 or 1.
void draw_slots(Canvas& canvas, const Theme& theme, const char* key, Rect r,
                const std::array<std::vector<std::uint8_t>, kSubCores>& used, CycleWindow window,
                Color color);

// Iterations of every warp as stretches of alternating shade; `starts` as IterationStarts.
void draw_iterations(Canvas& canvas, const Theme& theme, const char* key, Rect r,
                     const std::vector<std::vector<int>>& starts, int cycles);

}  // namespace lockstep
