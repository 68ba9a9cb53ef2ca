// Chains of dependent loads with FMAs between them, 1 to 64 warps on one SM: what hides the latency of a
// load?
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "app/model/scheduler.hpp"
#include "app/model/traced_program.hpp"

namespace lockstep {

namespace {

constexpr std::int64_t kIterations = kChainIterations, kMaxIlp = 4, kMaxWarps = 64;  // as in settings.cuh
constexpr std::int64_t kRowWords = kMaxWarps * kMaxIlp * 32;  // every lane's element of one iteration

std::int64_t warps_of(const Params& params) { return int_param(params, "warps"); }

std::vector<BufferSpec> buffers(const Params& params, std::string_view) {
  const auto warps = std::uint64_t(warps_of(params));
  return {{"out", {warps, 32}},
          {"clocks", {warps, std::uint64_t(kIterations + 1)}, false, "int"},
          {"next", {std::uint64_t(kIterations), std::uint64_t(kRowWords)}, true, "int"},
          {"seats", {1}, true, "int"}};
}

// An element's successor stands one row further on; after the last row the chain is where it began.
void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  auto* next = reinterpret_cast<std::int32_t*>(buffers[2].data());
  for (std::int64_t i = 0; i < kIterations * kRowWords; ++i)
    next[i] = std::int32_t((i + kRowWords) % (kIterations * kRowWords));
  std::memset(buffers[3].data(), 0, buffers[3].size());
}

// What a lane ends with: its chains' FMAs and the elements that they have come to.
double expected(const Params& params, std::int64_t warp, std::int64_t lane) {
  double total = 0;
  for (std::int64_t c = 0; c < int_param(params, "ilp"); ++c) {
    std::int64_t at = (warp * kMaxIlp + c) * 32 + lane;
    double sum = 0;
    for (std::int64_t k = 0; k < 2 * kIterations; ++k) {  // the first pass warms the caches
      at = (at + kRowWords) % (kIterations * kRowWords);
      for (std::int64_t j = 0; j < int_param(params, "fma_per_load"); ++j) sum = sum * 0.5 + double(at);
    }
    total += sum + double(at);
  }
  return total;
}

Check check(const Params& params, std::string_view, std::span<const ConstBytes> buffers) {
  const auto* out = reinterpret_cast<const float*>(buffers[0].data());
  Check result{true, 0, 1e-5};  // relative
  for (std::int64_t warp = 0; warp < warps_of(params); ++warp)
    for (std::int64_t lane = 0; lane < 32; ++lane) {
      const double want = expected(params, warp, lane), got = out[warp * 32 + lane];
      const double error = std::abs(got - want) / std::max(1.0, std::abs(want));
      result.max_error = larger_error(result.max_error, error);
    }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// From the first warp's first iteration to the last warp's end.
double cycles(const Params& params, std::span<const ConstBytes> buffers) {
  const auto* clocks = reinterpret_cast<const std::uint32_t*>(buffers[1].data());
  const auto since = [&](std::int64_t i) {
    return std::int32_t(clocks[i] - clocks[0]);
  };  // the counter wraps
  std::int32_t first = 0, last = 0;
  for (std::int64_t w = 0; w < warps_of(params); ++w) {
    first = std::min(first, since(w * (kIterations + 1)));
    last = std::max(last, since(w * (kIterations + 1) + kIterations));
  }
  return double(last - first);
}

// The cycle at which each warp starts each iteration, and ends: warps apart by ';', cycles by ','.
std::string starts_text(const Params& params, std::span<const ConstBytes> buffers) {
  const auto* clocks = reinterpret_cast<const std::uint32_t*>(buffers[1].data());
  std::uint32_t first = clocks[0];
  for (std::int64_t w = 1; w < warps_of(params); ++w)
    if (const std::uint32_t start = clocks[w * (kIterations + 1)]; std::int32_t(start - first) < 0)
      first = start;
  std::string text;
  for (std::int64_t i = 0; i < warps_of(params) * (kIterations + 1); ++i)
    text +=
        std::to_string(std::int32_t(clocks[i] - first)) + (i % (kIterations + 1) == kIterations ? ";" : ",");
  return text;
}

std::vector<Measurement> measurements(std::string_view rung, const Params& params) {
  return {{"cycles", std::string(rung), params, cycles, starts_text}};
}

// --- what the model says -----------------------------------------------------------------------------------

ChainSetting chain_setting(const Params& params) {
  const auto whole = [&](const char* name) { return int(int_param(params, name)); };
  return {whole("warps"), whole("ilp"), whole("fma_per_load"), whole("barrier_every")};
}

Policy policy_of(const Params& params) {
  for (int p = 0; p < kPolicies; ++p)
    if (std::get<std::string>(params.at("policy")) == name_of(Policy(p))) return Policy(p);
  return Policy::greedy_youngest;
}

SmTable table_of(const Params& params) {
  return with_latency(h200_table(), int(int_param(params, "latency")));
}

KnownFigures model_figures(const SmRun& run, int cycles, const Provenance& provenance) {
  KnownFigures all;
  const auto add = [&](const std::string& name, Value value) {
    all["model." + name] = {std::move(value), provenance};
  };
  add("cycles", std::int64_t(cycles));
  add("ipc", run.ipc());
  add("issue_slots_used", run.ipc() / kSubCores);
  add("eligible_warps", run.eligible());
  for (int s = 0; s < kWarpStates; ++s)
    add(std::string("stalls.") + name_of(WarpState(s)), run.share(WarpState(s)));
  return all;
}

KnownFigures known(const Params& params) {
  const ChainSetting setting = chain_setting(params);
  const WarpProgram program = chain_program(setting, kChainIterations);
  const Policy policy = policy_of(params);
  const SmTable table = table_of(params);
  const bool as_recorded =
      mean_latency(table) == mean_latency(h200_table()) && policy == Policy::greedy_youngest;
  const SmRun run = run_sm(table, program, sm_setting(setting, policy));
  // No GPU has another latency or policy: there the error is not known.
  auto all = model_figures(run, chain_cycles(program, run), as_recorded ? kModelError : "modelled");
  if (const RecordedChain* r = recorded_chain(setting)) {
    all["recorded.cycles"] = {std::int64_t(r->cycles), kRecordedChains};
    if (as_recorded)
      all["model.error"] = {(double(chain_cycles(program, run)) - r->cycles) / r->cycles,
                            Provenance::modelled(Provenance::Basis::against_recording)};
  }
  return all;
}

// --- another lab's kernel in place of the chains
// -------------------------------------------------------------

constexpr const char* kOwnProgram = "chain";

// Multiply-adds of one warp, where the ladder counts its operations and they are one launch's, not the tensor
// cores'.
double fmas_per_warp(const PlayedLaunch& p) {
  const auto& tensor = p.ladder.tensor_rungs;
  if (p.launches != 1 || std::find(tensor.begin(), tensor.end(), p.name.rung) != tensor.end()) return 0;
  const double warps = double(p.launch.blocks()) * double((p.launch.threads() + 31) / 32);
  return p.ladder.flops(p.params, p.name.rung) / (2 * 32 * warps);
}

std::vector<StepArithmetic> arithmetic_of(const PlayedLaunch& p) {
  if (!p.ladder.step_arithmetic) return {};
  return p.ladder.step_arithmetic(p.params, p.name.rung);
}

std::string words_of(std::int64_t x) { return std::to_string(x); }

// What was put into the program and what is missing, and how far its cycles are from a GPU's.
std::vector<Message> played_warnings(const Params& params, const PlayedLaunch& p,
                                     const TracedProgram& traced) {
  const std::string name = p.name.lab + "/" + p.name.rung;
  if (!has_units(p.launch))
    return {
        {N_("played: what warp 0 of block 0 of {0} did at its defaults, in the emulator: {1} of its {2} "
            "memory "
            "instructions, barriers and collectives. {3} FMAs, from the number of its operations, are spread "
            "over its loads; other arithmetic, addresses and branches are not in a trace and are left out. "
            "How "
            "far "
            "the cycles are from a GPU's is not known."),
         {name, words_of(traced.taken), words_of(traced.instructions), words_of(traced.fmas)}},
        {N_("a trace does not tell when a load is first used. Assumed: before the next store and barrier, "
            "and "
            "when its line has loaded {0} times more (ilp)."),
         {words_of(int_param(params, "ilp"))}}};
  std::vector<Message> all{
      {N_("played: what each of the {3} warps of block 0 of {0} did at its defaults, in the emulator: {1} of "
          "their {2} memory instructions, products, boxes, barriers and collectives, and {4} instructions of "
          "arithmetic, as the source of its steps says. Other arithmetic and branches are left out."),
       {name, words_of(traced.taken), words_of(traced.instructions), words_of(traced.warps_per_block),
        words_of(traced.fmas)}}};
  if (const auto error = p.ladder.sm_errors.find(p.name.rung); error != p.ladder.sm_errors.end())
    all.push_back(
        {N_("the cycles of a trip around the loop of {0} are {1} % off those of one block on an H200, "
            "on average over {3}'s settings that were measured, and {2} % at worst. Its start takes an "
            "H200 longer, by up to 1,900 cycles: nothing is in a cache yet."),
         {name, words_of(error->second.mean), words_of(error->second.worst), p.name.rung}});
  return all;
}

PlayedFacts known_of_played(const Params& params, const PlayedLaunch& p) {
  const TracedProgram traced =
      traced_program(p.launch, 0, {int(int_param(params, "ilp")), fmas_per_warp(p), arithmetic_of(p)});
  if (traced.empty()) return {};
  const int asked = std::min(int(int_param(params, "warps")), traced.most_warps);
  const SmSetting setting{warps_in_blocks(asked, traced.warps_per_block), traced.warps_per_block,
                          policy_of(params)};
  const SmRun run = run_sm(table_of(params), traced.block, setting);
  PlayedFacts facts{model_figures(run, run.cycles, "modelled"), played_warnings(params, p, traced)};
  const auto add = [&](const char* name, Value value, const char* words) {
    facts.known[std::string("played.") + name] = {std::move(value), words};
  };
  add("rung", p.name.lab + "/" + p.name.rung, "emulated");
  add("program", program_text(traced.block), "modelled");
  add("warps", std::int64_t{setting.warps}, "modelled");
  add("warps_per_block", std::int64_t{traced.warps_per_block}, "emulated");
  if (has_units(p.launch)) add("most_warps", std::int64_t{traced.most_warps}, "modelled");
  add("traced_instructions", std::int64_t{traced.instructions}, "emulated");
  add("taken_instructions", std::int64_t{traced.taken}, "emulated");
  add("fmas", std::int64_t{traced.fmas}, "modelled");
  return facts;
}

// --- the table ---------------------------------------------------------------------------------------------

Parameter choices(const char* name, std::vector<std::int64_t> values, std::int64_t start, const char* help) {
  Parameter p;
  p.name = name, p.min = double(values.front()), p.max = double(values.back()), p.default_value = start;
  for (const std::int64_t value : values) p.choices.push_back(std::to_string(value));
  p.help = help;
  return p;
}

const std::vector<std::int64_t> kWarps{1,  2,  3,  4,  5,  6,  7,  8,  10, 12, 14, 16,
                                       20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64};
const std::vector<std::int64_t> kFmas{0, 1, 2, 4, 6, 8, 12, 16, 24, 32};
const std::vector<std::int64_t> kIlps{1, 2, 4};

LabInfo info() {
  LabInfo lab{"scheduler", N_("scheduler"), N_("What are my warps waiting for?"), N_("Scheduling"), {}, {}};
  lab.rungs = {
      {"chain", N_("chains of dependent loads, FMAs on what arrives"), "scheduler/01_chain.cuh"},
  };
  Parameter latency;
  latency.name = "latency", latency.min = 20, latency.max = 1000, latency.model_only = true;
  latency.default_value = std::int64_t(mean_latency(h200_table())), latency.unit = N_("cycles");
  latency.help =
      N_("For the model only: how long a load takes on average. The default is what an H200's L2 takes.");
  Parameter policy;
  policy.name = "policy", policy.type = "choice", policy.model_only = true;
  for (int p = 0; p < kPolicies; ++p) policy.choices.push_back(name_of(Policy(p)));
  policy.default_value = policy.choices.front();
  policy.help = N_("For the model only: which of the eligible warps a scheduler takes.");
  Parameter program;
  program.name = "program", program.type = "choice", program.model_only = true;
  program.choices = {kOwnProgram};
  program.default_value = std::string(kOwnProgram);
  program.help =
      N_("For the model only: what its warps run. The chains of this lab, or what a warp of another lab's "
         "kernel did: its memory instructions and barriers, as traced. FMAs per load and barriers are "
         "settings of the chains only.");
  Parameter shown;
  shown.name = "zoom", shown.min = 1, shown.max = 32768, shown.model_only = true;
  shown.default_value = std::int64_t{120}, shown.unit = N_("cycles");
  shown.help = N_("Cycles in the enlarged timeline around the current one: from one to the whole run.");
  Parameter barrier;
  barrier.name = "barrier_every", barrier.max = kIterations, barrier.default_value = std::int64_t{0};
  barrier.unit = N_("iterations");
  barrier.help = N_("Iterations from one __syncthreads() to the next; 0 means none.");
  lab.parameters = {
      choices("warps", kWarps, 32,
              N_("Warps that are resident on the SM; warp w belongs to scheduler w % 4.")),
      choices("ilp", kIlps, 2, N_("Independent chains per warp: this many loads are in flight at once.")),
      choices("fma_per_load", kFmas, 8, N_("Dependent FMAs on each value that a load brings.")),
      barrier,
      latency,
      policy,
      program,
      shown,
  };
  for (Parameter& p : lab.parameters)
    if (p.name == "fma_per_load" || p.name == "barrier_every") p.only_with = {{"program", kOwnProgram}};
  lab.set_titles({{"warps", N_("resident warps")},
                  {"ilp", N_("chains per warp")},
                  {"fma_per_load", N_("FMAs per load")},
                  {"barrier_every", N_("barrier after every")},
                  {"latency", N_("load latency")},
                  {"policy", N_("policy")},
                  {"program", N_("program")},
                  {"zoom", N_("enlarged part")}});
  lab.set_choice_titles("policy", {{"greedy_youngest", N_("same, else youngest")},
                                   {"round_robin", N_("in turn")},
                                   {"greedy_oldest", N_("same, else oldest")}});
  lab.set_choice_titles("program", {{kOwnProgram, N_("the chains")}});
  lab.set_adds({{"chain", N_("loads, then FMAs")}});
  return lab;
}

std::vector<std::shared_ptr<const ExperimentPlan>> experiments() {
  auto clocks = std::make_shared<MeasurementPlan>();
  clocks->measurements = measurements;
  auto sm = std::make_shared<SmPlan>();
  sm->known = known, sm->rung_choice = "program", sm->known_of_played = known_of_played;
  sm->measured_cycles = "cycles";
  return {clocks, sm};
}

// What the model is fitted to, and settings beside them that no fit has seen.
std::vector<RecordedSetting> recorded_settings() {
  std::vector<RecordedSetting> all;
  const auto add = [&](std::int64_t warps, std::int64_t ilp, std::int64_t fma, std::int64_t barrier) {
    Params params{{"warps", warps}, {"ilp", ilp}, {"fma_per_load", fma}, {"barrier_every", barrier}};
    for (const RecordedSetting& known : all)
      if (known.params == params) return;
    all.push_back({"chain", std::move(params)});
  };
  for (const std::int64_t warps : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64})
    for (const std::int64_t ilp : {1, 2, 4})
      for (const std::int64_t fma : {0, 1, 2, 4, 8, 16, 32}) add(warps, ilp, fma, 0);
  std::mt19937 random(6);
  const auto one_of = [&](const std::vector<std::int64_t>& values) {
    return values[random() % values.size()];
  };
  while (all.size() < 210 + 80) {
    const std::int64_t warps = one_of(kWarps), ilp = one_of(kIlps), fma = one_of(kFmas);
    add(warps, ilp, fma, random() % 2 ? 0 : std::int64_t(1 + random() % 4));
  }
  return all;
}

}  // namespace

const Ladder& scheduler_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check;
    l.bytes = [](const Params& params, std::string_view) {
      return 128.0 * double(kIterations * warps_of(params) * int_param(params, "ilp"));
    };
    l.flops = [](const Params& params, std::string_view) {
      return 64.0 * double(kIterations * warps_of(params) * int_param(params, "ilp") *
                           int_param(params, "fma_per_load"));
    };
    l.experiments = experiments();
    l.compiled_params = {"ilp", "fma_per_load"};
    const auto at = [](std::int64_t warps, std::int64_t ilp, std::int64_t fma, std::int64_t barrier) {
      return Params{{"warps", warps}, {"ilp", ilp}, {"fma_per_load", fma}, {"barrier_every", barrier}};
    };
    l.validation_params = {{}, at(1, 1, 0, 0), at(3, 4, 6, 1), at(32, 4, 2, 3), at(48, 2, 1, 2)};
    l.recorded_params = recorded_settings();
    l.heaviest_params = at(64, 4, 32, 0);  // a timeline of more than 10^6 cells, all in view
    l.heaviest_params["zoom"] = std::int64_t{32768};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
