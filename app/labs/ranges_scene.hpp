// The NVTX ranges of a run as lanes, one per thread: what a profiler beside the program shows, drawn by the
// program itself. One step per range or mark, in the order of their starts.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/model/list_axis.hpp"
#include "app/model/ranges_record.hpp"
#include "app/model/timeline.hpp"
#include "lab.hpp"

namespace lockstep {

// Kinds of the timeline's spans.
enum class RangeKind : std::uint8_t { whole, part, inner, mark, loose };
constexpr int kRangeKinds = 5;
Color range_color(RangeKind kind);
std::string range_kind_name(RangeKind kind);

struct RangeEntry {
  RangeNote note;
  std::string thread, end_thread;
  RangeKind kind = RangeKind::part;
  std::int64_t own_ns = 0;
  std::uint32_t id = 0;  // of its span
};
struct RunRanges {
  std::vector<RangeEntry> entries;  // of this run, then of the recorded one beside it
  std::size_t recorded = 0;         // how many of them are the recorded one's
  Timeline timeline;
  std::string trouble;  // why there are none, where they are damaged
};
RunRanges run_ranges(const Run& run);  // without entries where the run holds none

// The stage and the steps are the ranges'; numbers, cards and the timeline of a file stay the lab's.
class RangesScene final : public LabScene {
 public:
  RangesScene(std::shared_ptr<const Run> run, std::unique_ptr<const LabScene> of_lab);

  const RunRanges ranges;
  const ListAxis steps;
  const RangeEntry* entry_at(int step) const;  // nullptr where there are none

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;  // the longest part of the run
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  // The range's length, its own part of it, and the whole run.
  std::vector<HeadFigure> headline(const LabView& view) const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  Message phase_place(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  std::vector<NumberRow> numbers() const override { return of_lab_->numbers(); }
  std::vector<LabPanel> panels(Rect stage, const Theme& theme) const override {
    return of_lab_->panels(stage, theme);
  }
  std::string shown_source() const override { return of_lab_->shown_source(); }
  std::optional<Timeline> timeline() const override { return of_lab_->timeline(); }

 private:
  const std::unique_ptr<const LabScene> of_lab_;
};

// The run's ranges where the reader has chosen them in a lab that can show them, else `of_lab`.
std::unique_ptr<LabScene> or_its_ranges(std::shared_ptr<const Run> run, std::unique_ptr<LabScene> of_lab);

// What `run --save FILE.json` writes: the lab's timeline, if it has one, and the run's ranges as the group
// "NVTX"; nothing where there is neither.
std::optional<Timeline> timeline_with_ranges(const LabScene& scene);

}  // namespace lockstep
