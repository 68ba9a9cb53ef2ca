// A lab: one topic with parameters, a picture and a question. One file each, one line in labs.cpp.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/draw/theme.hpp"
#include "app/draw/timeline.hpp"
#include "app/model/fold.hpp"
#include "app/model/run.hpp"
#include "app/model/timeline.hpp"

namespace lockstep {

// What the stage is drawn from. Everything on screen is a function of this.
struct StageInput {
  const Run& run;
  const StepAxis& axis;
  int step = 0;  // 0 .. steps.size() - 1
  Rect area;
  const Theme& theme;
  float motion = 1;  // 0 .. 1: how far the step's travelling bytes have come; 1 = arrived
  std::optional<std::pair<std::uint16_t, std::uint64_t>> pinned;  // view, element
  std::int64_t warp = 0;  // the followed one, picked out of a coarse step
  TimelineView
      timeline{};  // what of the stage's timeline is looked at: part of the window's state and of scenes
  std::span<const TimelineKey> timeline_keys{};  // typed since the last frame
  bool timeline_typing = false;                  // its search is being typed
};

// What the reader asked for by clicking on the stage.
struct StageEvents {
  std::optional<std::int64_t> follow_block, follow_warp;
  std::optional<int> go_to_step;
  std::optional<std::pair<std::uint16_t, std::uint64_t>> pin;  // view, element
  bool unpin = false;
  std::optional<TimelineView> timeline;  // the stage has a timeline, and the reader left it so
  bool search_timeline = false;          // wants to type what is searched for
};

// A number of the right column: its label, its text with unit, and the JSON path whose provenance it wears.
struct NumberRow {
  Message label;
  std::string value;
  std::string path;
};

// A card of the right column that only this lab has: curves over its parameters.
struct LabPanel {
  Message title;
  std::string provenance;  // the words of its badge
  float height = 0;        // of what is drawn, at type size 1
  std::function<void(Canvas& canvas, const Theme& theme, Rect r)> draw;
};

// Draws the stage's timeline with the view, keys and search of `in`, and tells `events` what became of them.
// Several on one stage need ids of their own and one `extent`: they share the view, and the first one answers
// the keys. What a click chose is the lab's to answer (`chosen`: go to its step). The Timeline is made once
// per run, not per frame.
TimelineHit stage_timeline(Canvas& canvas, const StageInput& in, StageEvents& events, Rect r,
                           TimelinePicture picture);

class Lab {
 public:
  virtual ~Lab() = default;
  virtual const LabInfo& info() const = 0;
  virtual StepAxis steps(const Run& run) const { return build_steps(run.launches); }
  // Where a picture of this run opens: a step that shows the lab's point.
  virtual int opening_step(const Run&, const StepAxis& axis) const { return int(axis.steps.size()) * 6 / 10; }
  virtual void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const = 0;
  virtual Message step_title(const Run& run, const StepAxis& axis,
                             int step) const = 0;  // short: "warp 3 loads in"
  virtual Message sentence(const Run& run, const StepAxis& axis, int step) const = 0;  // one plain sentence
  virtual Color phase_color(const Run& run, const Phase& phase) const = 0;
  virtual Message phase_name(const Run& run, const Phase& phase) const = 0;
  // Which steps those are, and whether their order is time.
  virtual Message phase_place(const StepAxis& axis, const Phase& phase) const;
  virtual std::vector<NumberRow> numbers(const Run& run) const = 0;
  // The file of the kernel whose lines the steps name ("gemm/03_shared.cuh"); "" is the rung's own.
  virtual std::string shown_source(const Run&) const { return ""; }
  // `stage` is where the stage was drawn: what stands there need not stand beside it once more.
  virtual std::vector<LabPanel> panels(const Run&, Rect /*stage*/, const Theme&) const { return {}; }
  virtual std::vector<Message> things_to_try() const = 0;
  // The run over time, for `run --save FILE.json` and other programs' timelines; nothing for a lab whose runs
  // have no clock.
  virtual std::optional<Timeline> timeline(const Run&) const { return {}; }
};

// The one ordered table.
const std::vector<const Lab*>& labs();
const Lab* find_lab(std::string_view slug);

}  // namespace lockstep
