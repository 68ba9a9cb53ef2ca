// When the warps of a block were at which of the kernel's steps: StepTimesPlan.
#include "app/model/step_times.hpp"
#include "app/model/recorded_beside.hpp"
#include "experiments.hpp"
#ifdef LOCKSTEP_HAS_CUDA
#include "app/engine/cuda_measurements.hpp"
#include "app/platform/ranges.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/simt/emulate.hpp"
#endif

namespace lockstep {
namespace {

#ifdef LOCKSTEP_HAS_CUDA
// Of each warpgroup the first warp that noted anything: its four go through products together.
std::vector<WarpNotes> one_of_each_group(std::vector<WarpNotes> warps) {
  constexpr int kWarpsOfGroup = 4;
  std::vector<WarpNotes> kept;
  for (WarpNotes& warp : warps)
    if (kept.empty() || kept.back().warp / kWarpsOfGroup != warp.warp / kWarpsOfGroup)
      kept.push_back(std::move(warp));
  return kept;
}

std::string settings_text(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params)
    text += (text.empty() ? "" : ", ") + name + " = " + to_string(value);
  return text;
}

Result<StepTimesEvidence> note_down(const StepTimesPlan& plan, const RungRef& found) {
  const std::string& rung = found.rung->slug;
  const Range range("note down steps");
  const auto params = complete_params(found.ladder->info, rung, plan.settings(rung));
  if (!params) return params.error();
  simt::ProblemBuffers host(*found.ladder, *params, rung);
  cuda::DeviceBuffers device(host.spans(), host.specs());
  if (!device.error().empty()) return gpu_error(device.error());
  auto notes = cuda::note_steps(*found.rung, device.binding(*params));
  if (!notes) return notes.error();
  if (!device.download(host.spans())) return gpu_error(device.error());
  if (!found.ladder->check(*params, rung, host.contents()).pass)
    return gpu_error(rung + " gives a wrong result while its steps are noted down");
  StepTimesEvidence evidence;
  evidence.warps = one_of_each_group(std::move(notes->warps));
  evidence.settings = settings_text(*params), evidence.slowdown = notes->slowdown, evidence.block = 0;
  return evidence;
}
#endif

// Notes are taken at settings of their own, once a rung.
class StepTimesExperiment final : public Experiment {
 public:
  Status measure([[maybe_unused]] const ExperimentPlan& plan, [[maybe_unused]] const RungRef& found,
                 [[maybe_unused]] Run& run) override {
#ifdef LOCKSTEP_HAS_CUDA
    if (!cuda::has_notes(*found.rung)) return Unit{};
    auto known = noted_.find(found.rung->slug);
    if (known == noted_.end()) {
      auto noted = note_down(static_cast<const StepTimesPlan&>(plan), found);
      if (!noted) {  // the run itself is right without
        run.warnings.push_back(noted.error().message);
        return Unit{};
      }
      known = noted_.emplace(found.rung->slug, std::move(*noted)).first;
    }
    run.evidence.put(known->second);
    run.provenance["metrics.steps"] = Provenance::measured();
#endif
    return Unit{};
  }
  // Without a GPU: what was recorded of the rung at any settings, since notes are always of the same.
  void complete(const ExperimentPlan&, const Ladder&, Engine* recording, Run& run) const override {
    if (!recording || run.evidence.find<StepTimesEvidence>()) return;
    for (const Run& one : recording->recorded(run.request.lab, run.request.rung)) {
      const auto* noted = one.evidence.find<StepTimesEvidence>();
      if (!noted || one.stale) continue;
      run.evidence.put(*noted);
      run.provenance["metrics.steps"] = recorded_as(one);
      return;
    }
  }

 private:
  std::map<std::string, StepTimesEvidence> noted_;
};

}  // namespace

std::unique_ptr<Experiment> make_step_times_experiment() { return std::make_unique<StepTimesExperiment>(); }

}  // namespace lockstep
