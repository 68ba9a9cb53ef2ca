// The NVTX ranges of a run as lanes, one per thread: what a profiler beside the program shows, drawn by the
// program itself. One step per range or mark, in the order of their starts.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/model/ranges_record.hpp"
#include "app/model/timeline.hpp"
#include "lab.hpp"

namespace lockstep {

// Kinds of the timeline's spans.
enum class RangeKind : std::uint16_t { whole, part, inner, mark, loose };
constexpr int kRangeKinds = 5;

struct RangesScene {
  struct Entry {
    RangeNote note;
    std::string thread, end_thread;
    RangeKind kind = RangeKind::part;
    std::int64_t own_ns = 0;
    std::uint32_t id = 0;  // of its span
  };
  std::vector<Entry> entries;  // of this run, then of the recorded one beside it
  std::size_t recorded = 0;    // how many of them are the recorded one's
  Timeline timeline;
  std::string trouble;  // why there are none, where they are damaged
};
// Kept between frames. Without entries where the run holds none.
std::shared_ptr<const RangesScene> ranges_scene(const Run& run);

// Whether the reader has chosen them in a lab that can show them.
bool shows_ranges(const Run& run);

// A phase's mark is kRangeMark and the kind of its ranges.
constexpr std::uint16_t kRangeMark = 0x100;
inline bool of_ranges(const Phase& phase) { return phase.mark >= kRangeMark; }
StepAxis ranges_steps(const Run& run, std::uint16_t file);
int ranges_opening_step(const Run& run);  // the longest part of the run
Message ranges_step_title(const Run& run, int step);
Message ranges_sentence(const Run& run, int step);
Message ranges_phase_name(const Phase& phase);
Message ranges_phase_place(const Phase& phase);
Color range_color(RangeKind kind);
Color ranges_phase_color(const Phase& phase);
void draw_ranges(Canvas& canvas, const StageInput& in, StageEvents& events);

// What `run --save FILE.json` writes: the lab's timeline, if it has one, and the run's ranges as the group
// "NVTX"; nothing where there is neither.
std::optional<Timeline> timeline_with_ranges(const Lab& lab, const Run& run);

}  // namespace lockstep
