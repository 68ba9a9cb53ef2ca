#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <optional>

#include "app/devices/gpus.hpp"
#include "app/model/occupancy.hpp"
#include "app/model/ranges_record.hpp"
#include "app/model/recorded_beside.hpp"
#include "app/platform/ranges.hpp"
#include "experiment.hpp"

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
    run.provenance.try_emplace(path, emulated ? Provenance::emulated() : Provenance::measured());
  run.provenance.try_emplace("time", run.time ? Provenance::measured() : Provenance::not_measured());
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
void add_figures(Run& run) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder || !ladder->figures) return;
  const Metrics figures = ladder->figures(run);
  for (const auto& [name, value] : figures)
    if (const auto at = name.find(".models."); at != name.npos)  // what rests on a model says so
      run.provenance["metrics." + name.substr(0, at) + ".models"] = l1_provenance(*ladder, run.request.rung);
  run.evidence.merge(figures);
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
      run.provenance["occupancy"] = recorded_as(match);
      return;
    }
    if (ladder->compiled_params.empty()) continue;  // other blocks may be another kernel's
    run.occupancy = with_threads(*match.occupancy, threads, match.device.name);
    if (!run.occupancy) return;
    run.provenance["occupancy"] =
        Provenance::modelled(Provenance::Basis::exact);  // tests/engine_calculator.cpp
    for (const char* path : {"occupancy.registers", "occupancy.shared_bytes"})
      run.provenance[path] = recorded_as(match);
    return;
  }
}

// The emulator states no time; beside its counts stands what was recorded of the same settings.
std::optional<Run> take_recording(Run& run, Engine& recording) {
  std::optional<Run> match = recorded_time(recording, run.request);
  if (!match) return {};
  run.time = match->time;
  run.provenance["time"] = match->time ? recorded_as(*match) : Provenance::not_measured();
  take_recorded(run, *match);
  return match;
}

void warn_of_stale(Run& run, const std::optional<Run>& match) {
  if (match && match->stale)
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
    if (run.engine == EngineKind::recording && run.metrics().contains(kRangesMetric)) return;
    run.evidence.set(kRangesMetric, to_text(ranges_of_run(std::move(all), start_ns)));
    run.provenance["metrics.ranges"] = Provenance::measured();
  }

 private:
  Ranges earlier_;
  std::optional<Range> whole_;
};

// What the engine answered, with what is known, modelled and recorded beside it.
void complete(Run& run, const Engines& engines, const Request& request, EngineKind kind) {
  const Range range("models and recordings");
  Engine* recording = engines.recording.get();
  const Ladder* ladder = find_ladder(request.lab);
  if (kind == EngineKind::recording) {
    if (ladder) complete_experiments(*ladder, recording, run);
    return;
  }
  run.request = request;
  run.engine = kind;
  if (run.date.empty()) run.date = today();
  std::optional<Run> match;
  const bool beside = kind == EngineKind::emulator && !run.time && recording;
  if (beside) {
    const Range recordings("look through the recordings");
    match = take_recording(run, *recording);
  }
  if (ladder) complete_experiments(*ladder, recording, run);
  add_figures(run);
  warn_of_what_is_left_out(run);
  warn_of_stale(run, match);
  if (beside) add_recorded_occupancy(run, *recording);
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
