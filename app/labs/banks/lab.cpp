// Which lanes collide, and what does it cost?
// Shared memory has 32 banks of 4 bytes. Step through one access wavefront by wavefront: lanes that want
// different words of one bank take turns. Try stride 1, 2, 32 and 33; read a column at pitch 32 and 33; take
// 16 bytes per lane; then type a layout of your own. The two costs differ: a chain of dependent loads, and
// the pipe at full load.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/access_headline.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

BanksScene::BanksScene(std::shared_ptr<const Run> run)
    : LabScene(std::move(run)), steps(this->run().launches, PlayedBy::wavefront) {}

// --- settings

SharedAccess shared_access_of(const Step& step, bool played) {
  const WarpInstruction& i = step.instruction;
  SharedAccess a;
  a.id = "stage";
  a.lanes = i.lanes, a.offset = i.offset, a.width = i.width, a.store = !reads(i.kind);
  a.wavefront = wavefront_of_lanes(i.lanes, i.offset, i.width, a.store);
  a.wavefronts = step.wavefronts, a.fewest = fewest_wavefronts(i.lanes, i.width, a.store);
  a.now = played ? std::max(0, step.wavefront) : a.wavefronts;
  return a;
}

std::optional<double> measured_cycles(const Run& run, const char* name) {
  return real_metric(run, std::string("measured.") + name);
}

std::string cycles_text(double cycles) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", cycles);
  return text;
}

// --- steps: one wavefront of an access, or a barrier

// A third into the repeated access: some wavefronts are played, some wait.
int BanksScene::opening_step(std::int64_t) const {
  for (int s = 0; s < steps.count(); ++s)
    if (const Step& step = steps.steps[std::size_t(s)]; is_shared_access(step) && step.interval > 0)
      return s + (step.wavefronts - 1) * 3 / 8;
  return 0;
}

Color BanksScene::phase_color(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  if (first.barrier) return color::barrier;
  return first.instruction.view >= kFirstSharedView ? color::shared : color::hbm;
}

Message BanksScene::phase_name(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  const std::string line = number_text(first.instruction.line);
  if (first.barrier) return msg("barrier, line {0}", {line});
  if (first.instruction.view < kFirstSharedView) return msg("write the result, line {0}", {line});
  if (first.interval == 0) return msg("fill the tile, line {0}", {line});
  return reads(first.instruction.kind) ? msg("the lanes read, line {0}", {line})
                                       : msg("the lanes write, line {0}", {line});
}

Message BanksScene::step_title(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("no step");
  if (step->barrier) return msg("all warps wait at the barrier");
  if (is_shared_access(*step))
    return msg("wavefront {0} of {1}", {number_text(step->wavefront + 1), number_text(step->wavefronts)});
  return msg("the result goes to global memory");
}

// --- sentence

// The harness stands in a file of its own.
std::string line_text(const Run& run, const WarpInstruction& i) {
  const LabInfo& info = find_ladder(run.request.lab)->info;
  const std::string& rung = info.rungs[std::size_t(info.rung_index(run.request.rung))].file;
  return i.file == source_id(run, rung) ? number_text(i.line) : "settings.cuh:" + number_text(i.line);
}

Message BanksScene::sentence(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("This run has no steps.");
  const WarpInstruction& i = step->instruction;
  if (step->barrier)
    return msg("Line {0}: no warp goes on before every element holds its own index.", {number_text(i.line)});
  if (!is_shared_access(*step))
    return msg("Line {0}: the lanes of warp {1} write what the check looks at.",
               {line_text(run(), i), number_text(i.warp)});
  if (step->interval == 0)
    return msg("Line {0}: warp {1} fills the tile: every element gets its own index, without a conflict.",
               {number_text(i.line), number_text(i.warp)});
  const SharedAccess a = shared_access_of(*step, true);
  const std::vector<std::string> args{line_text(run(), i),   number_text(std::popcount(i.lanes)),
                                      number_text(i.width),  number_text(a.wavefronts),
                                      number_text(a.fewest), number_text(a.now + 1)};
  if (a.wavefronts <= a.fewest)
    return a.store ? msg("Line {0}: {1} lanes write {2} bytes each; wavefronts: {3}, the fewest possible; "
                         "this is number "
                         "{5}.",
                         args)
                   : msg("Line {0}: {1} lanes read {2} bytes each; wavefronts: {3}, the fewest possible; "
                         "this is number "
                         "{5}.",
                         args);
  return a.store ? msg("Line {0}: {1} lanes write {2} bytes each; lanes that want different words of one "
                       "bank take "
                       "turns, so it takes {3} wavefronts instead of {4}. This is number {5}.",
                       args)
                 : msg("Line {0}: {1} lanes read {2} bytes each; lanes that want different words of one bank "
                       "take "
                       "turns, so it takes {3} wavefronts instead of {4}. This is number {5}.",
                       args);
}

// --- headline, numbers

std::vector<HeadFigure> BanksScene::headline(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return {};
  auto figures = access_figures(run(), *step);
  if (const auto cycles = measured_cycles(run(), "chain_cycles"); cycles && is_shared_access(*step))
    figures.push_back({cycles_text(*cycles), tr("cycles"), tr("per dependent access"),
                       std::string(provenance_of(run(), "metrics.measured.chain_cycles")), false});
  return figures;
}

std::vector<NumberRow> BanksScene::numbers() const {
  const Run& run = this->run();
  std::vector<NumberRow> rows;
  if (const auto w = whole_metric(run, "wavefronts_per_instruction"))
    rows.push_back({msg("wavefronts"), number_text(*w), "metrics.wavefronts_per_instruction"});
  if (const auto w = whole_metric(run, "fewest_wavefronts"))
    rows.push_back({msg("if contiguous"), number_text(*w), "metrics.fewest_wavefronts"});
  const auto cycles = [&](Message label, const char* name) {
    if (const auto value = measured_cycles(run, name))
      rows.push_back({std::move(label), cycles_text(*value), std::string("metrics.measured.") + name});
  };
  cycles(msg("cycles, dependent chain"), "chain_cycles");
  cycles(msg("cycles, full load"), "throughput_cycles");
  const auto ratio = [&](Message label, const char* a, const char* b) {
    if (const auto x = measured_cycles(run, a), y = measured_cycles(run, b); x && y && *y > 0)
      rows.push_back({std::move(label), cycles_text(*x / *y) + "×", std::string("metrics.measured.") + a});
  };
  ratio(msg("chain, slower by"), "chain_cycles", "conflict_free_chain_cycles");
  ratio(msg("full load, slower by"), "throughput_cycles", "conflict_free_throughput_cycles");
  return rows;
}

// --- entry

namespace {

class BanksLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("banks")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<BanksScene>(std::move(run));
  }
  Message why_no_bar(std::string_view /*rung*/, std::span<const Run> /*timed*/) const override {
    return msg("timed in cycles");
  }
};

}  // namespace

const Lab& banks_lab() {
  static const BanksLab lab;
  return lab;
}

}  // namespace lockstep
