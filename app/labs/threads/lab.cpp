// Which thread computes which element?
// Each of the problem's elements has one thread, found by the arithmetic under the picture with that thread's
// numbers. Click an element or a lane. Then waste lanes: make a block 33 threads long, or 17 wide, and count
// those that the hardware holds for nothing; or make the problem one element larger than its blocks.
#include <bit>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

std::string view_name(const Run& run, const WarpInstruction& i) {
  const ViewInfo* view = run.launches.at(0).view(i.view);
  return view ? view->name : "?";
}

}  // namespace

// --- steps: one warp's access each

// The followed warp's first store: by then it is decided what is its own.
int ThreadsScene::opening_step(std::int64_t warp) const {
  for (int s = 0; s < steps.count(); ++s) {
    const WarpInstruction& i = steps.steps[std::size_t(s)].instruction;
    if (i.warp == warp && i.kind == Kind::store) return s;
  }
  return 0;
}

Color ThreadsScene::phase_color(const Phase& phase) const {
  return reads(steps.steps[std::size_t(phase.first)].instruction.kind) ? color::hbm : color::l2;
}

Message ThreadsScene::phase_name(const Phase& phase) const {
  const WarpInstruction& i = steps.steps[std::size_t(phase.first)].instruction;
  const std::vector<std::string> args{view_name(run(), i), number_text(i.line)};
  return reads(i.kind) ? msg("read {0}, line {1}", args) : msg("write {0}, line {1}", args);
}

Message ThreadsScene::step_title(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("no step");
  const std::vector<std::string> args{number_text(step->instruction.warp),
                                      view_name(run(), step->instruction)};
  return reads(step->instruction.kind) ? msg("warp {0} reads {1}", args) : msg("warp {0} writes {1}", args);
}

// --- headline

std::vector<HeadFigure> ThreadsScene::headline(const LabView& view) const {
  if (dimensions == 0) return {};
  const Pick picked = pick(view);
  const LaneUse use = map.of_grid();
  const std::int64_t lanes = use.working + use.masked + use.absent;
  const std::string thread =
      tr("block {0}, thread {1}", {place_text(picked.thread.block), place_text(picked.thread.thread)});
  const std::string lane = tr("lane {0}", {number_text(map.lane_of(picked.thread))});
  const std::string all = tr("{0} masked, {1} without a thread", {grouped(use.masked), grouped(use.absent)});
  return {{picked.element ? element_name(*picked.element) : tr("masked"), "", thread, "", false},
          {lane, "",
           tr("warp {0}, thread {1}",
              {number_text(map.warp_of(picked.thread)), number_text(map.linear_thread(picked.thread))}),
           "", false},
          {percent_text(double(use.working) / double(lanes)), tr("of lanes work"), all, "", false}};
}

// --- sentence

Message ThreadsScene::sentence(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("This run has no steps: the followed block has no element.");
  const WarpInstruction& i = step->instruction;
  const std::int64_t threads = std::min(kLanes, map.block.count() - std::int64_t(i.warp) * kLanes);
  const std::int64_t working = std::popcount(i.lanes), masked = threads - working, absent = kLanes - threads;
  const std::vector<std::string> args{
      number_text(i.line),  number_text(i.warp), place_text(map.grid.at(followed_block())),
      number_text(working), number_text(masked), number_text(absent),
      view_name(run(), i)};
  const bool load = reads(i.kind);
  if (masked == 0 && absent == 0)
    return load ? msg("Line {0}, warp {1} of block {2}: all 32 lanes read an element of {6}.", args)
                : msg("Line {0}, warp {1} of block {2}: all 32 lanes write an element of {6}.", args);
  return load ? msg("Line {0}, warp {1} of block {2}: {3} of 32 lanes read an element of {6}; {4} are "
                    "masked, {5} have no "
                    "thread.",
                    args)
              : msg("Line {0}, warp {1} of block {2}: {3} of 32 lanes write an element of {6}; {4} are "
                    "masked, {5} have "
                    "no thread.",
                    args);
}

// --- numbers

std::vector<NumberRow> ThreadsScene::numbers() const {
  std::vector<NumberRow> rows;
  if (dimensions == 0) return rows;
  const auto count = [&](Message label, std::int64_t value, const char* path = "") {
    rows.push_back({std::move(label), grouped(value), path});
  };
  const LaneUse use = map.of_grid();
  count(msg("blocks"), map.grid.count());
  count(msg("threads per block"), map.block.count());
  count(msg("warps per block"), map.warps_per_block());
  count(msg("elements in all"), map.problem.count());
  count(msg("threads with an element"), use.working);
  count(msg("threads masked"), use.masked);
  count(msg("lanes without a thread"), use.absent);
  if (run().counts) {
    count(msg("requests, load"), run().counts->global_load_requests, "counts.global_load_requests");
    count(msg("sectors, load"), run().counts->global_load_sectors, "counts.global_load_sectors");
  }
  add_time_rows(run(), Work::bytes, true, rows);
  return rows;
}

// --- entry

namespace {

class ThreadsLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("threads")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<ThreadsScene>(std::move(run));
  }
  // The last warp of a block that does not fill it: its lanes without a thread are what is wasted.
  Followed opens_at(std::string_view, const Params& params) const override {
    std::int64_t threads = 1;
    for (const char* extent : {"block_x", "block_y", "block_z"})
      if (params.contains(extent)) threads *= int_param(params, extent);
    return {0, threads % kLanes ? threads / kLanes : 0};
  }
};

}  // namespace

const Lab& threads_lab() {
  static const ThreadsLab lab;
  return lab;
}

}  // namespace lockstep
