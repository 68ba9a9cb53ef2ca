// Which SM runs which block: the model's answer, and every device's recording: PlacementPlan.
#include "app/devices/gpus.hpp"
#include "app/model/device_evidence.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/placement_evidence.hpp"
#include "app/model/recorded_beside.hpp"
#include "experiments.hpp"
#ifdef LOCKSTEP_HAS_CUDA
#include "kernels/cuda/device_attributes.hpp"
#endif

namespace lockstep {
namespace {

// The one that the settings name, else the one that the run was measured on, else the H200.
const Gpu& gpu_of(const Run& run) {
  static const Gpu h200;
  const auto device = run.request.params.find("device");
  if (device != run.request.params.end())
    if (const Gpu* named = gpu_by_word(to_string(device->second))) return *named;
  if (run.engine == EngineKind::cuda || run.engine == EngineKind::recording)
    if (const Gpu* here = find_gpu(run.device.name)) return *here;
  return h200;
}

void add_model(const PlacementPlan& plan, const Run& run, PlacementEvidence& evidence) {
  const Gpu& gpu = gpu_of(run);
  evidence.device = gpu.word;
  const auto placement = plan.modelled(run.request.params, run.request.rung, gpu);
  if (!placement) return;
  const PlacementFigures f = figures_of(*placement);
  evidence.first_wave = f.first_wave, evidence.most_at_once = f.most_at_once;
  evidence.most_on_one_sm = f.most_on_one_sm, evidence.waves = f.waves, evidence.sms = f.sms;
  evidence.span_us = double(f.span_ns) / 1000, evidence.tail_us = double(f.tail_ns) / 1000;
  evidence.busy = f.busy;
}

class PlacementExperiment final : public Experiment {
 public:
  Status measure(const ExperimentPlan&, const RungRef&, [[maybe_unused]] Run& run) override {
#ifdef LOCKSTEP_HAS_CUDA
    run.evidence.put(DeviceEvidence{cuda::device_attributes()});
    run.provenance["metrics.api"] = Provenance::measured();
#endif
    return Unit{};
  }
  void complete(const ExperimentPlan& any, const Ladder&, Engine* recording, Run& run) const override {
    const auto& plan = static_cast<const PlacementPlan&>(any);
    forget(run, PlacementEvidence::kind);
    PlacementEvidence evidence;
    add_model(plan, run, evidence);
    if (recording) {
      add_recorded(plan, *recording, run, evidence);
      add_groups(plan, *recording, run, evidence);
    }
    keep_device_of(gpu_of(run), recording, run);
    run.evidence.put(evidence);
    // Held against launches of an H100 and an H200 (tests/labs_architecture.cpp); against other devices
    // nobody has.
    constexpr int kError = 16;
    run.provenance["metrics.placed"] = evidence.device == "H100" || evidence.device == "H200"
                                           ? Provenance::modelled_within(kError)
                                           : Provenance::modelled();
  }

 private:
  // What a driver said stays where it is of the device that is looked at, and else is that device's
  // recording's.
  static void keep_device_of(const Gpu& gpu, Engine* recording, Run& run) {
    const Gpu* here = find_gpu(run.device.name);
    if (run.engine == EngineKind::cuda && (!here || here->word == gpu.word)) return;
    forget(run, DeviceEvidence::kind);
    if (!recording) return;
    for (const Run& one : recording->recorded_everywhere(run.request.lab, run.request.rung)) {
      const Gpu* of = find_gpu(one.device.name);
      const auto* said = one.evidence.find<DeviceEvidence>();
      if (!of || of->word != gpu.word || !said || said->attributes.empty()) continue;
      run.evidence.put(*said);
      run.provenance["metrics.api"] = recorded_as(one);
      return;
    }
  }

  // Of each device what all its launches of one day told: chips of a name differ, and a day's are of one.
  static void add_groups(const PlacementPlan& plan, Engine& recording, Run& run,
                         PlacementEvidence& evidence) {
    std::map<std::string, std::string> day;
    for (const Run& one : recording.recorded_everywhere(run.request.lab, plan.groups_rung)) {
      const Gpu* gpu = find_gpu(one.device.name);
      const auto* measured = one.evidence.find<MeasuredEvidence>();
      if (!gpu || !measured || !measured->figures.contains(plan.groups)) continue;
      const auto* text = std::get_if<std::string>(&measured->figures.at(plan.groups).value);
      const auto groups = text ? read_groups(*text) : std::nullopt;
      if (!groups || day.try_emplace(gpu->word, one.date).first->second != one.date) continue;
      auto& all = evidence.groups[gpu->word];
      all = joined_groups(all, *groups);
      run.provenance["metrics.seen." + gpu->word + ".groups"] = recorded_as(one);
    }
  }

  static void add_recorded(const PlacementPlan& plan, Engine& recording, Run& run,
                           PlacementEvidence& evidence) {
    for (const Gpu& gpu : known_gpus())
      for (const std::string& name : gpu.device_names) {
        Request request = run.request;
        request.device = name;
        const auto one = recorded_time(recording, request);
        const auto* measured = one ? one->evidence.find<MeasuredEvidence>() : nullptr;
        if (!measured || !measured->figures.contains(plan.measured)) continue;
        const std::string text = measured->figures.at(plan.measured).text.value_or("");
        auto placement = read_placement(text);
        if (!placement) continue;
        evidence.seen[gpu.word] = {text, std::move(*placement)};
        run.provenance["metrics.seen." + gpu.word] = recorded_as(*one);
      }
  }
};

}  // namespace

std::unique_ptr<Experiment> make_placement_experiment() { return std::make_unique<PlacementExperiment>(); }

}  // namespace lockstep
