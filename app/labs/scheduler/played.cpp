// A run's settings, or the program that it brings with it, played by the SM model.
#include <algorithm>
#include <cmath>

#include "app/labs/recent.hpp"
#include "app/model/traced_program.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

int whole(const Params& params, const char* name, int otherwise, int least, int most) {
  const auto at = params.find(name);
  const auto* value = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return value ? int(std::clamp<std::int64_t>(*value, least, most)) : otherwise;
}

std::string_view text_metric(const Run& run, const char* name) {
  const auto at = run.metrics.find(name);
  const auto* text = at == run.metrics.end() ? nullptr : std::get_if<std::string>(&at->second);
  return text ? std::string_view(*text) : std::string_view{};
}

// The program that the run brings with it, else the chains.
void take_program(Played& p, const Run& run) {
  const std::string rung(text_metric(run, "played.rung"));
  const auto name = rung_named(rung);
  const Ladder* ladder = name ? find_ladder(name->lab) : nullptr;
  auto program = read_program(std::string(text_metric(run, "played.program")));
  if (!ladder || ladder->info.rung_index(name->rung) < 0 || !program) {
    p.program = chain_program(p.setting, kChainIterations);
    return;
  }
  p.rung = rung, p.program = std::move(*program);
  p.warps_per_block = int(
      std::clamp<std::int64_t>(whole_metric(run, "played.warps_per_block").value_or(1), 1, kMostWarpsPerSm));
}

std::shared_ptr<const Played> play(const Run& run) {
  const Params& params = run.request.params;
  const auto made = std::make_shared<Played>();
  Played& p = *made;
  p.setting = {whole(params, "warps", 32, 1, 64), whole(params, "ilp", 2, 1, 4),
               whole(params, "fma_per_load", 8, 0, 64),
               whole(params, "barrier_every", 0, 0, kChainIterations)};
  p.latency = whole(params, "latency", mean_latency(h200_table()), 1, 4096);
  if (const auto at = params.find("policy"); at != params.end())
    for (int i = 0; i < kPolicies; ++i)
      if (to_string(at->second) == name_of(Policy(i))) p.policy = Policy(i);
  take_program(p, run);
  p.shown_cycles = whole(params, "zoom", 120, 1, 1 << 20);
  p.sm = run_sm(with_latency(h200_table(), p.latency), p.program, p.sm_setting(p.setting.warps));
  p.eligible.assign(std::size_t(p.sm.cycles), 0);
  for (int w = 0; w < p.sm.warps; ++w)
    for (int cycle = 0; cycle < p.sm.cycles; ++cycle) {
      const WarpState state = p.sm.state(w, cycle);
      p.eligible[std::size_t(cycle)] += state == WarpState::selected || state == WarpState::not_selected;
    }
  for (int s = 0; s < kSubCores; ++s)
    for (int cycle = 0; cycle < p.sm.cycles; ++cycle)
      p.used[std::size_t(s)].push_back(p.sm.selected(s, cycle) >= 0);
  return made;
}

// Little's law: so many warps have so many times the throughput of one, until the issue slots are full.
ThroughputCurve throughput_curve(const Played& p) {
  ThroughputCurve curve;
  const double instructions = double(p.program.instructions.size());
  double alone = 0;
  for (const int wanted : {1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64}) {
    const SmSetting setting = p.sm_setting(wanted);
    if (!curve.model.empty() && curve.model.back().x >= setting.warps) continue;
    const SmRun sm = run_sm(with_latency(h200_table(), p.latency), p.program, setting);
    const double ipc = instructions * setting.warps / std::max(1, chain_cycles(p.program, sm));
    if (curve.model.empty()) alone = ipc / setting.warps;
    curve.model.push_back({double(setting.warps), std::min(ipc, 4.2), ""});
  }
  const double full = std::min(64.0, kSubCores / alone);
  curve.little = {{0, 0, ""}, {full, full * alone, ""}};
  if (full < 64) curve.little.push_back({64, double(kSubCores), ""});
  if (!p.own()) return curve;
  for (const RecordedChain& r : recorded_chains())
    if (r.ilp == p.setting.ilp && r.fma_per_load == p.setting.fma_per_load &&
        r.barrier_every == p.setting.barrier_every)
      curve.recorded.push_back({double(r.warps), instructions * r.warps / r.cycles, ""});
  std::sort(curve.recorded.begin(), curve.recorded.end(),
            [](const auto& a, const auto& b) { return a.x < b.x; });
  return curve;
}

}  // namespace

SmSetting Played::sm_setting(int warps) const {
  if (!own()) return {warps_in_blocks(warps, warps_per_block), warps_per_block, policy};
  ChainSetting s = setting;
  s.warps = warps;
  return lockstep::sm_setting(s, policy);
}

std::string source_of(const Played& played) {
  const auto name = rung_named(played.own() ? "scheduler/chain" : played.rung);
  const LabInfo& info = find_ladder(name->lab)->info;
  return info.rungs[std::size_t(info.rung_index(name->rung))].file;
}

const std::vector<std::uint8_t>& Played::merged(const std::string& key, const std::vector<int>& warps,
                                                CycleWindow window, int columns) const {
  Merged& kept = merged_[key];
  if (kept.warps == warps && kept.window == window && kept.columns == columns) return kept.values;
  kept = {warps, window, columns, {}};
  kept.values.reserve(warps.size() * std::size_t(columns));
  for (const int w : warps)
    for (int x = 0; x < columns; ++x) {
      const CycleWindow part = window.part(x, columns);
      kept.values.push_back(std::uint8_t(most_common(sm, w, w + 1, part.first, part.end)));
    }
  return kept.values;
}

std::shared_ptr<const Played> played_of(const Run& run) {
  struct Key {
    Params params;
    std::string program;
    bool operator==(const Key&) const = default;
  };
  static Recent<Key, Played> recent;
  return recent.get({run.request.params, std::string(text_metric(run, "played.program"))},
                    [&] { return play(run); });
}

const ThroughputCurve& Played::curve() const {
  std::call_once(curve_made_, [&] { curve_ = throughput_curve(*this); });
  return curve_;
}

}  // namespace lockstep
