#include <algorithm>
#include <chrono>
#include <ctime>

#include "app/model/cache.hpp"
#include "engine.hpp"
#include "kernels/ladder.hpp"

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
      run.provenance["metrics." + name.substr(0, at) + ".models"] = kL1LoadWords;
    run.metrics[name] = std::move(value);
  }
}

void add_known(Run& run, const Params& params) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder || !ladder->known) return;
  for (auto& [name, metric] : ladder->known(params)) {
    run.provenance["metrics." + name] = metric.provenance;
    run.metrics[name] = std::move(metric.value);
  }
}

// What a GPU measured at the same settings, beside emulated counts.
void add_recorded_measurements(Run& run, const Run& match) {
  for (const auto& [name, value] : match.metrics)
    for (const std::string group : {"measured", "compiled"})
      if (name.starts_with(group + ".")) {
        run.metrics[name] = value;
        run.provenance["metrics." + group] = recorded_words(match);
      }
}

// Registers are the compiler's: of a recording of this rung with the same compiled settings (the sets of its
// lab), whatever the size of the problem.
void add_recorded_occupancy(Run& run, Engine& recording) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder || run.occupancy) return;
  const auto sets = ladder->info.sets.find(run.request.rung);
  for (const Run& match : recording.recorded(run.request.lab, run.request.rung)) {
    bool same = match.occupancy.has_value() && !match.stale;
    if (sets != ladder->info.sets.end())
      for (const auto& [name, value] : sets->second.front())
        same = same && match.request.params.contains(name) &&
               match.request.params.at(name) == run.request.params.at(name);
    if (!same) continue;
    run.occupancy = match.occupancy;
    run.provenance["occupancy"] = recorded_words(match);
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
  if (match->stale)
    run.warnings.push_back({N_("the source of {0} has changed since its time was recorded on {1}"),
                            {run.request.lab + "/" + run.request.rung, match->date}});
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
  Result<Run> run = engines.get(*kind)->run(request, report);
  if (!run) return run.error();
  if (Status followed = check_followed(request, *run); !followed) return followed.error();
  add_known(*run, request.params);
  if (*kind == EngineKind::recording) return run;
  run->request = request;
  run->engine = *kind;
  if (run->date.empty()) run->date = today();
  add_metrics(*run);
  warn_of_what_is_left_out(*run);
  if (*kind == EngineKind::emulator && !run->time && engines.recording) {
    add_recorded_time(*run, *engines.recording);
    add_recorded_occupancy(*run, *engines.recording);
  }
  add_provenance(*run, *kind);
  return run;
}

}  // namespace lockstep
