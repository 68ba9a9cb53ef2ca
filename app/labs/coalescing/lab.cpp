// What does one warp's access cost?
// Memory is fetched in sectors of 32 bytes. The stage shows which ones the 32 lanes of a warp ask for and
// which of their bytes a lane uses. Try every stride from 1 to 8 and watch the sectors grow; try offset 1;
// then see what a struct of arrays saves over an array of structs, and what alignas(16) makes of four
// accesses.
#include <bit>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

CoalescingScene::CoalescingScene(std::shared_ptr<const Run> given)
    : LabScene(std::move(given)),
      steps(run().launches),
      progress(steps),
      curves(cost_curves(run())),
      rungs(rung_costs(run())) {}

// --- steps: one warp's access each

// The followed warp's first load of data; indices come before it.
int CoalescingScene::opening_step(std::int64_t warp) const {
  for (int s = 0; s < steps.count(); ++s) {
    const WarpInstruction& i = steps.steps[std::size_t(s)].instruction;
    if (i.warp == warp && is_load(i.kind) && i.view == 0) return s;
  }
  return 0;
}

Color CoalescingScene::phase_color(const Phase& phase) const {
  const bool load = reads(steps.steps[std::size_t(phase.first)].instruction.kind);
  return load ? color::hbm : color::l2;
}

Message CoalescingScene::phase_name(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  const std::vector<std::string> args{view_name(run(), first), number_text(first.instruction.line)};
  return reads(first.instruction.kind) ? msg("read {0}, line {1}", args) : msg("write {0}, line {1}", args);
}

Message CoalescingScene::step_title(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("no step");
  const std::vector<std::string> args{number_text(step->instruction.warp), view_name(run(), *step)};
  return reads(step->instruction.kind) ? msg("warp {0} reads {1}", args) : msg("warp {0} writes {1}", args);
}

// --- headline

std::vector<HeadFigure> CoalescingScene::headline(const LabView& view) const {
  const Step* at = steps.at(view.step);
  if (!at) return {};
  const Step& step = *at;
  const SectorUse use = sector_use(access_of(step.instruction));
  const std::string counts(provenance_of(run(), "counts"));
  const std::string warp = number_text(step.instruction.warp);
  std::vector<HeadFigure> all;
  all.push_back({number_text(use.sectors), tr("sectors"),
                 reads(step.instruction.kind) ? tr("warp {0} reads", {warp}) : tr("warp {0} writes", {warp}),
                 counts, use.sectors > use.fewest});
  all.push_back(
      {number_text(use.fewest), tr("would do"), tr("for {0} bytes", {grouped(use.used_bytes)}), "", false});
  for (const RungCost& rung : rungs)
    if (rung.here && rung.gb_per_s) {
      all.push_back({grouped(std::llround(*rung.gb_per_s)), "GB/s", tr("asked for"),
                     std::string(provenance_of(run(), "metrics.curve")), false});
      return all;
    }
  all.push_back({percent_text(use.used()), tr("is used"),
                 tr("of {0} bytes fetched", {grouped(use.fetched_bytes())}), counts, false});
  return all;
}

// --- sentence

namespace {

Message load_sentence(const Step& step, const std::vector<std::string>& args) {
  if (step.l2_sectors == 0)
    return msg(
        "Line {0}: {2} lanes of warp {1} want {4} bytes of {3}, which lie in {5} sectors. The L1 has them "
        "all "
        "from an earlier access: it fetches nothing.",
        args);
  if (int(step.l2_sectors) < step.sectors)
    return msg(
        "Line {0}: {2} lanes of warp {1} want {4} bytes of {3}, which lie in {5} sectors. The L1 has some of "
        "them from an earlier access and fetches {7}.",
        args);
  return msg(
      "Line {0}: {2} lanes of warp {1} want {4} bytes of {3}. They lie in {5} sectors, so {6} bytes are "
      "fetched.",
      args);
}

}  // namespace

Message CoalescingScene::sentence(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("This run has no steps.");
  const WarpInstruction& i = step->instruction;
  const SectorUse use = sector_use(access_of(i));
  const std::vector<std::string> args{
      number_text(i.line),          number_text(i.warp),          number_text(std::popcount(i.lanes)),
      view_name(run(), *step),      grouped(use.used_bytes),      number_text(use.sectors),
      grouped(use.fetched_bytes()), number_text(step->l2_sectors)};
  if (reads(i.kind)) return load_sentence(*step, args);
  return msg(
      "Line {0}: {2} lanes of warp {1} write {4} bytes of {3}, in {5} sectors. Only the written bytes "
      "travel, but "
      "each sector is a unit of work for the L2.",
      args);
}

// --- numbers

std::vector<NumberRow> CoalescingScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto count = [&](Message label, std::int64_t value, const char* path) {
    rows.push_back({std::move(label), grouped(value), path});
  };
  if (const auto& counts = run().counts) {
    count(msg("requests, load"), counts->global_load_requests, "counts.global_load_requests");
    count(msg("sectors, load"), counts->global_load_sectors, "counts.global_load_sectors");
    if (counts->global_load_requests > 0)
      rows.push_back({msg("sectors per load, on average"),
                      figure_text(double(counts->global_load_sectors) / double(counts->global_load_requests)),
                      "counts.global_load_sectors"});
    count(msg("requests, store"), counts->global_store_requests, "counts.global_store_requests");
    count(msg("sectors, store"), counts->global_store_sectors, "counts.global_store_sectors");
  }
  add_time_rows(run(), Work::bytes, true, rows);
  return rows;
}

// --- entry

namespace {

class CoalescingLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("coalescing")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<CoalescingScene>(std::move(run));
  }
};

}  // namespace

const Lab& coalescing_lab() {
  static const CoalescingLab lab;
  return lab;
}

}  // namespace lockstep
