#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/sm_evidence.hpp"
#include "app/model/traced_program.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

int whole(const Params& params, const char* name, int otherwise, int least, int most) {
  const auto at = params.find(name);
  const auto* value = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return value ? int(std::clamp<std::int64_t>(*value, least, most)) : otherwise;
}

// The program that the run brings with it, else the chains.
void take_program(PlayedWarps& p, const Run& run) {
  const auto* sm = run.evidence.find<SmEvidence>();
  const PlayedKernel played = sm ? sm->played : PlayedKernel{};
  const auto name = rung_named(played.rung.value_or(""));
  const Ladder* ladder = name ? find_ladder(name->lab) : nullptr;
  if (!ladder || ladder->info.rung_index(name->rung) < 0 || !played.program) {
    p.block.programs = {chain_program(p.setting, kChainIterations)};
    return;
  }
  p.rung = *played.rung, p.block = *played.program;
  p.warps_per_block = int(std::clamp<std::int64_t>(played.warps_per_block.value_or(1), 1, kMostWarpsPerSm));
  p.most_warps = int(std::clamp<std::int64_t>(played.most_warps.value_or(kMostWarpsPerSm), p.warps_per_block,
                                              kMostWarpsPerSm));
}

void take_settings(PlayedWarps& p, const Params& params) {
  p.setting = {whole(params, "warps", 32, 1, 64), whole(params, "ilp", 2, 1, 4),
               whole(params, "fma_per_load", 8, 0, 64),
               whole(params, "barrier_every", 0, 0, kChainIterations)};
  p.latency = whole(params, "latency", mean_latency(h200_table()), 1, 4096);
  if (const auto at = params.find("policy"); at != params.end())
    for (int i = 0; i < kPolicies; ++i)
      if (to_string(at->second) == name_of(Policy(i))) p.policy = Policy(i);
  p.shown_cycles = whole(params, "zoom", 120, 1, 1 << 20);
}

void take_units(PlayedWarps& p) {
  const auto cycles = std::size_t(p.sm.cycles);
  for (auto& core : p.tensor) core.assign(cycles, 0);
  p.boxes.assign(cycles, 0);
  const auto each_cycle = [&](const UnitSpan& span, auto f) {
    for (int c = span.begin; c < std::min(span.end, p.sm.cycles); ++c) f(std::size_t(c));
  };
  for (const UnitSpan& product : p.sm.products)
    each_cycle(product, [&](std::size_t c) { p.tensor[std::size_t(product.warp % kSubCores)][c] = 1; });
  for (const UnitSpan& box : p.sm.boxes)
    each_cycle(box, [&](std::size_t c) { p.boxes[c] = std::uint8_t(std::min(255, p.boxes[c] + 1)); });
}

}  // namespace

PlayedWarps::Part PlayedWarps::part_of(int warp) const {
  Part part = Part::none;
  for (const SmInstruction& i : program_of(warp).instructions) {
    if (i.op == Op::product) return Part::multiplies;
    if (i.op == Op::box) part = Part::fetches;
  }
  return part;
}

PlayedWarps played_warps(const Run& run) {
  PlayedWarps p;
  take_settings(p, run.request.params);
  take_program(p, run);
  p.sm = run_sm(with_latency(h200_table(), p.latency), p.block, p.sm_setting(p.setting.warps));
  p.eligible.assign(std::size_t(p.sm.cycles), 0);
  for (int w = 0; w < p.sm.warps; ++w)
    for (int cycle = 0; cycle < p.sm.cycles; ++cycle) {
      const WarpState state = p.sm.state(w, cycle);
      p.eligible[std::size_t(cycle)] += state == WarpState::selected || state == WarpState::not_selected;
    }
  for (int s = 0; s < kSubCores; ++s)
    for (int cycle = 0; cycle < p.sm.cycles; ++cycle)
      p.used[std::size_t(s)].push_back(p.sm.selected(s, cycle) >= 0);
  take_units(p);
  return p;
}

SmSetting PlayedWarps::sm_setting(int warps) const {
  if (!own()) return {warps_in_blocks(std::min(warps, most_warps), warps_per_block), warps_per_block, policy};
  ChainSetting s = setting;
  s.warps = warps;
  return lockstep::sm_setting(s, policy);
}

const SmInstruction* PlayedWarps::next_of(int warp, int cycle) const {
  const auto& all = program_of(warp).instructions;
  const int at = sm.at(warp, cycle);
  return at < int(all.size()) ? &all[std::size_t(at)] : nullptr;
}

int PlayedWarps::sub_core_of(std::int64_t warp) const {
  return int(std::clamp<std::int64_t>(warp, 0, std::max(0, sm.warps - 1))) % kSubCores;
}

std::vector<int> PlayedWarps::warps_of(int sub_core) const {
  std::vector<int> warps;
  for (int w = sub_core; w < sm.warps; w += kSubCores) warps.push_back(w);
  return warps;
}

int PlayedWarps::not_selected(int sub_core, int cycle) const {
  int count = 0;
  for (int w = sub_core; w < sm.warps; w += kSubCores) count += sm.state(w, cycle) == WarpState::not_selected;
  return count;
}

int PlayedWarps::issued_by(int sub_core) const {
  const auto& slots = used[std::size_t(sub_core)];
  return int(std::count(slots.begin(), slots.end(), std::uint8_t{1}));
}

int PlayedWarps::tensor_cycles(int sub_core) const {
  const auto& works = tensor[std::size_t(sub_core)];
  return int(std::count(works.begin(), works.end(), std::uint8_t{1}));
}

namespace {

bool at_mbarrier(WarpState state) {
  return state == WarpState::mbarrier || state == WarpState::mbarrier_warps ||
         state == WarpState::mbarrier_over;
}
// For the end of an instruction that the warp has issued.
bool waits_behind(WarpState state) {
  return at_mbarrier(state) || state == WarpState::barrier || state == WarpState::products ||
         state == WarpState::gmma;
}

}  // namespace

const SmInstruction* PlayedWarps::last_of(int warp, int cycle) const {
  const auto& all = program_of(warp).instructions;
  const int last = sm.at(warp, cycle) - 1;
  return last >= 0 && last < int(all.size()) ? &all[std::size_t(last)] : nullptr;
}

std::string PlayedWarps::barrier_of(int warp, int cycle) const {
  const SmInstruction* wait = last_of(warp, cycle);
  if (!wait || !at_mbarrier(sm.state(warp, cycle)) || wait->barrier >= block.barriers.size()) return "";
  return block.barriers[wait->barrier];
}

Message PlayedWarps::meaning_of(WarpState state, bool in_full) const {
  if (state == WarpState::wait && !sm.products.empty())
    return in_full ? msg("wait: hands over work, or a fixed time") : msg("hands over, or a fixed time");
  return in_full ? state_in_full(state) : state_meaning(state);
}

std::string PlayedWarps::doing(int warp, int cycle) const {
  const WarpState state = sm.state(warp, cycle);
  const SmInstruction *last = last_of(warp, cycle), *next = next_of(warp, cycle);
  if (state == WarpState::wait && last && last->op == Op::box) return tr("asks for boxes");
  if (state == WarpState::wait && next && (next->op == Op::uniform || next->op == Op::product))
    return tr("hands over products");
  const std::string meaning = tr(state_meaning(state)), barrier = barrier_of(warp, cycle);
  if (state == WarpState::mbarrier_over && !barrier.empty()) return tr("learns that {0} is ready", {barrier});
  return barrier.empty() ? meaning : tr("{0}: {1}", {meaning, barrier});
}

std::string PlayedWarps::told(int warp, int cycle) const {
  const std::string barrier = barrier_of(warp, cycle), name = number_text(warp);
  if (barrier.empty() || sm.state(warp, cycle) == WarpState::mbarrier_over)
    return tr("warp {0}: {1}", {name, doing(warp, cycle)});
  return tr("warp {0}: waits at {1}", {name, barrier});
}

std::uint16_t PlayedWarps::line_of(int warp, int cycle) const {
  const WarpState state = sm.state(warp, cycle);
  if (state == WarpState::done) return 0;
  const SmInstruction* at = waits_behind(state) ? last_of(warp, cycle) : next_of(warp, cycle);
  return at ? at->line : std::uint16_t(0);
}

int PlayedWarps::cycles_in_state(int warp, int cycle) const {
  int since = cycle;
  while (since > 0 && sm.state(warp, since - 1) == sm.state(warp, cycle)) --since;
  return cycle - since + 1;
}

// No GPU has another latency or policy, and no kernel of another lab was timed warp by warp, so no error is
// known there.
const char* PlayedWarps::provenance() const {
  return own() && latency == mean_latency(h200_table()) && policy == Policy::greedy_youngest ? kModelError
                                                                                             : "modelled";
}

ThroughputCurve throughput_curve(const PlayedWarps& p) {
  ThroughputCurve curve;
  const double recorded_instructions = double(p.block.programs.front().instructions.size());
  double alone = 0;
  for (const int wanted : {1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64}) {
    const SmSetting setting = p.sm_setting(wanted);
    if (!curve.model.empty() && curve.model.back().x >= setting.warps) continue;
    const SmRun sm = run_sm(with_latency(h200_table(), p.latency), p.block, setting);
    const int cycles = p.own() ? chain_cycles(p.block.programs.front(), sm) : sm.cycles;
    const double ipc = double(sm.instructions()) / std::max(1, cycles);
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
      curve.recorded.push_back({double(r.warps), recorded_instructions * r.warps / r.cycles, ""});
  std::sort(curve.recorded.begin(), curve.recorded.end(),
            [](const auto& a, const auto& b) { return a.x < b.x; });
  return curve;
}

IterationStarts modelled_iterations(const PlayedWarps& p) {
  IterationStarts starts;
  const std::size_t marks = p.block.programs.front().marks.size();  // all have as many
  for (std::size_t i = 0; i < p.sm.marks.size(); i += marks)
    starts.emplace_back(p.sm.marks.begin() + std::ptrdiff_t(i),
                        p.sm.marks.begin() + std::ptrdiff_t(i + marks));
  return starts;
}

MeasuredIterations measured_iterations(const Run& run, const PlayedWarps& p) {
  if (!p.own()) return {};
  if (const auto* measured = run.evidence.find<MeasuredEvidence>())
    if (const auto cycles = measured->figures.find("cycles");
        cycles != measured->figures.end() && cycles->second.text)
      return {read_starts(*cycles->second.text),
              std::string(provenance_of(run, "metrics.measured.cycles_text"))};
  if (const RecordedChain* r = recorded_chain(p.setting)) return {read_starts(r->starts), kRecordedChains};
  return {};
}

// Of every warp: its states as modelled and, where they were measured, its iterations. A cycle stands as 1
// ns.
std::optional<Timeline> SchedulerScene::timeline() const {
  const SmRun& sm = played.sm;
  Timeline t;
  for (int s = 0; s < kWarpStates; ++s) t.kinds.push_back(state_label(WarpState(s)).id);
  t.kinds.push_back("iteration");
  const std::string scale = ", 1 ns stands for 1 cycle)";
  for (int w = 0; w < sm.warps; ++w) {
    TimelineLane& lane = t.add_lane("warp " + number_text(w), "states (modelled" + scale);
    for (int from = 0, to = 0; from < sm.cycles; from = to) {
      const WarpState state = sm.state(w, from);
      while (to < sm.cycles && sm.state(w, to) == state) ++to;
      if (state != WarpState::done) t.add(lane, t.kinds[std::size_t(state)], from, to, std::uint16_t(state));
    }
  }
  for (std::size_t w = 0; w < measured.starts.size(); ++w) {
    TimelineLane& lane =
        t.add_lane("warp " + number_text(std::int64_t(w)), "iterations (" + measured.provenance + scale);
    for (std::size_t i = 0; i + 1 < measured.starts[w].size(); ++i)
      t.add(lane, "iteration " + number_text(std::int64_t(i)), measured.starts[w][i],
            measured.starts[w][i + 1], std::uint16_t(kWarpStates));
  }
  t.nest();
  return t;
}

}  // namespace lockstep
