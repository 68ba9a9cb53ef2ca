// A model's answer to which blocks an SM holds: OccupancyPlan.
#include "app/model/occupancy.hpp"
#include "app/devices/gpus.hpp"
#include "app/engine/cuda_engine.hpp"
#include "app/model/recorded_beside.hpp"
#include "experiments.hpp"

namespace lockstep {
namespace {

// What the driver said of this launch stands aside.
void keep_drivers_answer(Run& run) {
  if (run.engine != EngineKind::cuda || !run.occupancy) return;
  const Occupancy& o = *run.occupancy;
  run.evidence.put(DriverEvidence{o.registers, o.shared_bytes, o.blocks_per_sm, o.warps_per_sm});
  run.provenance["metrics.driver"] = Provenance::measured();
}

// A launch of another rung at its default settings: on this GPU, else as it was recorded.
std::optional<Run> launch_of(const RungName& name, EngineKind engine, Engine* recording) {
  const Ladder* ladder = find_ladder(name.lab);
  if (!ladder || ladder->info.rung_index(name.rung) < 0) return {};
  if (engine == EngineKind::cuda) {
    Request request;
    request.lab = name.lab, request.rung = name.rung;
    if (auto params = complete_params(ladder->info, name.rung, {})) request.params = *params;
    auto run = launch_clean(request);
    if (run && run->occupancy) return *run;
  }
  if (recording)
    for (Run& run : recording->recorded_everywhere(name.lab, name.rung))
      if (run.occupancy && !run.stale) return std::move(run);
  return {};
}

LoadedKernel loaded_kernel(const OccupancyPlan& plan, Engine* recording, Run& run) {
  const auto name = plan.chosen_rung(run.request.params);
  if (!name) return {};
  const auto launch = launch_of(*name, run.engine, recording);
  if (!launch) {
    run.warnings.push_back({N_("there is no recording of {0} here: the sliders' values are used instead"),
                            {name->lab + "/" + name->rung}});
    return {};
  }
  run.provenance["metrics.loaded"] = launch->engine == EngineKind::cuda && run.engine == EngineKind::cuda
                                         ? Provenance::measured()
                                         : recorded_as(*launch);
  const Occupancy& o = *launch->occupancy;
  return {o.threads_per_block, o.registers, o.shared_bytes};
}

void warn_of_no_block(Run& run) {
  if (run.occupancy->blocks_per_sm > 0) return;
  const Occupancy& o = *run.occupancy;
  const Gpu* gpu = occupancy_gpu(run);
  if (!gpu) return;
  const BlockNeeds needs{o.threads_per_block, o.registers, o.shared_bytes};
  const auto n = [](std::int64_t x) { return std::to_string(x); };
  if (needs.shared_bytes > gpu->shared_bytes_per_block)
    run.warnings.push_back(
        {N_("no block fits: {0} bytes of shared memory, and a block of {1} has at most {2}"),
         {n(needs.shared_bytes), gpu->word, n(gpu->shared_bytes_per_block)}});
  else
    run.warnings.push_back({N_("no block fits, and a launch would fail: {0} warps of {1} registers each, and "
                               "an SM of {2} has {3}"),
                            {n(warps_of(needs)), n(allocated_registers(*gpu, needs.registers)), gpu->word,
                             n(gpu->registers_per_sm)}});
}

class OccupancyExperiment final : public Experiment {
 public:
  void complete(const ExperimentPlan& any, const Ladder&, Engine* recording, Run& run) const override {
    const auto& plan = static_cast<const OccupancyPlan&>(any);
    keep_drivers_answer(run);
    OccupancyEvidence evidence;
    evidence.loaded = loaded_kernel(plan, recording, run);
    const OccupancyAnswer answer = plan.answer(run.request.params, evidence.loaded);
    run.occupancy = answer.occupancy;
    warn_of_no_block(run);
    evidence.threads = answer.threads, evidence.registers = answer.registers;
    evidence.shared_bytes = answer.shared_bytes;
    for (const char* path : {"occupancy", "metrics.next"})  // tests/engine_calculator.cpp
      run.provenance[path] = Provenance::modelled(Provenance::Basis::exact);
    run.evidence.put(evidence);
  }
};

}  // namespace

std::unique_ptr<Experiment> make_occupancy_experiment() { return std::make_unique<OccupancyExperiment>(); }

}  // namespace lockstep
