// O = softmax(Q K^T / sqrt(d)) V for each head, with or without a causal mask. q, k, v: heads x seq rows of d
// elements of dtype; o the same in fp32; l: the natural logarithm of each row's sum of exponentials.
// `fp8`: e4m3 in. `backward`: the gradients dq, dk, dv of the sum of do o in fp32, for do of dtype, and d,
// the sum of do o along each row.
#include "kernels/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "app/model/e4m3.hpp"
#include "app/model/portable.hpp"
#include "kernels/attention/reference.hpp"
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/attention/traffic.hpp"
#include "kernels/attention/turned.hpp"
#include "kernels/experiments.hpp"

namespace lockstep {
namespace {

const std::vector<std::string> kTensorRungs{"flash2_mma", "flash3", "pingpong",
                                            "causal",     "fp8",    "backward_wgmma"};
// Of compute capability 9.0: tiles come by the copy engine, warpgroups multiply.
const std::vector<std::string> kBoxedRungs{"flash3", "pingpong", "causal", "fp8", "backward_wgmma"};

bool among(const std::vector<std::string>& rungs, std::string_view rung) {
  return std::find(rungs.begin(), rungs.end(), rung) != rungs.end();
}

constexpr int kMaxSeq = 32768,
              kMaxHeads = 64;  // 1 GiB a matrix at head dimension 128; offsets stay below 2^32
constexpr std::int64_t kMostMatrixBytes = (std::int64_t{1} << 32) - 1;  // an event's offset has 32 bits

// Above this many products a check samples rows of O (every element is still checked to be a number).
constexpr double kCheckedProducts = 1 << 27;
constexpr int kSampledRows = 64;
// The same for rows of gradients, which take more work each.
constexpr double kCheckedGradients = 1 << 24;

// --- the problem -------------------------------------------------------------------------------------------

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const AttentionProblem s(params, rung);
  const auto in = [&](const char* name) {
    return BufferSpec{name, {s.rows(), s.d}, true, s.dtype, s.element_bytes()};
  };
  std::vector<BufferSpec> all{in("q"), in("k"), in("v"), {"o", {s.rows(), s.d}}, {"l", {s.rows()}}};
  if (rung == "standard") {
    all.push_back({"s", {s.rows(), s.seq}});
    all.push_back({"p", {s.rows(), s.seq}, false, s.dtype, s.element_bytes()});
  }
  if (rung == "flash1") {
    all.push_back({"m", {s.rows()}});
    all.push_back({"sum", {s.rows()}});
  }
  if (rung == kByteRung)
    all.push_back({"turned",
                   {s.heads * s.d, std::size_t(lab::turned_keys(int(s.seq)))},
                   false,
                   s.dtype,
                   s.element_bytes()});
  if (is_backward(rung)) {
    all.push_back(in("do"));
    for (const char* name : {"dq", "dk", "dv"}) all.push_back({name, {s.rows(), s.d}});
    all.push_back({"d", {s.rows()}});
  }
  return all;
}

// A number that the wider three types hold exactly: 7 bits of significand, exponents that half has. e4m3 gets
// the nearest one that it has, 448 at most.
void put(std::uint8_t* to, Numbers numbers, float x) {
  if (numbers == Numbers::e4m3) {
    *to = nearest_e4m3(double(x));
    return;
  }
  const auto bits = bit_cast<std::uint32_t>(x);
  std::uint16_t narrow = std::uint16_t(bits >> 16);  // bf16: the upper half
  if (numbers == Numbers::half)
    narrow = std::uint16_t((bits >> 16 & 0x8000) |
                           (x == 0 ? 0 : ((bits >> 23 & 0xff) - 112) << 10 | (bits >> 13 & 0x3ff)));
  if (numbers == Numbers::fp32)
    std::memcpy(to, &bits, 4);
  else
    std::memcpy(to, &narrow, 2);
}

// Multiples of 1/128 in [-1, 1), exact in every dtype. `equal`: all scores are the same. `huge`: the key in
// the middle of each head is 1024 times as long, so that its scores dwarf the others and the maximum moves
// when its tile comes.
void fill(const Params& params, std::string_view rung, std::span<const Bytes> buffers) {
  const AttentionProblem s(params, rung);
  const std::string input = std::get<std::string>(params.at("input"));
  std::mt19937 random(20261121);
  std::vector<std::size_t> inputs{0, 1, 2};
  if (is_backward(rung)) inputs.push_back(5);
  for (const std::size_t matrix : inputs)
    for (std::size_t i = 0; i < s.rows() * s.d; ++i) {
      float x = float(int(random() >> 24) - 128) / 128;
      if (input == "equal" && matrix < 2) x = 0.5f;
      if (input == "huge" && matrix == 1 && i / s.d % s.seq == s.seq / 2) x *= 1024;
      put(buffers[matrix].data() + i * s.element_bytes(), s.numbers, x);
    }
}

// Inputs are exact. What is left: the rounding of the scores in fp32, which is proportional to their size and
// goes through the exponential as a relative error of p and an absolute one of l; and that of the sums, which
// grows with their length and is rounded once more where tensor cores add up. A P that is handed on in dtype
// is rounded too, to the half of its last place: of 8 bits in bf16, of 11 in half.
double tolerance(const AttentionProblem& s, std::string_view rung) {
  if (s.numbers == Numbers::e4m3) return kShortSums;
  const bool tensor_cores = among(kTensorRungs, rung);
  const bool narrow_p = (rung == "standard" && s.dtype != "float") || tensor_cores;
  const double rounded_p = !narrow_p ? 0 : s.dtype == "bf16" ? 0x1p-8 : 0x1p-11;
  return rounded_p + (tensor_cores ? 4e-6 : 1e-6) * std::max(1.0, double(s.seq) / 1024);
}

Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const AttentionProblem s(params, rung);
  Check result{true, 0, tolerance(s, rung)};
  const auto add = [&](double error) { result.max_error = larger_error(result.max_error, error); };
  const auto* o = reinterpret_cast<const float*>(buffers[3].data());
  const auto* l = reinterpret_cast<const float*>(buffers[4].data());
  const double products = double(s.heads) * s.pairs() * double(s.d);
  const bool all = products <= kCheckedProducts;
  const InputRows inputs(s, buffers, all, rung);
  std::vector<ReferenceRow> rows;  // of all that are checked
  const auto check_row = [&](std::size_t row) {
    const ReferenceRow& want = rows.emplace_back(reference_row(s, inputs, row));
    add(std::abs(l[row] - want.l) / (1 + want.score_size));
    for (std::size_t p = 0; p < s.d; ++p) {
      const double error =  // no number stays none
          std::max(std::abs(o[row * s.d + p] - want.o[p]) - want.either[p], 0.0);
      add(error / (want.size[p] + kNothing) / (1 + want.score_size));
    }
  };
  if (all) {
    for (std::size_t row = 0; row < s.rows(); ++row) check_row(row);
  } else {
    check_all_finite(buffers, 3, 5, add);
    std::mt19937 random(7);
    for (int i = 0; i < kSampledRows; ++i) check_row(random() % s.rows());
  }
  if (is_backward(rung)) check_gradients(s, buffers, inputs, rows, all && products <= kCheckedGradients, add);
  result.pass = result.max_error <= result.tolerance;
  return result;
}

double bytes(const Params& params, std::string_view rung) {
  const AttentionProblem s(params, rung);
  if (is_backward(rung))  // q, k, v, do; o, dq, dk, dv; l and d
    return double(s.rows() * s.d) * (4 * s.element_bytes() + 16) + double(s.rows()) * 8;
  return double(s.rows() * s.d) * (3 * s.element_bytes() + 4) + double(s.rows()) * 4;
}

// Two products of 2 d operations for each pair of a row and a column that it sees; the gradients take five
// more: the scores again, dp, dv, dk and dq.
double flops(const Params& params, std::string_view rung) {
  const AttentionProblem s(params, rung);
  return (is_backward(rung) ? 14 : 4) * double(s.heads) * s.pairs() * double(s.d);
}

double asked_bytes(const Params& params, std::string_view rung) {
  const AttentionProblem s(params, rung);
  return attention_load_bytes(
      rung, {std::int64_t(s.seq), std::int64_t(s.d), std::int64_t(s.heads), int_param(params, "tile_q"),
             int_param(params, "tile_k"), std::int64_t(s.element_bytes()), s.causal});
}

// --- what goes together ------------------------------------------------------------------------------------

// Bytes of shared memory of a block; 0 for rungs that ask for none beyond their declarations.
int shared_bytes(std::string_view rung, int tile_q, int tile_k, int d) {
  if (rung == "flash1") return lab::flash1_shared(tile_k, d);
  if (rung == "flash2") return lab::flash2_shared(tile_q, d);
  if (rung == "flash2_mma") return lab::mma_shared(tile_q, tile_k, d);
  if (rung == "backward_wgmma") return lab::boxed_backward_shared(d);
  if (rung == kByteRung) return lab::kByteBoxes;
  if (among(kBoxedRungs, rung)) return lab::boxed_shared(tile_q, tile_k, d);
  if (rung == "backward") return lab::backward_shared(tile_q, tile_k, d);
  return 0;
}

Status fits_shared(std::string_view rung, const Params& params);
Status fits_memory(std::string_view rung, const Params& params) {
  if (rung != "standard") return Unit{};
  const std::int64_t seq = int_param(params, "seq"), heads = int_param(params, "heads");
  const auto matrix = [&](std::int64_t n) { return n * n * heads * 4; };
  if (matrix(seq) <= kMostMatrixBytes) return Unit{};
  const auto longest = std::int64_t(std::sqrt(double(kMostMatrixBytes) / double(4 * heads)));
  return bad_input(
      "seq = {0} with heads = {1} is too long for standard: its matrix of scores takes {2} bytes, {3} are "
      "possible; "
      "with these heads seq goes to {4}, and the rungs that keep no scores go on",
      {std::to_string(seq), std::to_string(heads), std::to_string(matrix(seq)),
       std::to_string(kMostMatrixBytes), std::to_string(longest)});
}

Status rule(std::string_view rung, const Params& params) {
  if (Status fits = fits_memory(rung, params); !fits) return fits;
  return fits_shared(rung, params);
}

Params tiles(std::int64_t tile_q, std::int64_t tile_k) { return {{"tile_q", tile_q}, {"tile_k", tile_k}}; }

// Of a rung whose tiles come in boxes of 64 columns: 128 rows of Q, 64 for each of two warpgroups.
Params boxed_tiles(std::int64_t tile_k, std::int64_t head_dim) {
  Params set = tiles(128, tile_k);
  set["head_dim"] = head_dim, set["dtype"] = std::string("bf16");
  return set;
}

// One whose numbers have 8 bits: it has no other type.
Params byte_tiles(std::int64_t head_dim) {
  Params set = boxed_tiles(128, head_dim);
  set.erase("dtype");
  return set;
}

Parameter whole(const char* name, double min, double max, std::int64_t start, const char* help) {
  Parameter p;
  p.name = name, p.min = min, p.max = max, p.default_value = start, p.help = help;
  return p;
}
Parameter sizes(const char* name, std::vector<std::string> choices, std::int64_t start, const char* help) {
  Parameter p = whole(name, std::stod(choices.front()), std::stod(choices.back()), start, help);
  p.choices = std::move(choices);
  return p;
}
Parameter words(const char* name, std::vector<std::string> choices, const char* help) {
  Parameter p;
  p.name = name, p.type = "choice", p.default_value = choices.front(), p.choices = std::move(choices),
  p.help = help;
  return p;
}

LabInfo info() {
  LabInfo lab{
      "attention", N_("attention"), N_("Why does FlashAttention move so much less?"), N_("Attention"), {}, {},
      rule};
  lab.rungs = {
      {"standard", N_("the formula in three launches: all scores go to HBM and come back"),
       "attention/01_standard.cuh"},
      {"flash1", N_("scores stay on chip; K and V outside: O is rescaled in HBM for every tile"),
       "attention/02_flash1.cuh"},
      {"flash2", N_("Q outside, K and V inside; rows shared out among warps; one division at the end"),
       "attention/03_flash2.cuh"},
      {"flash2_mma", N_("tensor cores: scores become the second product's operand in their registers"),
       "attention/04_flash2_mma.cuh", 80},
      {"flash3", N_("TMA brings the tiles, warpgroups multiply, weights stay where they were made"),
       "attention/06_flash3.cuh", 90},
      {"pingpong", N_("two groups take turns on the tensor cores: softmax beside the products"),
       "attention/07_pingpong.cuh", 90},
      {"causal", N_("with a mask blocks differ: the longest of all heads go out first"),
       "attention/08_causal.cuh", 90},
      {"fp8", N_("8 bits per number: products take half the time, and V is transposed before"),
       "attention/10_fp8.cuh", 90},
      {"backward", N_("gradients of Q, K and V: no score was kept, each tile is computed once more"),
       "attention/05_backward.cuh"},
      {"backward_wgmma", N_("gradients with flash3's means: P and dS never leave their registers"),
       "attention/09_backward_wgmma.cuh", 90},
  };
  lab.parameters = {
      whole("seq", 1, kMaxSeq, 64, N_("Rows of Q, K and V in each head: the sequence length N.")),
      sizes("head_dim", {"32", "64", "128"}, 32, N_("Columns of Q, K and V: the head dimension d.")),
      whole("heads", 1, kMaxHeads, 1, N_("Independent heads (heads × batch).")),
      words("causal", {"no", "yes"}, N_("Does a row see only the columns up to its own?")),
      words("dtype", {"float", "bf16", "half"}, N_("The type of Q, K and V; sums are fp32.")),
      sizes("tile_q", {"16", "32", "64", "128"}, 32, N_("Rows of Q per tile.")),
      sizes("tile_k", {"32", "64", "128", "256"}, 32, N_("Rows of K and V per tile.")),
      words("input", {"random", "equal", "huge"},
            N_("random numbers; all scores the same; one key so long that the maximum jumps."))};
  lab.sets["standard"] = {tiles(32, 32)};
  lab.sets["flash1"] = {tiles(32, 32), tiles(32, 64), tiles(32, 128), tiles(32, 256)};
  lab.sets["flash2"] = {tiles(32, 32), tiles(16, 32), tiles(64, 32)};
  lab.sets["backward"] = {tiles(32, 32), tiles(64, 32)};
  for (const auto& tile : {tiles(32, 32), tiles(64, 64), tiles(128, 64)})
    for (const char* dtype : {"bf16", "half"}) {
      lab.sets["flash2_mma"].push_back(tile);
      lab.sets["flash2_mma"].back()["dtype"] = std::string(dtype);
    }
  for (const std::string& rung : kBoxedRungs) {  // several blocks, several tiles in the loop
    lab.sets[rung] = {boxed_tiles(64, 64), boxed_tiles(128, 64), boxed_tiles(64, 128), boxed_tiles(128, 128)};
    lab.parameters[0].rung_defaults[rung] = std::int64_t{192};
  }
  lab.parameters[0].rung_defaults["backward"] = std::int64_t{32};  // 64 take a browser's emulator 0.6 s
  lab.sets["fp8"] = {byte_tiles(64), byte_tiles(128)};
  for (const RungInfo& rung : lab.rungs)  // in fp8 all inputs are e4m3
    if (rung.slug != kByteRung) lab.parameters[4].rungs.push_back(rung.slug);
  lab.sets["backward_wgmma"] = {boxed_tiles(128, 64), boxed_tiles(128, 128)};
  lab.parameters[0].rung_defaults["backward_wgmma"] = std::int64_t{128};  // a tile, in two halves
  for (Params& set : lab.sets["causal"]) set["causal"] = std::string("yes");
  lab.set_titles({{"seq", N_("sequence length")},
                  {"head_dim", N_("head size")},
                  {"heads", N_("heads")},
                  {"causal", N_("causal mask")},
                  {"dtype", N_("number type")},
                  {"tile_q", N_("query rows per tile")},
                  {"tile_k", N_("key rows per tile")},
                  {"input", N_("scores")}});
  lab.set_choice_titles("dtype", {{"float", N_("fp32")}, {"half", N_("fp16")}});
  lab.set_choice_titles("causal", {{"no", N_("off")}, {"yes", N_("on")}});
  lab.set_choice_titles("input",
                        {{"random", N_("random")}, {"equal", N_("all equal")}, {"huge", N_("one huge key")}});
  lab.set_adds({{"standard", N_("all scores go to HBM")},
                {"flash1", N_("O rescaled in HBM: slower")},
                {"flash2", N_("+ O stays on chip")},
                {"flash2_mma", N_("+ tensor cores")},
                {"backward", N_("the gradients")},
                {"backward_wgmma", N_("+ TMA and wgmma")},
                {"flash3", N_("+ TMA and wgmma")},
                {"pingpong", N_("+ softmax hidden")},
                {"causal", N_("the longest first")},
                {"fp8", N_("8 bits: twice the rate")}});
  return lab;
}

Status fits_shared(std::string_view rung, const Params& params) {
  const int d = int(int_param(params, "head_dim"));
  const auto bytes_of = [&](const Params& set) {
    return shared_bytes(rung, int(int_param(set, "tile_q")), int(int_param(set, "tile_k")), d);
  };
  if (!params.contains("tile_q") || bytes_of(params) <= lab::kMostShared) return Unit{};
  const auto text = [](const Params& set) {
    return std::to_string(int_param(set, "tile_q")) + " × " + std::to_string(int_param(set, "tile_k"));
  };
  std::string fitting;
  for (const Params& set : find_ladder("attention")->info.sets.at(std::string(rung)))
    if (bytes_of(set) <= lab::kMostShared) fitting += (fitting.empty() ? "" : ", ") + text(set);
  return bad_input(
      "a tile of {0} does not fit at head_dim = {1}: {2} takes {3} bytes of shared memory per block, {4} are "
      "possible; "
      "what fits: {5}",
      {text(params), std::to_string(d), "attention/" + std::string(rung), std::to_string(bytes_of(params)),
       std::to_string(lab::kMostShared), fitting});
}

Params problem(std::int64_t seq, std::int64_t head_dim, std::int64_t heads, const char* causal,
               const char* dtype, Params with = {}) {
  with["seq"] = seq, with["head_dim"] = head_dim, with["heads"] = heads;
  with["causal"] = std::string(causal), with["dtype"] = std::string(dtype);
  return with;
}

Params byte_problem(std::int64_t seq) {
  Params with = problem(seq, 128, 16, "no", "", tiles(128, 128));
  with.erase("dtype");
  return with;
}

// The tile that moves least at this head dimension.
Params timed(std::string_view rung) {
  Params with = tiles(32, 32);
  if (rung == "flash1") with = tiles(32, 128);
  if (rung == "flash2" || rung == "backward") with = tiles(64, 32);
  if (rung == "flash2_mma") return problem(16384, 128, 16, "no", "bf16", tiles(128, 64));
  if (rung == kByteRung) return byte_problem(16384);
  if (among(kBoxedRungs, rung))
    return problem(16384, 128, 16, rung == "causal" ? "yes" : "no", "bf16", tiles(128, 128));
  return problem(4096, 128, 16, "no", "bf16", with);
}

// weigh() and shrink(), pack_weights() of weights.cuh; the derivatives of backward_wgmma. A lane has half as
// many numbers of its warp's 16 rows as they have columns.
std::vector<StepArithmetic> step_arithmetic(const Params& params, std::string_view rung) {
  const int scores = int(int_param(params, "tile_k")) / 2, outputs = int(int_param(params, "head_dim")) / 2;
  constexpr int kPassScores = 64 / 2;  // of backward_wgmma: its tiles have 64 rows
  if (rung == "backward_wgmma")
    return {{name_id("recompute"), 0, kPassScores, kPassScores, 0},
            {name_id("gradient_v"), 0, 0, 0, kPassScores / 2},
            {name_id("gradient_s"), 0, 0, 2 * kPassScores, 0},
            {name_id("gradient_k"), 0, 0, 0, kPassScores / 2}};
  if (!among(kBoxedRungs, rung)) return {};
  const StepArithmetic softmax{name_id("softmax"), scores, scores, 2 * scores, 0};
  // The last tile's output shrinks, its weights are packed: before P V, or before the next scores are asked
  // for.
  const std::uint16_t behind = name_id(rung == "flash3" ? "output" : "scores");
  const int larger = rung == kByteRung ? scores : 0;  // pack_bytes()
  return {softmax, {behind, 0, 0, outputs + larger, scores / 2, true}};
}

std::shared_ptr<const ExperimentPlan> step_times() {
  auto plan = std::make_shared<StepTimesPlan>();
  plan->settings = [](std::string_view rung) {
    if (rung == kByteRung) return byte_problem(4096);
    return problem(4096, 128, 16, rung == "causal" ? "yes" : "no", "bf16", tiles(128, 128));
  };
  return plan;
}

}  // namespace

const Ladder& attention_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.bytes = bytes, l.flops = flops;
    l.l1_errors = {{"flash1", 0.25}};  // it reads again what it wrote itself
    l.asked_bytes = asked_bytes, l.tensor_rungs = kTensorRungs, l.unit_rungs = kBoxedRungs;
    l.step_arithmetic = step_arithmetic;
    l.sm_errors = {{"flash3", {14, 18}}, {"pingpong", {13, 14}}};
    l.bench_params = timed;
    l.experiments = {step_times()};
    l.recorded_params = {// beside the others, on one roofline
                         {"flash2_mma", problem(4096, 128, 16, "no", "bf16", tiles(128, 64))},
                         {"flash3", problem(4096, 128, 16, "no", "bf16", tiles(128, 128))},
                         {"pingpong", problem(4096, 128, 16, "no", "bf16", tiles(128, 128))},
                         // the same work in the order of the rows, and the longest first
                         {"pingpong", problem(4096, 128, 16, "yes", "bf16", tiles(128, 128))},
                         {"causal", problem(4096, 128, 16, "yes", "bf16", tiles(128, 128))},
                         {"fp8", byte_problem(4096)},
                         {"backward_wgmma", problem(4096, 128, 16, "no", "bf16", tiles(128, 128))}};
    l.validation_params = {problem(1, 32, 1, "no", "float"),
                           problem(17, 64, 2, "yes", "half"),
                           problem(64, 32, 1, "no", "bf16"),
                           problem(64, 128, 1, "yes", "float"),
                           problem(200, 64, 2, "yes", "bf16"),
                           problem(200, 32, 2, "no", "float", tiles(32, 128)),
                           problem(200, 128, 1, "no", "half", tiles(64, 32)),
                           problem(100, 64, 1, "no", "half", tiles(64, 64)),
                           problem(200, 128, 2, "yes", "bf16", tiles(128, 64))};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
