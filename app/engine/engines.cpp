#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <optional>
#include <span>

#include "app/devices/gpus.hpp"
#include "app/model/cache.hpp"
#include "app/model/occupancy.hpp"
#include "app/model/pipeline.hpp"
#include "app/model/ranges_record.hpp"
#include "app/model/stopwatch.hpp"
#include "app/platform/ranges.hpp"
#include "cuda_engine.hpp"
#include "engine.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"
#include "rung_lookup.hpp"

namespace lockstep {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  ::localtime_r(&now, &day);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &day);
  return text;
}

Error no_such_engine(EngineKind kind) {
  return unavailable("the engine {0} is not part of this program", {std::string(name_of(kind))});
}

// `auto` met three refusals. One that the reader can mend (a size too large, a setting not recorded) says
// more than all of them together.
Error nothing_runs(const Request& request, const std::vector<std::pair<EngineKind, Error>>& refusals) {
  for (const auto& [kind, error] : refusals)
    if (kind == EngineKind::emulator && error.exit == Exit::bad_input) return error;
  std::vector<std::string> args{request.lab + "/" + request.rung};
  for (const auto& [kind, error] : refusals) args.push_back(error.text());
  args.resize(4);
  return unavailable("no engine can run {0} here. cuda: {1}. emulator: {2}. recording: {3}", std::move(args));
}

// Followed block and warp are known to exist only when the launch is known.
Status check_followed(const Request& request, const Run& run) {
  if (run.launches.empty()) return Unit{};
  std::int64_t blocks = 0, warps = 0;
  for (const Launch& launch : run.launches) {
    blocks = std::max(blocks, launch.blocks());
    warps = std::max(warps, (launch.threads() + 31) / 32);
  }
  if (request.block >= blocks)
    return bad_input("there is no block {0}: the grid has the blocks 0 to {1}",
                     {std::to_string(request.block), std::to_string(blocks - 1)});
  if (request.warp >= warps)
    return bad_input("there is no warp {0}: a block has the warps 0 to {1}",
                     {std::to_string(request.warp), std::to_string(warps - 1)});
  return Unit{};
}

void add_provenance(Run& run, EngineKind kind) {
  const bool emulated = kind == EngineKind::emulator;
  for (const char* path : {"check", "counts", "metrics"})
    run.provenance.try_emplace(path, emulated ? "emulated" : "measured");
  run.provenance.try_emplace("time", run.time ? "measured" : "not measured");
}

void warn_of_what_is_left_out(Run& run) {
  for (const Launch& launch : run.launches)
    if (launch.trace.dropped > 0)
      run.warnings.push_back(
          {N_("the followed block makes {0} accesses and {1} of them are kept: whole warps are left out; "
              "follow another "
              "warp to see it"),
           {std::to_string(launch.trace.dropped + std::int64_t(launch.trace.events.size())),
            std::to_string(launch.trace.events.size())}});
}

// What the ladder reads off the run's events.
void add_metrics(Run& run) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder || !ladder->metrics) return;
  for (auto& [name, value] : ladder->metrics(run)) {
    if (const auto at = name.find(".models."); at != name.npos)  // what rests on a model says so
      run.provenance["metrics." + name.substr(0, at) + ".models"] = l1_words(*ladder, run.request.rung);
    run.metrics[name] = std::move(value);
  }
}

// What the lab's model says of another lab's kernel, whose block 0 the emulator traces for it; nothing where
// the settings name none.
PlayedFacts played_facts(const Ladder& ladder, const Params& params) {
  const auto name = ladder.played ? ladder.played(params) : std::nullopt;
  const Ladder* of = name ? find_ladder(name->lab) : nullptr;
  const int rung = of ? of->info.rung_index(name->rung) : -1;
  if (rung < 0) return {};
  const auto defaults = complete_params(of->info, name->rung, {});
  if (!defaults) return {};
  simt::ProblemBuffers buffers(*of, *defaults, name->rung);
  simt::EmulationOptions options;
  options.machine.checks = false;
  options.machine.blocks = {0};
  const auto emulation =
      simt::emulate(*of, of->info.rungs[std::size_t(rung)].file, *defaults, buffers.spans(), options);
  const auto most = std::max_element(
      emulation.launches.begin(), emulation.launches.end(),
      [](const Launch& a, const Launch& b) { return a.trace.events.size() < b.trace.events.size(); });
  if (most == emulation.launches.end()) return {};
  return ladder.known_of_played(params, {*of, *name, *defaults, int(emulation.launches.size()), *most});
}

void add_known(Run& run, const Params& params) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder || !ladder->known) return;
  if (ladder->nodes && costs_of(run)) return;  // the run's own models rest on the costs that it measured
  PlayedFacts facts = played_facts(*ladder, params);
  if (facts.known.empty()) facts.known = ladder->known(params);
  for (auto& [name, metric] : facts.known) {
    run.provenance["metrics." + name] = metric.provenance;
    run.metrics[name] = std::move(metric.value);
  }
  run.warnings.insert(run.warnings.end(), facts.warnings.begin(), facts.warnings.end());
}

// What a GPU measured at the same settings, beside emulated counts.
void add_recorded_measurements(Run& run, const Run& match) {
  for (const auto& [name, value] : match.metrics)
    for (const std::string group : {"measured", "compiled", "driver"})
      if (name.starts_with(group + ".")) {
        run.metrics[name] = value;
        run.provenance["metrics." + group] = recorded_words(match);
      }
}

// Groups of metrics that only a GPU gives, beside another engine's answer.
void add_recorded_groups(Run& run, const Run& match, std::span<const char* const> groups) {
  const std::string words = recorded_words(match);
  for (const std::string group : groups)
    for (auto at = match.metrics.lower_bound(group + ".");
         at != match.metrics.end() && at->first.starts_with(group + "."); ++at) {
      run.metrics[at->first] = at->second;
      run.provenance["metrics." + group] = words;
    }
}

// What a GPU's pipeline was seen to do, and what the models made of it.
void add_recorded_pipeline(Run& run, const Run& match) {
  add_recorded_groups(run, match, kPipelineGroups);
  for (const char* name : {"serial", "asynchronous", "graph", "break_even"})
    for (const char* what : {"_us", "_error"}) {
      const std::string key = std::string("models.") + name + what;
      if (const auto at = match.metrics.find(key); at != match.metrics.end())
        run.metrics[key] = at->second, run.provenance["metrics." + key] = "modelled, from the recorded costs";
    }
}

// --- labs whose occupancy is a model's answer (Ladder::occupancy)

constexpr const char* kOccupancyWords = "modelled, error 0";  // tests/engine_calculator.cpp

// What the driver said of this launch stands aside.
void keep_drivers_answer(Run& run) {
  if (run.engine != EngineKind::cuda || !run.occupancy) return;
  const Occupancy& o = *run.occupancy;
  run.metrics["driver.registers"] = std::int64_t{o.registers};
  run.metrics["driver.shared_bytes"] = o.shared_bytes;
  run.metrics["driver.blocks_per_sm"] = std::int64_t{o.blocks_per_sm};
  run.metrics["driver.warps_per_sm"] = std::int64_t{o.warps_per_sm};
  run.provenance["metrics.driver"] = "measured";
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
    for (Run& run : recording->recorded(name.lab, name.rung))
      if (run.occupancy && !run.stale) return std::move(run);
  return {};
}

void add_loaded_kernel(Run& run, const Ladder& ladder, Engine* recording) {
  const auto name = ladder.loaded ? ladder.loaded(run.request.params) : std::nullopt;
  if (!name) return;
  const auto launch = launch_of(*name, run.engine, recording);
  if (!launch) {
    run.warnings.push_back({N_("there is no recording of {0} here: the sliders' values stand in its place"),
                            {name->lab + "/" + name->rung}});
    return;
  }
  run.metrics["loaded.threads"] = std::int64_t{launch->occupancy->threads_per_block};
  run.metrics["loaded.registers"] = std::int64_t{launch->occupancy->registers};
  run.metrics["loaded.shared_bytes"] = launch->occupancy->shared_bytes;
  run.provenance["metrics.loaded"] = launch->engine == EngineKind::cuda && run.engine == EngineKind::cuda
                                         ? "measured"
                                         : recorded_words(*launch);
}

// All that was recorded of the lab on the first device that there is.
void add_curves(Run& run, const Ladder& ladder, Engine* recording) {
  if (!ladder.curves || !recording) return;
  std::vector<Run> recordings;
  for (const RungInfo& rung : ladder.info.rungs)
    for (Run& one : recording->recorded(ladder.info.slug, rung.slug))
      if (recordings.empty() || one.device.name == recordings.front().device.name)
        recordings.push_back(std::move(one));
  for (auto& [name, value] : ladder.curves(recordings)) run.metrics[name] = std::move(value);
  if (!recordings.empty()) run.provenance["metrics.curve"] = recorded_words(recordings.front());
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

void add_modelled_occupancy(Run& run, Engine* recording) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder || !ladder->occupancy) return;
  keep_drivers_answer(run);
  add_loaded_kernel(run, *ladder, recording);
  run.occupancy = ladder->occupancy(run);
  warn_of_no_block(run);
  std::erase_if(run.metrics, [](const auto& metric) { return metric.first.starts_with("next."); });
  for (const char* path : {"occupancy", "metrics.next"}) run.provenance[path] = kOccupancyWords;
  add_curves(run, *ladder, recording);
}

// Which settings choose the compiled kernel of a rung.
std::vector<std::string> compiled_settings(const Ladder& ladder, const std::string& rung) {
  std::vector<std::string> names = ladder.compiled_params;
  if (const auto sets = ladder.info.sets.find(rung); sets != ladder.info.sets.end())
    for (const auto& [name, value] : sets->second.front()) names.push_back(name);
  return names;
}

// What a kernel of which registers and shared bytes were recorded needs with other blocks.
std::optional<Occupancy> with_threads(Occupancy o, std::int64_t threads, const std::string& device) {
  const Gpu* gpu = find_gpu(device);
  if (!gpu) return {};
  o.threads_per_block = int(threads);
  const ResidentBlocks r = resident_blocks(*gpu, {o.threads_per_block, o.registers, o.shared_bytes});
  o.blocks_per_sm = r.blocks, o.warps_per_sm = r.warps, o.fraction = r.fraction;
  return o;
}

// Registers are the compiler's: of a recording of this rung with the same compiled settings, whatever the
// size of the problem. Where the settings change the blocks of one kernel, the model says how many fit.
void add_recorded_occupancy(Run& run, Engine& recording) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder || run.occupancy) return;
  const auto compiled = compiled_settings(*ladder, run.request.rung);
  for (const Run& match : recording.recorded(run.request.lab, run.request.rung)) {
    if (!match.occupancy || match.stale) continue;
    const auto alike = [&](const std::string& name) {
      const Params &there = match.request.params, &here = run.request.params;
      return there.contains(name) && here.contains(name) && there.at(name) == here.at(name);
    };
    if (!std::all_of(compiled.begin(), compiled.end(), alike)) continue;
    const std::int64_t threads =
        run.launches.empty() ? match.occupancy->threads_per_block : run.launches.front().threads();
    if (threads == match.occupancy->threads_per_block) {
      run.occupancy = match.occupancy;
      run.provenance["occupancy"] = recorded_words(match);
      return;
    }
    if (ladder->compiled_params.empty()) continue;  // other blocks may be another kernel's
    run.occupancy = with_threads(*match.occupancy, threads, match.device.name);
    if (!run.occupancy) return;
    run.provenance["occupancy"] = kOccupancyWords;
    for (const char* path : {"occupancy.registers", "occupancy.shared_bytes"})
      run.provenance[path] = recorded_words(match);
    return;
  }
}

// The emulator states no time; beside its counts stands the one of a recording with the same settings.
void add_recorded_time(Run& run, Engine& recording) {
  const std::optional<Run> match = recorded_time(recording, run.request);
  if (!match) return;
  run.time = match->time;
  run.provenance["time"] = match->time ? recorded_words(*match) : "not measured";
  add_recorded_measurements(run, *match);
  const Ladder* ladder = find_ladder(run.request.lab);
  if (ladder && ladder->nodes) add_recorded_pipeline(run, *match);
  if (ladder && ladder->stopwatches) add_recorded_groups(run, *match, kStopwatchGroups);
  if (const auto ranges = match->metrics.find(kRangesMetric); ranges != match->metrics.end()) {
    run.metrics[kRecordedRangesMetric] = ranges->second;
    run.provenance["metrics.ranges.recorded"] = recorded_words(*match);
  }
  if (match->stale)
    run.warnings.push_back({N_("the source of {0} has changed since its time was recorded on {1}"),
                            {run.request.lab + "/" + run.request.rung, match->date}});
}

// The ranges of a run: the whole of it, what goes on in it, and what led to it across threads.
class RunRanges {
 public:
  explicit RunRanges(const Request& request)
      : earlier_(take_ranges()), whole_(std::in_place, request.lab + "/" + request.rung) {}

  // Ends the whole. A recording that has its own keeps them.
  void put_into(Run& run) {
    const std::int64_t start_ns = whole_->start_ns();
    whole_.reset();
    Ranges all = take_ranges();
    std::copy_if(earlier_.notes.begin(), earlier_.notes.end(), std::back_inserter(all.notes),
                 [](const RangeNote& note) { return note.loose(); });
    if (run.engine == EngineKind::recording && run.metrics.contains(kRangesMetric)) return;
    run.metrics[kRangesMetric] = to_text(ranges_of_run(std::move(all), start_ns));
    run.provenance["metrics.ranges"] = "measured";
  }

 private:
  Ranges earlier_;
  std::optional<Range> whole_;
};

// What the engine answered, with what is known, modelled and recorded beside it.
void complete(Run& run, const Engines& engines, const Request& request, EngineKind kind) {
  const Range range("models and recordings");
  add_known(run, request.params);
  const Ladder* ladder = find_ladder(request.lab);
  if (kind == EngineKind::recording) {
    if (ladder && ladder->occupancy) add_modelled_occupancy(run, engines.recording.get()), add_metrics(run);
    return;
  }
  run.request = request;
  run.engine = kind;
  if (run.date.empty()) run.date = today();
  add_modelled_occupancy(run, engines.recording.get());
  add_metrics(run);
  warn_of_what_is_left_out(run);
  if (kind == EngineKind::emulator && !run.time && engines.recording) {
    const Range recordings("look through the recordings");
    add_recorded_time(run, *engines.recording);
    add_recorded_occupancy(run, *engines.recording);
  }
  add_provenance(run, kind);
}

}  // namespace

Engine* Engines::get(EngineKind kind) const {
  switch (kind) {
    case EngineKind::cuda:
      return cuda.get();
    case EngineKind::emulator:
      return emulator.get();
    case EngineKind::recording:
      return recording.get();
    case EngineKind::automatic:
      break;
  }
  return nullptr;
}

Result<EngineKind> resolve_engine(const Engines& engines, const Request& request) {
  if (request.engine != EngineKind::automatic) {
    Engine* engine = engines.get(request.engine);
    if (!engine) return no_such_engine(request.engine);
    if (Status possible = engine->can_run(request); !possible) return possible.error();
    return request.engine;
  }
  std::vector<std::pair<EngineKind, Error>> refusals;
  for (EngineKind kind : {EngineKind::cuda, EngineKind::emulator, EngineKind::recording}) {
    Engine* engine = engines.get(kind);
    const Status possible = engine ? engine->can_run(request) : Status(no_such_engine(kind));
    if (possible) return kind;
    refusals.emplace_back(kind, possible.error());
  }
  return nothing_runs(request, refusals);
}

Result<Run> run_request(const Engines& engines, const Request& request, const Report& report) {
  const Result<EngineKind> kind = resolve_engine(engines, request);
  if (!kind) return kind.error();
  RunRanges ranges(request);
  Result<Run> run = engines.get(*kind)->run(request, report);
  if (!run) return run.error();
  if (Status followed = check_followed(request, *run); !followed) return followed.error();
  complete(*run, engines, request, *kind);
  ranges.put_into(*run);
  return run;
}

}  // namespace lockstep
