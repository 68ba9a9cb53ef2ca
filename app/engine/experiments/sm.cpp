// What the model of one SM says of the settings: SmPlan.
#include <algorithm>

#include "app/model/measured_evidence.hpp"
#include "app/model/recorded_beside.hpp"
#include "app/model/sm_evidence.hpp"
#include "experiments.hpp"
#include "kernels/simt/emulate.hpp"

namespace lockstep {
namespace {

// Of another lab's kernel, whose block 0 the emulator traces for it; nothing where the settings name none.
PlayedFacts played_facts(const SmPlan& plan, const Params& params) {
  const auto name = plan.chosen_rung(params);
  const Ladder* of = name ? find_ladder(name->lab) : nullptr;
  const int rung = of ? of->info.rung_index(name->rung) : -1;
  if (rung < 0) return {};
  const auto defaults = complete_params(of->info, name->rung, {});
  if (!defaults) return {};
  simt::ProblemBuffers buffers(*of, *defaults, name->rung);
  simt::EmulationOptions options;
  options.machine.blocks = {0};
  const auto emulation =
      simt::emulate(*of, of->info.rungs[std::size_t(rung)].file, *defaults, buffers.spans(), options);
  const auto most = std::max_element(
      emulation.launches.begin(), emulation.launches.end(),
      [](const Launch& a, const Launch& b) { return a.trace.events.size() < b.trace.events.size(); });
  if (most == emulation.launches.end()) return {};
  return plan.known_of_played(params, {*of, *name, *defaults, int(emulation.launches.size()), *most});
}

// Where the run holds a GPU's cycles at these settings, the model's error is against those, which stand
// beside it.
void hold_against_measured(const SmPlan& plan, Run& run) {
  const auto* sm = run.evidence.find<SmEvidence>();
  const auto* measured = run.evidence.find<MeasuredEvidence>();
  const double cycles = measured ? measured->real(plan.measured_cycles).value_or(0) : 0;
  if (!sm || !sm->error || !sm->cycles || !(cycles > 0)) return;
  SmEvidence held = *sm;
  held.error = (double(*sm->cycles) - cycles) / cycles;
  run.evidence.put(held);
  using enum Provenance::Basis;
  const bool here =
      provenance_of(run, "metrics.measured." + plan.measured_cycles).is(Provenance::Kind::measured);
  run.provenance["metrics.model.error"] =
      Provenance::modelled(here ? against_measurement : against_recording);
}

class SmExperiment final : public Experiment {
 public:
  void complete(const ExperimentPlan& any, const Ladder&, Engine*, Run& run) const override {
    const auto& plan = static_cast<const SmPlan&>(any);
    PlayedFacts facts = played_facts(plan, run.request.params);
    if (facts.known.empty() && plan.known_of_run) {
      facts.known = plan.known_of_run(run);
      if (facts.known.empty()) return;
    }
    if (facts.known.empty()) facts.known = plan.known(run.request.params);
    forget(run, SmEvidence::kind);  // a recording's, of other settings of the model
    put_known(run, facts.known);
    hold_against_measured(plan, run);
    run.warnings.insert(run.warnings.end(), facts.warnings.begin(), facts.warnings.end());
  }
};

}  // namespace

std::unique_ptr<Experiment> make_sm_experiment() { return std::make_unique<SmExperiment>(); }

}  // namespace lockstep
