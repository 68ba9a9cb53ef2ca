// What is on the chip, and where does my block run?
// The chip from above, its SMs filled with the blocks that run there at this moment of the launch. Step
// through the time and see the waves, and the tail in which a few blocks keep the whole chip waiting. Click
// an SM to go in, down to the sub-core that executes a warp's instruction; every figure names its source.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/placement_evidence.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

namespace {

std::string us_at(std::int64_t ns) { return us_text(double(ns) / 1e3); }

// "17, 149": the first few of them.
std::string list_of(const std::vector<int>& numbers) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), kMost); ++i)
    text += (i ? ", " : "") + number_text(numbers[i]);
  return text + (numbers.size() > kMost ? " …" : "");
}

}  // namespace

// --- steps: moments of the launch

Message ArchitectureScene::step_title(const LabView& view) const {
  if (!shown()) return msg("no step");
  return msg("{0} after the first block began", {us_at(ns_at(view.step))});
}

bool ArchitectureScene::is_tail(const Phase& phase) const {
  return phase.first > 0 && phase.first + phase.count == steps.count();
}

Color ArchitectureScene::phase_color(const Phase& phase) const {
  return is_tail(phase) ? color::trouble : color::registers;
}

Message ArchitectureScene::phase_name(const Phase& phase) const {
  return is_tail(phase) ? msg("no block waits any more") : msg("blocks wait for a place");
}

Message ArchitectureScene::phase_place(const Phase& phase) const {
  return msg("moments {0} to {1}: here the order is time",
             {grouped(phase.first + 1), grouped(phase.first + phase.count)});
}

// --- sentence

Message ArchitectureScene::sentence(const LabView& view) const {
  if (!shown())
    return msg(
        "This launch was not recorded on this device, and the model does not know which SMs are neighbours.");
  const std::int64_t ns = ns_at(view.step);
  const Moment m = moment_at(ns);
  if (at.part != Part::chip && at.sm >= 0) {
    const auto here = blocks_on(at.sm, ns);
    if (here.empty())
      return msg("At {0} SM {1} stands idle, while {2} blocks run elsewhere.",
                 {us_at(ns), number_text(at.sm), grouped(m.running)});
    return msg("At {0} SM {1} runs {2} of {3} blocks: {4}.",
               {us_at(ns), number_text(at.sm), grouped(std::int64_t(here.size())), grouped(m.running),
                list_of(here)});
  }
  if (m.waiting > 0)
    return msg("At {0} {1} blocks run on {2} SMs. {3} wait until one of them ends, {4} are done.",
               {us_at(ns), grouped(m.running), grouped(m.busy_sms), grouped(m.waiting), grouped(m.done)});
  return msg(
      "At {0} no block waits any more: {1} still run on {2} SMs, and {3} SMs stand idle.",
      {us_at(ns), grouped(m.running), grouped(m.busy_sms), grouped(at.gpu.multiprocessors - m.busy_sms)});
}

// --- headline: what runs now, the waves, the tail

std::vector<HeadFigure> ArchitectureScene::headline(const LabView& view) const {
  if (!shown()) return {};
  const PlacementFigures& f = shown()->figures;
  const std::int64_t ns = ns_at(view.step);
  const Moment m = moment_at(ns);
  const std::int64_t blocks = std::int64_t(shown()->placement.blocks.size());
  return {{tr("{0} of {1}", {grouped(m.running), grouped(blocks)}), tr("blocks run"),
           tr("on {0} of {1} SMs at {2}", {grouped(m.busy_sms), grouped(at.gpu.multiprocessors), us_at(ns)}),
           shown()->provenance, false},
          {grouped(f.waves), f.waves == 1 ? tr("wave") : tr("waves"),
           tr("{0} at once, {1} per SM", {grouped(f.most_at_once), grouped(f.most_on_one_sm)}), "", false},
          {percent_text(f.span_ns > 0 ? double(f.tail_ns) / double(f.span_ns) : 0), tr("tail"),
           tr("{0} of {1}, SMs idle", {us_at(f.tail_ns), us_at(f.span_ns)}), "", f.tail_ns * 4 > f.span_ns}};
}

// --- numbers

std::vector<NumberRow> ArchitectureScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto both = [&](const char* path, const ShownPlacement* of, bool modelled) {
    if (!of) return;
    const PlacementFigures& f = of->figures;
    const auto add = [&](Message label, std::string value) {
      rows.push_back({std::move(label), std::move(value), path});
    };
    add(modelled ? msg("time, by the model") : msg("time"), us_text(double(f.span_ns) / 1e3));
    add(modelled ? msg("first wave, by the model") : msg("first wave"), grouped(f.first_wave));
    add(modelled ? msg("at once, by the model") : msg("blocks at once"), grouped(f.most_at_once));
    add(modelled ? msg("tail, by the model") : msg("tail"), us_text(double(f.tail_ns) / 1e3));
    add(modelled ? msg("places in use, by the model") : msg("places in use"), percent_text(f.busy));
  };
  const bool here = run().engine == EngineKind::cuda;
  const std::string seen_path = here ? "metrics.measured.span_us" : "metrics.seen." + at.gpu.word;
  both(seen_path.c_str(), seen ? &*seen : nullptr, false);
  both("metrics.placed", model ? &*model : nullptr, true);
  if (run().occupancy)
    rows.push_back(
        {msg("blocks per SM"), grouped(run().occupancy->blocks_per_sm), "occupancy.blocks_per_sm"});
  if (!groups.groups.empty())
    rows.push_back({msg("groups of SMs seen"), grouped(std::int64_t(groups.groups.size())),
                    "metrics.seen." + at.gpu.word + ".groups"});
  return rows;
}

// --- entry

namespace {

class ArchitectureLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("architecture")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<ArchitectureScene>(std::move(run));
  }
};

}  // namespace

const Lab& architecture_lab() {
  static const ArchitectureLab lab;
  return lab;
}

}  // namespace lockstep
