// A lab: one topic with parameters, a picture and a question. A folder each, one line in labs.cpp.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/draw/head_figures.hpp"
#include "app/draw/language.hpp"
#include "app/draw/text_edit.hpp"
#include "app/draw/theme.hpp"
#include "app/draw/timeline.hpp"
#include "app/model/axis.hpp"
#include "app/model/fold.hpp"
#include "app/model/run.hpp"
#include "app/model/timeline.hpp"

namespace lockstep {

// Where the reader is in a run, and what is picked out of it.
struct LabView {
  int step = 0;           // 0 .. axis().count() - 1
  std::int64_t warp = 0;  // the followed one, picked out of a step that is all warps'
  std::optional<std::pair<std::uint16_t, std::uint64_t>> pinned{};  // view, element
  TimelineView timeline{};  // of the stage's timeline: part of the window's state and of scene files
};

// What the stage is drawn from, beside the scene. Everything on screen is a function of the two.
struct StageInput {
  LabView view;
  Rect area;
  const Theme& theme;
  float motion = 1;  // 0 .. 1: how far the step's travelling bytes have come; 1 = arrived
  std::span<const TimelineKey> timeline_keys{};  // typed since the last frame
  TextEdit* timeline_search = nullptr;           // its search, while it is being typed
  bool caret_shown = true;
  // For a room of people: the picture that carries the lesson, large, and nothing beside it.
  bool presentation = false;
};

// What the reader asked for by clicking on the stage.
struct StageEvents {
  std::optional<std::int64_t> follow_block, follow_warp;
  std::optional<int> go_to_step;
  std::optional<std::pair<std::uint16_t, std::uint64_t>> pin;  // view, element
  bool unpin = false;
  std::optional<TimelineView> timeline;  // the stage has a timeline, and the reader left it so
  bool search_timeline = false;          // wants to type what is searched for
  Rect search_area;                      // of the field for it
  Params settings;                       // set together, in place of what they were
};

// A number of the right column: its label, its text with unit, and the JSON path whose provenance it wears;
// of a figure that is in no run, the words of its own.
struct NumberRow {
  Message label;
  std::string value;
  std::string path;
  std::string provenance{};
};

// A card of the right column that only this lab has: curves over its parameters.
struct LabPanel {
  Message title;
  std::string provenance;  // the words of its badge
  float height = 0;        // of what is drawn, at type size 1
  std::function<void(Canvas& canvas, const Theme& theme, Rect r)> draw;
  std::string id{};  // its name in commands, "loads": English, unique in its lab
};

// Draws the stage's timeline with the view, keys and search of `in`, and tells `events` what became of them.
// Several on one stage need ids of their own and one `extent`: they share the view, and the first one answers
// the keys. What a click chose is the lab's to answer (`chosen`: go to its step). The Timeline is made once
// per run, not per frame.
TimelineHit stage_timeline(Canvas& canvas, const StageInput& in, StageEvents& events, Rect r,
                           TimelinePicture picture);

// A run as its lab shows it: what was folded of it, once, when it was opened. Every picture and sentence is a
// function of (scene, view). Words that it keeps are of the language that it was opened in: the window opens
// it anew when the language changes.
class LabScene {
 public:
  explicit LabScene(std::shared_ptr<const Run> run) : run_(std::move(run)) {}
  virtual ~LabScene() = default;
  LabScene(const LabScene&) = delete;
  LabScene& operator=(const LabScene&) = delete;

  const Run& run() const { return *run_; }
  const std::shared_ptr<const Run>& shared_run() const { return run_; }
  virtual const Axis& axis() const = 0;
  // Where a picture of this run opens: a step that shows the lab's point to who follows `warp`.
  // Whether its steps are those of launches: a run that has none has no steps then.
  virtual bool steps_are_launched() const { return true; }
  virtual int opening_step(std::int64_t /*warp*/) const { return axis().count() * 6 / 10; }
  virtual Message step_title(const LabView& view) const = 0;  // short: "warp 3 loads in"
  virtual Message sentence(const LabView& view) const = 0;    // one plain sentence
  // At most three numbers, which stand large above the stage: what this step shows, what would do, what it
  // costs at the real size. All others are numbers().
  virtual std::vector<HeadFigure> headline(const LabView& /*view*/) const { return {}; }
  // A number of the step by its name in expressions ("sectors" of `step.sectors`); nothing where the step has
  // none of that name. Of steps that are memory accesses: access_headline.hpp.
  virtual std::optional<double> step_figure(std::string_view name, const LabView& view) const;
  // Those names, for who misses one: "cycle, eligible, resident_warps".
  virtual std::string step_figure_names() const;
  virtual Color phase_color(const Phase& phase) const = 0;
  virtual Message phase_name(const Phase& phase) const = 0;
  // Which steps those are, and whether their order is time.
  virtual Message phase_place(const Phase& phase) const;
  virtual void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const = 0;
  // What carries the stage's picture, small (about 284 x 104) and without words to read: the lab's card on
  // the home. Its step is the opening one, and nothing of it can be clicked.
  virtual void card(Canvas&, const StageInput&) const {}
  virtual std::vector<NumberRow> numbers() const = 0;
  // `stage` is where the stage was drawn: what stands there need not stand beside it once more.
  virtual std::vector<LabPanel> panels(Rect /*stage*/, const Theme&) const { return {}; }
  // The tab that they stand in.
  virtual Message panels_title() const { return msg("Curves"); }
  // The file of the kernel whose lines the steps name ("gemm/03_shared.cuh"); "" is the rung's own.
  virtual std::string shown_source() const { return ""; }
  // The run over time, for `run --save FILE.json` and other programs' timelines; nothing for a lab whose runs
  // have no clock.
  virtual std::optional<Timeline> timeline() const { return {}; }

 private:
  std::shared_ptr<const Run> run_;
};

// A block of the grid and a warp of it.
struct Followed {
  std::int64_t block = 0, warp = 0;
};

class Lab {
 public:
  virtual ~Lab() = default;
  virtual const LabInfo& info() const = 0;
  // Any run of this lab, also a stranger's: what it lacks is not drawn.
  virtual std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const = 0;
  // Whom a reader follows at first with these settings: who shows the lab's point. Recordings know this
  // block.
  virtual Followed opens_at(std::string_view /*rung*/, const Params&) const { return {}; }
  // Why the ladder's strip has no bar for a rung whose work is not that of the others, with what was timed of
  // it instead; empty for a rung that is as comparable as any. `timed`: the recorded runs of this lab.
  virtual Message why_no_bar(std::string_view /*rung*/, std::span<const Run> /*timed*/) const { return {}; }
  // The problem that the strip's times are of, where sizes and bytes do not say it.
  virtual Message ladder_problem(const Run& /*timed*/) const { return {}; }
};

// The one ordered table.
const std::vector<const Lab*>& labs();
const Lab* find_lab(std::string_view slug);
// The labs of the way from the beginning, in its order; and the lab that follows one: on that way the next
// one, behind its end and beside it the next one of the table. nullptr after the last.
const std::vector<const Lab*>& path_labs();
const Lab* lab_after(const Lab& lab);
// The run in the scene of its own lab; nullptr where this program does not have that lab.
std::unique_ptr<LabScene> open_run(Run run);

}  // namespace lockstep
