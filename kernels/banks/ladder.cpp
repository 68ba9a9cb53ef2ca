// One warp's access to shared memory, its lanes at places that the parameters choose.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "app/model/layout.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kChainWords = 3 * 32;  // the fourth chain stands three rows further on
constexpr int kThroughputWarps = 32, kThroughputChains = 4, kRounds = 256;

std::int64_t setting(const Params& params, const char* name, std::int64_t otherwise) {
  return params.contains(name) ? int_param(params, name) : otherwise;
}
std::string word_setting(const Params& params, const char* name, const char* otherwise) {
  return params.contains(name) ? std::get<std::string>(params.at(name)) : otherwise;
}
bool stores(const Params& params) { return word_setting(params, "pattern", "load") == "store"; }
std::int64_t element_words(const Params& params) { return setting(params, "width", 4) / 4; }

Result<Layout> layout_of(const Params& params) {
  const std::int64_t words = element_words(params);
  return evaluate_layout(word_setting(params, "formula", "row * pitch + col"), setting(params, "pitch", 32),
                         setting(params, "mask", 31), setting(params, "shift", 0),
                         (kLayoutBytes / 4 - kChainWords) / words);
}

using Words = std::array<std::int64_t, kWarpSize>;

// The word that each lane goes to, by the definition of the rung: nothing is taken from the kernels.
Words words_of(std::string_view rung, const Params& p) {
  Words words{};
  const std::int64_t column = setting(p, "column", 0), wide = element_words(p);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    std::int64_t& word = words[std::size_t(lane)];
    if (rung == "strided") word = setting(p, "offset", 0) + lane * setting(p, "stride", 1);
    if (rung == "column" || rung == "vector") word = lane * setting(p, "pitch", 32) + column;
    if (rung == "padded") word = lane * 33 + column;
    if (rung == "swizzled") word = lane * 32 + (column ^ lane);
    if (rung == "broadcast") word = lane / setting(p, "divide", 1) % setting(p, "modulo", 32) * wide;
  }
  return words;
}

// By the typed layout.
Words words_of_layout(const Layout& layout, const Params& p) {
  Words words{};
  const int column = int(setting(p, "column", 0));
  const bool down = word_setting(p, "access", "column") == "column";
  for (int lane = 0; lane < kWarpSize; ++lane)
    words[std::size_t(lane)] = element_words(p) * (down ? layout.at(lane, column) : layout.at(column, lane));
  return words;
}

std::uint64_t threads(const Params& params) { return 32 * std::uint64_t(setting(params, "warps", 1)); }

std::vector<BufferSpec> buffers(const Params& params, std::string_view) {
  const std::uint64_t warps = threads(params) / 32;
  std::vector<BufferSpec> specs{{"out", {warps, 32}, false, "int"}, {"clocks", {warps, 2}, false, "int"}};
  if (params.contains("formula")) specs.push_back({"map", {33}, true, "int"});
  return specs;
}

void fill(const Params& params, std::string_view, std::span<const Bytes> buffers) {
  if (buffers.size() < 3) return;
  auto* map = reinterpret_cast<std::int32_t*>(buffers[2].data());
  const auto layout = layout_of(params);
  const Words words = layout ? words_of_layout(*layout, params) : Words{};
  std::copy(words.begin(), words.end(), map);
  map[kWarpSize] = std::int32_t((layout ? layout->places : 0) * element_words(params));
}

// Each lane ends at the element that it started from, and has summed the other words of every load; a store
// has added 1 to what stands there.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  Words words = words_of(rung, params);
  if (rung == "layout") {  // the map is the problem
    const auto* map = reinterpret_cast<const std::int32_t*>(buffers[2].data());
    std::copy(map, map + kWarpSize, words.begin());
  }
  const std::int64_t chains = setting(params, "chains", 1);
  const auto* out = reinterpret_cast<const std::int32_t*>(buffers[0].data());
  Check result{true, 0, 0};
  for (std::size_t t = 0; t < threads(params); ++t) {
    std::int64_t want = 0;
    for (std::int64_t c = 0; c < chains; ++c) {
      const std::int64_t index = (words[t % 32] + 32 * c) / element_words(params);
      want += stores(params) ? index + 1
                             : index * (1 + setting(params, "repeat", 1) * (element_words(params) - 1));
    }
    result.max_error = std::max(result.max_error, std::abs(double(out[t]) - double(want)));
  }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// --- what the kernel's own clock says ----------------------------------------------------------------------

// Cycles per access: from the first warp's start to the last warp's end.
double cycles_per_access(const Params& params, std::span<const ConstBytes> buffers) {
  const auto* clocks = reinterpret_cast<const std::uint32_t*>(buffers[1].data());
  const std::int64_t warps = setting(params, "warps", 1);
  std::uint32_t longest = 0;
  for (std::int64_t a = 0; a < warps; ++a)
    for (std::int64_t b = 0; b < warps; ++b) {
      const auto span = std::uint32_t(clocks[2 * b + 1] - clocks[2 * a]);  // the counter wraps
      if (std::int32_t(span) > std::int32_t(longest)) longest = span;
    }
  return double(longest) / double(warps * setting(params, "chains", 1) * setting(params, "repeat", 1));
}

Params repeated(Params params, int warps, int chains) {
  params["warps"] = std::int64_t{warps}, params["chains"] = std::int64_t{chains};
  params["repeat"] = std::int64_t{kRounds};
  return params;
}

// The access itself and, in the same run, contiguous elements of the same width: both sides of every ratio.
std::vector<Measurement> measurements(std::string_view rung, const Params& params) {
  Params free{{"width", setting(params, "width", 4)}, {"stride", element_words(params)}};
  free["pattern"] = word_setting(params, "pattern", "load");
  std::vector<Measurement> all;
  const auto add = [&](const char* name, std::string_view of, const Params& at, int warps, int chains) {
    all.push_back({name, std::string(of), repeated(at, warps, chains), cycles_per_access});
  };
  if (!stores(params)) add("chain_cycles", rung, params, 1, 1);
  add("throughput_cycles", rung, params, kThroughputWarps, kThroughputChains);
  if (!stores(params)) add("conflict_free_chain_cycles", "strided", free, 1, 1);
  add("conflict_free_throughput_cycles", "strided", free, kThroughputWarps, kThroughputChains);
  return all;
}

std::shared_ptr<const ExperimentPlan> measurement_plan() {
  auto plan = std::make_shared<MeasurementPlan>();
  plan->measurements = measurements, plan->unit = "cycles per access";
  plan->columns = {{"wavefronts", "wavefronts_per_instruction"},
                   {"fewest", "fewest_wavefronts"},
                   {"cycles, chain", "measured.chain_cycles"},
                   {"conflict-free", "measured.conflict_free_chain_cycles"},
                   {"cycles, full load", "measured.throughput_cycles"},
                   {"conflict-free", "measured.conflict_free_throughput_cycles"}};
  return plan;
}

// The repeated access of a run: the warp's first one behind the barrier.
std::optional<WarpInstruction> access_of(const Run& run) {
  if (run.launches.empty()) return {};
  const Kind kind = stores(run.request.params) ? Kind::store : Kind::load;
  for (const WarpInstruction& i : canonical_instructions(run.launches[0].trace))
    if (i.interval == 1 && i.view >= kFirstSharedView && i.kind == kind) return i;
  return {};
}

Metrics figures(const Run& run) {
  const auto i = access_of(run);
  if (!i) return {};
  const bool store = i->kind == Kind::store;
  return {
      {"wavefronts_per_instruction", std::int64_t(shared_wavefronts(i->lanes, i->offset, i->width, store))},
      {"fewest_wavefronts", std::int64_t(fewest_wavefronts(i->lanes, i->width, store))},
      {"map", bank_map_text(i->lanes, i->offset, i->width, store)}};
}

// --- the table ---------------------------------------------------------------------------------------------

Status rule(std::string_view rung, const Params& params) {
  if (rung != "layout") return Unit{};
  const auto layout = layout_of(params);
  if (!layout) return layout.error();
  return Unit{};
}

Parameter whole(const char* name, double min, double max, std::int64_t start, const char* unit,
                std::vector<std::string> rungs, const char* help) {
  Parameter p;
  p.name = name, p.min = min, p.max = max, p.default_value = start, p.unit = unit, p.rungs = std::move(rungs);
  p.help = help;
  return p;
}

Parameter choice(const char* name, std::vector<std::string> words, std::vector<std::string> rungs,
                 const char* help) {
  Parameter p;
  p.name = name, p.type = "choice", p.default_value = words.front(), p.choices = std::move(words);
  p.rungs = std::move(rungs), p.help = help;
  return p;
}

std::vector<Parameter> parameters() {
  Parameter width = whole("width", 4, 16, 4, N_("bytes"), {"strided", "vector", "broadcast", "layout"},
                          N_("Bytes that each lane reads or writes at once."));
  width.choices = {"4", "8", "16"}, width.multiple = 4;
  width.rung_defaults["vector"] = std::int64_t{16};
  Parameter stride = whole("stride", 0, 64, 2, N_("words"), {"strided"},
                           N_("Words of 4 bytes from lane to lane; a multiple of the words per access."));
  Parameter offset = whole("offset", 0, 64, 0, N_("words"), {"strided"},
                           N_("The word that lane 0 goes to; a multiple of the words per access."));
  Parameter pitch = whole("pitch", 1, 64, 32, N_("words"), {"column", "vector", "layout"},
                          N_("Words from one row of the tile to the next."));
  Parameter column = whole("column", 0, 31, 5, "", {"column", "padded", "swizzled", "vector", "layout"},
                           N_("The column of the tile that the warp goes down."));
  for (Parameter* p : {&stride, &offset, &pitch, &column}) p->multiple_of = "width";
  column.rung_defaults["vector"] = std::int64_t{4};
  Parameter formula;
  formula.name = "formula", formula.type = "text", formula.rungs = {"layout"};
  formula.default_value = std::string("row * pitch + (col ^ ((row >> shift) & mask))");
  formula.help =
      N_("Where element (row, col) stands, in elements: row, col, pitch, mask, shift, and C's operators.");
  return {
      stride,
      width,
      offset,
      pitch,
      column,
      whole("divide", 1, 32, 2, "", {"broadcast"}, N_("How many neighbouring lanes share an element.")),
      whole("modulo", 1, 32, 32, "", {"broadcast"}, N_("After this many elements the lanes start over.")),
      formula,
      whole("mask", 0, 31, 31, "", {"layout"}, N_("For the formula: which bits of the row are XORed in.")),
      whole("shift", 0, 4, 0, "", {"layout"}, N_("For the formula: how far the row is shifted first.")),
      choice("access", {"column", "row"}, {"layout"}, N_("Do the lanes go down a column or along a row?")),
      choice("pattern", {"load", "store"}, {"strided", "column", "padded", "swizzled", "vector", "layout"},
             N_("Does the repeated access read or write?"))};
}

LabInfo info() {
  LabInfo lab{"banks", N_("banks"), N_("Which lanes collide, and what does it cost?"), N_("Moving bytes"), {},
              {},      rule};
  lab.rungs = {
      {"strided", N_("lane i goes to word offset + i * stride"), "banks/01_strided.cuh"},
      {"column", N_("down a column of a tile: at pitch 32, one bank for all lanes"), "banks/02_column.cuh"},
      {"padded", N_("rows of 33 words: a column is 32 banks"), "banks/03_padded.cuh"},
      {"swizzled", N_("XOR the column with the row: all 32 banks, and no word wasted"),
       "banks/04_swizzled.cuh"},
      {"vector", N_("8 or 16 bytes per lane: groups of lanes, and other pitches"), "banks/05_vector.cuh"},
      {"broadcast", N_("lanes that want the same word share one wavefront"), "banks/06_broadcast.cuh"},
      {"layout", N_("a layout of your own, typed as a formula"), "banks/07_layout.cuh"},
  };
  lab.parameters = parameters();
  lab.set_titles({{"stride", N_("stride")},
                  {"width", N_("bytes per lane")},
                  {"offset", N_("offset")},
                  {"pitch", N_("row pitch")},
                  {"column", N_("column")},
                  {"divide", N_("lanes per element")},
                  {"modulo", N_("elements in all")},
                  {"formula", N_("formula")},
                  {"mask", N_("XOR mask")},
                  {"shift", N_("row shift")},
                  {"access", N_("lanes go")},
                  {"pattern", N_("access")}});
  lab.set_choice_titles("pattern", {{"load", N_("read")}, {"store", N_("write")}});
  lab.set_choice_titles("access", {{"column", N_("down a column")}, {"row", N_("along a row")}});
  lab.set_adds({{"strided", N_("stride from lane to lane")},
                {"column", N_("down a column")},
                {"padded", N_("+ one column per row")},
                {"swizzled", N_("XOR instead of padding")},
                {"vector", N_("+ 16 bytes per lane")},
                {"broadcast", N_("lanes share a word")},
                {"layout", N_("your own formula")}});
  return lab;
}

}  // namespace

const Ladder& banks_ladder() {
  const auto with = [](std::initializer_list<std::pair<const char*, Value>> given) {
    Params params;
    for (const auto& [name, value] : given) params[name] = value;
    return params;
  };
  const auto i = [](std::int64_t x) { return Value{x}; };
  static const Ladder ladder = [&] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check;
    l.bytes = [](const Params& params, std::string_view) {
      return 32.0 * double(setting(params, "width", 4));
    };
    l.flops = [](const Params&, std::string_view) { return 0.0; };
    l.figures = figures, l.experiments = {measurement_plan()};
    l.validation_params = {
        {},
        with({{"stride", i(1)}, {"column", i(0)}, {"modulo", i(1)}}),
        with({{"stride", i(32)}, {"column", i(16)}, {"pitch", i(36)}, {"pattern", std::string("store")}}),
        with({{"stride", i(12)}, {"width", i(8)}, {"pitch", i(34)}, {"column", i(8)}, {"divide", i(4)}}),
        with({{"stride", i(8)},
              {"width", i(16)},
              {"offset", i(4)},
              {"pitch", i(32)},
              {"column", i(28)},
              {"modulo", i(8)},
              {"access", std::string("row")}}),
        with({{"stride", i(33)}, {"pitch", i(33)}, {"divide", i(1)}, {"modulo", i(16)}, {"mask", i(0)}}),
        with({{"stride", i(4)},
              {"width", i(16)},
              {"pitch", i(36)},
              {"column", i(4)},
              {"modulo", i(4)},
              {"pattern", std::string("store")}})};
    for (std::int64_t stride = 0; stride <= 64; ++stride)
      l.recorded_params.push_back({"strided", {{"stride", stride}}});
    for (std::int64_t pitch = 1; pitch <= 64; ++pitch)
      l.recorded_params.push_back({"column", {{"pitch", pitch}}});
    for (std::int64_t pitch = 4; pitch <= 64; pitch += 4)
      l.recorded_params.push_back({"vector", {{"pitch", pitch}}});
    for (std::int64_t wide : {8, 16})
      for (std::int64_t stride = wide / 4; stride <= 64; stride += wide / 4)
        l.recorded_params.push_back({"strided", {{"stride", stride}, {"width", wide}}});
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
