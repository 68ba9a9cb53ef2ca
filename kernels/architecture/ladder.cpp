// Blocks that note down where and when they ran, beside a model of the hardware that places them.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>

#include "app/devices/gpus.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/placement.hpp"
#include "kernels/architecture/sizes.hpp"

namespace lockstep {

namespace {

constexpr std::int64_t kMostBlocks = 2048, kMostThreads = 1024;
constexpr std::uint64_t kNotes = 4;  // words of a block: SM, warp slot, begin, end
constexpr const char* kAuto = "auto";

std::string n(std::int64_t x) { return std::to_string(x); }

std::string word_of(const Params& params, const char* name) {
  const auto at = params.find(name);
  const auto* word = at == params.end() ? nullptr : std::get_if<std::string>(&at->second);
  return word ? *word : "";
}

// --- the problem
// ---------------------------------------------------------------------------------------------

std::vector<BufferSpec> buffers(const Params& params, std::string_view) {
  const auto blocks = std::uint64_t(int_param(params, "blocks"));
  return {{"in", {lab::kInputs}, true},
          {"out", {blocks, std::uint64_t(int_param(params, "threads"))}},
          {"where", {blocks, kNotes}, false, "unsigned"}};
}

// a = b = 1, then small whole numbers: with them every sum is exact.
void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  for (int i = 0; i < lab::kInputs; ++i) in[i] = i < lab::kFirst ? 1.f : float(i % 7);
}

int skew_of(const Params& params) {
  const std::string word = word_of(params, "skew");
  if (word == "rising") return lab::kRising;
  if (word == "falling") return lab::kFalling;
  return word == "last" ? lab::kLastLong : lab::kEven;
}

std::int64_t turns(const Params& params, std::int64_t block) {
  const std::int64_t repeat = params.contains("repeat") ? int_param(params, "repeat") : 1;
  return lab::turns_of(skew_of(params), int(int_param(params, "work") * repeat), int(block),
                       int(int_param(params, "blocks")));
}

// As for_held in settings.cuh.
int held_of(const Params& params, std::string_view rung) {
  if (rung != "places" || int_param(params, "registers") <= 24) return 0;
  return int_param(params, "registers") <= 64 ? 48 : 110;
}

// Each thread ends with what it started from, its FMAs, and what it held: whole numbers, exact in fp32.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const auto* in = reinterpret_cast<const float*>(buffers[0].data());
  const auto* out = reinterpret_cast<const float*>(buffers[1].data());
  const std::int64_t blocks = int_param(params, "blocks"), threads = int_param(params, "threads");
  const int held = held_of(params, rung);
  std::vector<double> start;
  for (std::int64_t t = 0; t < threads; ++t) {
    const float* first = in + lab::kFirst + t;
    start.push_back(double(*first));
    for (int c = 0; c < held; ++c) start.back() += double(first[1 + c]);
  }
  Check result{true, 0, 0};
  for (std::int64_t b = 0; b < blocks; ++b) {
    const double fmas = double(turns(params, b)) * lab::kFmas;
    for (std::int64_t t = 0; t < threads; ++t)
      result.max_error = larger_error(result.max_error,
                                      std::abs(double(out[b * threads + t]) - start[std::size_t(t)] - fmas));
  }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

double bytes(const Params& params, std::string_view) {
  const double blocks = double(int_param(params, "blocks"));
  return 4.0 * (lab::kInputs + blocks * double(int_param(params, "threads")) + double(kNotes) * blocks);
}

// a, b, what a thread starts from and what it holds.
double asked_bytes(const Params& params, std::string_view rung) {
  return 4.0 * double(int_param(params, "blocks") * int_param(params, "threads")) *
         (3 + held_of(params, rung));
}

double flops(const Params& params, std::string_view) {
  double all = 0;
  for (std::int64_t b = 0; b < int_param(params, "blocks"); ++b) all += double(turns(params, b));
  return 2.0 * lab::kFmas * all * double(int_param(params, "threads"));
}

// --- what the blocks noted down
// ------------------------------------------------------------------------------

// Times since the first block began; the clock's low half wraps.
Placement noted(ConstBytes bytes) {
  const auto* where = reinterpret_cast<const std::uint32_t*>(bytes.data());
  const std::size_t blocks = bytes.size() / sizeof(std::uint32_t) / kNotes;
  const auto since = [&](std::size_t i, std::uint32_t origin) { return std::int32_t(where[i] - origin); };
  std::uint32_t origin = blocks ? where[2] : 0;
  for (std::size_t b = 1; b < blocks; ++b)
    if (since(kNotes * b + 2, origin) < 0) origin = where[kNotes * b + 2];
  Placement placement;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint32_t* note = where + kNotes * b;
    placement.blocks.push_back(
        {int(note[0]), int(note[1]), since(kNotes * b + 2, origin), since(kNotes * b + 3, origin)});
  }
  return placement;
}

double span_us(const Params&, std::span<const ConstBytes> buffers) {
  return double(figures_of(noted(buffers[2])).span_ns) / 1000;
}
std::string places(const Params&, std::span<const ConstBytes> buffers) {
  return placement_text(noted(buffers[2]));
}

std::vector<Measurement> measurements(std::string_view rung, const Params& params) {
  Params timed = params;
  timed["repeat"] = std::int64_t{lab::kRepeat};
  return {{"span_us", std::string(rung), timed, span_us, places}};
}

Metrics told_by(const Run& run) {
  const auto* measured = run.evidence.find<MeasuredEvidence>();
  if (!measured || !measured->figures.contains("span_us")) return {};
  const auto placement = read_placement(measured->figures.at("span_us").text.value_or(""));
  if (!placement) return {};
  const PlacementFigures f = figures_of(*placement);
  Metrics told{{"measured.first_wave", f.first_wave},
               {"measured.most_at_once", f.most_at_once},
               {"measured.most_on_one_sm", f.most_on_one_sm},
               {"measured.waves", f.waves},
               {"measured.sms", f.sms},
               {"measured.tail_us", double(f.tail_ns) / 1000},
               {"measured.busy", f.busy}};
  if (run.request.rung != "clusters") return told;
  const auto groups = groups_of(*placement, int(int_param(run.request.params, "cluster")));
  told["measured.groups"] = std::int64_t(groups.size());
  told["measured.groups_of_sms"] = groups_text(groups);
  return told;
}

// --- the model
// ---------------------------------------------------------------------------------------------

BlockNeeds needs_of(const Params& params, std::string_view rung) {
  return {int(int_param(params, "threads")), rung == "places" ? int(int_param(params, "registers")) : 24,
          int_param(params, "shared_bytes")};
}

const Gpu& gpu_of(const Params& params) {
  const Gpu* gpu = gpu_by_word(word_of(params, "device"));
  static const Gpu h200;
  return gpu ? *gpu : h200;
}

OccupancyAnswer answer(const Params& params, const LoadedKernel&) {
  const Gpu& gpu = gpu_of(params);
  const BlockNeeds needs = needs_of(params, params.contains("registers") ? "places" : "clusters");
  const ResidentBlocks r = resident_blocks(gpu, needs);
  return {{needs.threads, needs.registers, needs.shared_bytes, r.blocks, r.warps, r.fraction},
          next_blocks(next_by_threads(gpu, needs)),
          next_blocks(next_by_registers(gpu, needs)),
          next_blocks(next_by_shared(gpu, needs))};
}

// Which registers the compiler gives the FMA's operands decides what an FMA takes: of the kernel with 64 an
// H100 took 20.6 cycles for a turn, of the others 32.3 (assets/recordings/h100-80gb-hbm3).
double fma_issue(const Params& params) { return int_param(params, "registers") == 64 ? 1.1 : kFmaIssue; }

// Of clusters it knows nothing: which SMs are neighbours is not published.
std::optional<Placement> modelled(const Params& params, std::string_view rung, const Gpu& gpu) {
  if (rung != "places") return {};
  PlacementSetting setting{needs_of(params, rung), {}, turn_cost(gpu, lab::kFmas, fma_issue(params))};
  Params timed = params;
  timed["repeat"] = std::int64_t{lab::kRepeat};
  for (std::int64_t b = 0; b < int_param(params, "blocks"); ++b) setting.turns.push_back(turns(timed, b));
  return modelled_placement(gpu, setting);
}

// --- the table
// ---------------------------------------------------------------------------------------------

Status rule(std::string_view rung, const Params& params) {
  const std::int64_t threads = int_param(params, "threads"), bytes = int_param(params, "shared_bytes");
  const Gpu& gpu = gpu_of(params);
  if (bytes > gpu.shared_bytes_per_block)
    return bad_input(
        "shared_bytes = {0} is not possible on device = {1}: a block has at most {2} bytes of shared memory "
        "there",
        {n(bytes), gpu.word, n(gpu.shared_bytes_per_block)});
  if (rung == "places" && threads * int_param(params, "registers") > gpu.registers_per_sm)
    return bad_input(
        "threads = {0} is not possible with registers = {1}: an SM has {2} registers; at most {3}",
        {n(threads), n(int_param(params, "registers")), n(gpu.registers_per_sm),
         n(gpu.registers_per_sm / int_param(params, "registers"))});
  if (int_param(params, "sm") >= gpu.multiprocessors)
    return bad_input("sm = {0} is not possible on device = {1}: its SMs are 0 to {2}",
                     {n(int_param(params, "sm")), gpu.word, n(gpu.multiprocessors - 1)});
  return Unit{};
}

Parameter whole(const char* name, double min, double max, std::int64_t start, const char* unit,
                const char* help) {
  Parameter p;
  p.name = name, p.min = min, p.max = max, p.default_value = start, p.unit = unit, p.help = help;
  return p;
}

Parameter choice(const char* name, std::vector<std::string> words, const char* help) {
  Parameter p;
  p.name = name, p.type = "choice", p.default_value = words.front(), p.choices = std::move(words);
  p.help = help;
  return p;
}

Parameter number_choice(const char* name, std::vector<std::string> words, std::int64_t start,
                        const std::string& rung, const char* help) {
  Parameter p = choice(name, std::move(words), help);
  p.type = "int", p.min = std::stod(p.choices.front()), p.max = std::stod(p.choices.back());
  p.default_value = start, p.rungs = {rung};
  return p;
}

std::vector<std::string> devices() {
  std::vector<std::string> words{kAuto};
  for (const Gpu& gpu : known_gpus()) words.push_back(gpu.word);
  return words;
}

std::vector<Parameter> parameters() {
  std::int64_t most_shared = 0, most_sms = 0;
  for (const Gpu& gpu : known_gpus()) {
    most_shared = std::max(most_shared, gpu.shared_bytes_per_block);
    most_sms = std::max(most_sms, std::int64_t{gpu.multiprocessors});
  }
  Parameter blocks = whole("blocks", 1, double(kMostBlocks), 400, N_("blocks"), N_("Blocks of the grid."));
  blocks.rung_multiples = {{"clusters", 8}};
  // 1,024 take the emulator in a browser a second.
  Parameter threads = whole("threads", 32, double(kMostThreads), 128, "", N_("Threads per block."));
  threads.multiple = 32;
  Parameter device =
      choice("device", devices(), N_("The device that is drawn: the GPU of this run, or another one."));
  Parameter part = choice("part", {"chip", "gpc", "tpc", "sm", "sub_core"},
                          N_("The part that is drawn. The chip with an SM named is that SM."));
  Parameter sm = whole("sm", -1, double(most_sms - 1), -1, "", N_("The SM that is looked at; -1 is none."));
  Parameter way = choice("way", {"none", "memory", "l2", "array", "registers", "units"},
                         N_("A matrix product's bytes on their way from memory to the tensor cores: how far "
                            "they have come."));
  for (Parameter* p : {&device, &part, &sm, &way}) p->model_only = true;
  return {
      blocks,
      threads,
      number_choice("registers", {"24", "64", "128"}, 24, "places",
                    N_("Registers that each thread takes: the kernel is compiled for each.")),
      whole("shared_bytes", 0, double(most_shared), 0, N_("bytes"),
            N_("Dynamic shared memory per block: the kernel asks for it and does not use it.")),
      whole("work", 1, 64, 4, N_("units"),
            N_("Work per block, in units of 1,024 dependent FMAs per thread; the emulator, which takes no "
               "time, does 16 of them.")),
      choice("skew", {"even", "rising", "falling", "last"},
             N_("How the work is spread: alike, more to later blocks, more to earlier ones, or eight times "
                "as much to the last block.")),
      number_choice("cluster", {"2", "4", "8"}, 8, "clusters", N_("Blocks of a cluster.")),
      device,
      part,
      sm,
      way};
}

LabInfo info() {
  LabInfo lab{"architecture",
              N_("architecture"),
              N_("What is on the chip, and where does my block run?"),
              N_("The machine"),
              {},
              {},
              rule};
  lab.rungs = {
      {"places", N_("every block notes down its SM, its warp slot, its begin and its end"),
       "architecture/01_places.cuh"},
      {"clusters", N_("blocks in clusters: SMs that were seen in one cluster share a GPC"),
       "architecture/02_clusters.cuh", 90},
  };
  lab.parameters = parameters();
  lab.set_titles({{"blocks", N_("blocks")},
                  {"threads", N_("threads per block")},
                  {"registers", N_("registers per thread")},
                  {"shared_bytes", N_("shared per block")},
                  {"work", N_("work per block")},
                  {"skew", N_("spread of the work")},
                  {"cluster", N_("blocks per cluster")},
                  {"device", N_("GPU")},
                  {"part", N_("shown part")},
                  {"sm", N_("SM")},
                  {"way", N_("a product's bytes")}});
  lab.set_choice_titles("device", {{kAuto, N_("of this run")}});
  lab.set_choice_titles("skew", {{"even", N_("all alike")},
                                 {"rising", N_("later blocks longer")},
                                 {"falling", N_("earlier blocks longer")},
                                 {"last", N_("last block 8 times")}});
  lab.set_choice_titles("part", {{"chip", N_("the chip")},
                                 {"gpc", N_("a GPC")},
                                 {"tpc", N_("a TPC")},
                                 {"sm", N_("an SM")},
                                 {"sub_core", N_("a sub-core")}});
  lab.set_choice_titles("way", {{"none", N_("not shown")},
                                {"memory", N_("in memory")},
                                {"l2", N_("in the L2")},
                                {"array", N_("in shared memory")},
                                {"registers", N_("in registers")},
                                {"units", N_("in the tensor cores")}});
  lab.set_adds({{"places", N_("blocks note their place")}, {"clusters", N_("+ clusters: one GPC each")}});
  return lab;
}

std::vector<std::shared_ptr<const ExperimentPlan>> experiments() {
  auto clocks = std::make_shared<MeasurementPlan>();
  clocks->measurements = measurements, clocks->derived = told_by;
  auto occupancy = std::make_shared<OccupancyPlan>();
  occupancy->answer = answer;
  auto placement = std::make_shared<PlacementPlan>();
  placement->modelled = modelled, placement->measured = "span_us";
  placement->groups_rung = "clusters", placement->groups = "groups_of_sms";
  return {clocks, occupancy, placement};
}

std::vector<RecordedSetting> recorded() {
  std::vector<RecordedSetting> all;
  const auto add = [&](const char* rung, Params params) { all.push_back({rung, std::move(params)}); };
  const auto places = [&](std::int64_t blocks, std::int64_t threads, Params with = {}) {
    with["blocks"] = blocks, with["threads"] = threads;
    add("places", std::move(with));
  };
  for (const std::int64_t blocks : {1, 2, 66, 132, 133, 264, 265, 396, 400, 528, 529, 1056, 2000})
    places(blocks, 1024);
  for (const std::int64_t threads : {32, 128, 512}) places(400, threads), places(2000, threads);
  places(2000, 256);
  for (const char* skew : {"rising", "falling", "last"})
    for (const std::int64_t blocks : {400, 2000}) places(blocks, 1024, {{"skew", std::string(skew)}});
  for (const std::int64_t work : {1, 16}) places(400, 1024, {{"work", work}});
  places(400, 1024, {{"registers", std::int64_t{64}}});
  for (const std::int64_t registers : {64, 128})
    for (const std::int64_t blocks : {400, 2000}) places(blocks, 256, {{"registers", registers}});
  for (const std::int64_t bytes : {32768, 65536, 115712, 232448})
    places(1000, 256, {{"shared_bytes", bytes}});
  for (const std::int64_t cluster : {2, 4, 8})
    for (const std::int64_t blocks : {400, 2000})
      add("clusters", {{"cluster", cluster}, {"blocks", blocks}, {"threads", std::int64_t{1024}}});
  return all;
}

}  // namespace

const Ladder& architecture_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.bytes = bytes, l.flops = flops;
    l.asked_bytes = asked_bytes;
    l.experiments = experiments();
    l.compiled_params = {"registers", "cluster"};
    // Its blocks read the same bytes: an SM brings them once, the model once for every block.
    l.l1_errors = {{"places", 2.1}, {"clusters", 2.3}};
    const auto at = [](std::int64_t blocks, std::int64_t threads, std::int64_t bytes, const char* skew) {
      return Params{
          {"blocks", blocks}, {"threads", threads}, {"shared_bytes", bytes}, {"skew", std::string(skew)}};
    };
    l.validation_params = {{},
                           at(400, 1024, 0, "even"),
                           at(1, 32, 0, "even"),
                           at(33, 96, 100, "rising"),
                           at(136, 256, 232448, "falling"),
                           at(40, 1024, 0, "last")};
    l.recorded_params = recorded();
    l.heaviest_params = {{"blocks", kMostBlocks}, {"threads", std::int64_t{32}}};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
