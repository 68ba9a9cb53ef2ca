// The scheduler's stage: every warp in every cycle, enlarged around the current one, and the reasons in
// words.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/draw/plot.hpp"
#include "app/labs/lab.hpp"
#include "app/model/scheduler.hpp"

namespace lockstep {

struct ThroughputCurve {
  std::vector<PlotPoint> model, little, recorded;  // warps, instructions per cycle
};

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

// A run's settings, played by the model.
class Played {
 public:
  ChainSetting setting;
  Policy policy = Policy::greedy_youngest;
  int latency = 0, shown_cycles = 120;
  std::string rung;  // "gemm/shared" where the warps run what was traced of another lab's kernel, else ""
  int warps_per_block = 1;  // of that kernel
  WarpProgram program;
  SmRun sm;
  std::vector<std::uint8_t> eligible;                     // [cycle] warps that could issue
  std::array<std::vector<std::uint8_t>, kSubCores> used;  // [sub-core][cycle] 1 where its slot issues
  // The states of these warps over a stretch of cycles as `columns` cells a row, each its most common
  // state. What a key asked for last is kept, so that a frame does not merge the whole run again.
  const std::vector<std::uint8_t>& merged(const std::string& key, const std::vector<int>& warps,
                                          CycleWindow window, int columns) const;
  bool own() const { return rung.empty(); }  // this lab's chains
  SmSetting sm_setting(int warps) const;     // so many warps with these settings, in whole blocks
  const ThroughputCurve& curve() const;  // these settings with 1 to 64 warps; made when it is first asked for

 private:
  struct Merged {
    std::vector<int> warps;
    CycleWindow window;
    int columns = 0;
    std::vector<std::uint8_t> values;
  };
  mutable std::map<std::string, Merged> merged_;  // drawn by one thread alone
  mutable std::once_flag curve_made_;
  mutable ThroughputCurve curve_;
};
// The file that the program's lines are of ("gemm/03_shared.cuh").
std::string source_of(const Played& played);
// Kept between frames; saved runs without the model's own settings get their defaults.
std::shared_ptr<const Played> played_of(const Run& run);

Color state_color(WarpState state);  // done: no colour of its own
Message state_label(WarpState state);
// The state that most of the warps first_warp .. end_warp - 1 are in over these cycles; done only where
// all are.
WarpState most_common(const SmRun& sm, int first_warp, int end_warp, int first_cycle, int end_cycle);

// "cycle 1257: scheduler 0 issues FFMA of warp 20 ..., which issued last and can go on".
Message why_selected(const Played& played, int sub_core, int cycle);

// Of every warp: its states as modelled and, where they were measured, its iterations. A cycle stands as 1
// ns.
Timeline scheduler_timeline(const Run& run);

void draw_scheduler(Canvas& canvas, const StageInput& in, StageEvents& events);

}  // namespace lockstep
