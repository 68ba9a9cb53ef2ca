// How does a matrix turn over without wasting a byte?
// Step from rung to rung: the naive one writes 32 sectors for 32 floats; the tile in shared memory mends that
// and runs into its banks; padding or swizzling mends those; 16-byte accesses do the rest. Try n = 100 (edge
// tiles), follow another block by clicking into a matrix, and compare the bytes on each level of the tower.
#include <algorithm>
#include <bit>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/access_headline.hpp"
#include "app/labs/block_order.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

namespace {

constexpr int kNextBlocks = 2;

std::vector<Region> next_of(const Run& run, std::uint16_t view) {
  const ViewInfo* const info = run.launches.empty() ? nullptr : run.launches[0].view(view);
  return info ? parts_of_next_blocks(run, *info, kNextBlocks) : std::vector<Region>{};
}

}  // namespace

TransposeScene::TransposeScene(std::shared_ptr<const Run> run)
    : LabScene(std::move(run)),
      steps(this->run().launches),
      progress(steps),
      next_in(next_of(this->run(), 0)),
      next_out(next_of(this->run(), 1)) {}

namespace {

std::string view_name(const Run& run, const Step& step) {
  const ViewInfo* view = run.launches.at(std::size_t(step.launch)).view(step.instruction.view);
  return view ? view->name : "?";
}

}  // namespace

// --- steps: one warp instruction, or a barrier of the block

// In what sets the rung apart: its last reads from shared memory, or its writes where it has none. Far enough
// in to see what is done and what is to come.
int TransposeScene::opening_step(std::int64_t) const {
  const Phase* chosen = nullptr;
  for (const Phase& phase : steps.phases()) {
    const Step& first = steps.steps[std::size_t(phase.first)];
    if (first.barrier) continue;
    const bool shared = first.instruction.view >= kFirstSharedView, load = reads(first.instruction.kind);
    const bool point = shared && load;
    const bool chosen_is_point =
        chosen && steps.steps[std::size_t(chosen->first)].instruction.view >= kFirstSharedView;
    if (point || (!load && !shared && !chosen_is_point)) chosen = &phase;
  }
  return chosen ? chosen->first + chosen->count * 3 / 8 : 0;
}

Color TransposeScene::phase_color(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  if (first.barrier) return color::barrier;
  return first.instruction.view >= kFirstSharedView ? color::shared : color::hbm;
}

Message TransposeScene::phase_name(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  const std::string line = number_text(first.instruction.line);
  if (first.barrier) return msg("barrier, line {0}", {line});
  const std::string name = view_name(run(), first);
  return reads(first.instruction.kind) ? msg("read {0}, line {1}", {name, line})
                                       : msg("write {0}, line {1}", {name, line});
}

Message TransposeScene::step_title(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("no step");
  if (step->barrier) return msg("all warps wait at the barrier");
  const std::string warp = number_text(step->instruction.warp), name = view_name(run(), *step);
  return reads(step->instruction.kind) ? msg("warp {0} reads {1}", {warp, name})
                                       : msg("warp {0} writes {1}", {warp, name});
}

// --- sentence

namespace {

// Whole sentences per direction, so that every language can order its words.
Message shared_sentence(const Step& step, const std::vector<std::string>& args) {
  const WarpInstruction& i = step.instruction;
  const bool load = reads(i.kind);
  if (step.wavefronts > fewest_wavefronts(i.lanes, i.width, !load))
    return load ? msg("Line {0}: {2} lanes of warp {1} read {3}, {4} bytes each; up to {5} different words "
                      "stand in one bank, so it takes {5} wavefronts.",
                      args)
                : msg("Line {0}: {2} lanes of warp {1} write {3}, {4} bytes each; up to {5} different words "
                      "stand in one bank, so it takes {5} wavefronts.",
                      args);
  return load
             ? msg("Line {0}: {2} lanes of warp {1} read {3}, {4} bytes each; wavefronts: {5}, no conflict.",
                   args)
             : msg("Line {0}: {2} lanes of warp {1} write {3}, {4} bytes each; wavefronts: {5}, no conflict.",
                   args);
}

// `alternates`: in the kernel's loop the line reads and writes in turn, while the steps go through all its
// reads first. What a store touches and what it moves are two things: the L2 puts its neighbours' words
// together before they go to HBM.
Message global_sentence(const Step& step, bool alternates, const std::vector<std::string>& args) {
  if (reads(step.instruction.kind))
    return alternates ? msg("Line {0}: {2} lanes of warp {1} read {3}, {4} bytes each; sectors touched: {5}, "
                            "so {7} bytes move for the {6} that are needed. In the loop each read is "
                            "followed by its write; the steps show all reads first.",
                            args)
                      : msg("Line {0}: {2} lanes of warp {1} read {3}, {4} bytes each; sectors touched: {5}, "
                            "so {7} bytes move for the {6} that are needed.",
                            args);
  return alternates
             ? msg("Line {0}: {2} lanes of warp {1} write {6} bytes of {3}, in {5} sectors. The L2 merges "
                   "what falls into one sector before it goes to HBM. In the loop each write follows its own "
                   "read; the steps show all reads first.",
                   args)
             : msg("Line {0}: {2} lanes of warp {1} write {6} bytes of {3}, in {5} sectors. The L2 merges "
                   "what falls into one sector before it goes to HBM.",
                   args);
}

// Whether this step's line of the kernel both reads and writes global memory.
bool line_alternates(const MemoryAxis& steps, const Step& step) {
  const auto same_line = [&](const Step& other, bool load) {
    const WarpInstruction &a = step.instruction, &b = other.instruction;
    return !other.barrier && a.file == b.file && a.line == b.line && b.view < kFirstSharedView &&
           reads(b.kind) == load;
  };
  const bool load = reads(step.instruction.kind);
  return std::any_of(steps.steps.begin(), steps.steps.end(),
                     [&](const Step& other) { return same_line(other, !load); });
}

}  // namespace

Message TransposeScene::sentence(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("This run has no steps.");
  const WarpInstruction& i = step->instruction;
  if (step->barrier)
    return msg(
        "Line {0}: no warp goes on before all warps of the block have arrived; what they wrote into shared "
        "memory can now be read.",
        {number_text(i.line)});
  const bool shared = i.view >= kFirstSharedView;
  const std::vector<std::string> args{number_text(i.line),
                                      number_text(i.warp),
                                      number_text(std::popcount(i.lanes)),
                                      view_name(run(), *step),
                                      number_text(i.width),
                                      number_text(shared ? step->wavefronts : step->sectors),
                                      number_text(std::int64_t(std::popcount(i.lanes)) * i.width),
                                      number_text(step->sectors * 32)};
  return shared ? shared_sentence(*step, args) : global_sentence(*step, line_alternates(steps, *step), args);
}

// --- headline, numbers

std::vector<HeadFigure> TransposeScene::headline(const LabView& view) const {
  const Step* step = steps.at(view.step);
  return step ? access_figures(run(), *step) : std::vector<HeadFigure>{};
}

std::vector<NumberRow> TransposeScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto count = [&](Message label, std::int64_t value, const char* path) {
    rows.push_back({std::move(label), grouped(value), path});
  };
  if (run().counts) {
    count(msg("sectors, load"), run().counts->global_load_sectors, "counts.global_load_sectors");
    count(msg("sectors, store"), run().counts->global_store_sectors, "counts.global_store_sectors");
    count(msg("shared wavefronts, load"), run().counts->shared_load_wavefronts,
          "counts.shared_load_wavefronts");
    count(msg("shared wavefronts, store"), run().counts->shared_store_wavefronts,
          "counts.shared_store_wavefronts");
    count(msg("bank conflicts"), run().counts->shared_load_conflicts + run().counts->shared_store_conflicts,
          "counts.shared_load_conflicts");
  }
  if (const auto hbm = whole_metric(run(), "models.hbm_load_bytes"))
    rows.push_back({msg("bytes from HBM"), bytes_text(double(*hbm)), "metrics.models.hbm_load_bytes"});
  add_time_rows(run(), Work::bytes, true, rows);
  return rows;
}

// --- entry

namespace {

class TransposeLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("transpose")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<TransposeScene>(std::move(run));
  }
};

}  // namespace

const Lab& transpose_lab() {
  static const TransposeLab lab;
  return lab;
}

}  // namespace lockstep
