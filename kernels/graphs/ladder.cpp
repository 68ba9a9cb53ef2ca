// Kernels that wait for one another: where does the time between them go?
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "kernels/graphs/nodes.hpp"
#include "kernels/graphs/sizes.hpp"

namespace lockstep {
namespace {

int whole(const Params& params, const char* name, int otherwise) {
  const auto at = params.find(name);
  return at == params.end() ? otherwise : int(std::get<std::int64_t>(at->second));
}

std::vector<PipelineNode> nodes(const Params& params, std::string_view rung) {
  if (rung == "decode") return decode_nodes();
  const int kernels = whole(params, "kernels", 1);
  return rung == "chain" ? chain_nodes(kernels) : fork_join_nodes(kernels, whole(params, "branches", 1));
}

// --- chain and fork_join: whole numbers, exact
// -------------------------------------------------------------------

std::vector<std::uint32_t> first_numbers() {
  std::mt19937 random(7);
  std::vector<std::uint32_t> numbers(kWidth);
  for (auto& x : numbers) x = std::uint32_t(random());
  return numbers;
}

// `rounds` steps x -> a x + c in one: by squaring.
struct Jump {
  std::uint32_t a = 1, c = 0;
  std::uint32_t operator()(std::uint32_t x) const { return a * x + c; }
};
Jump jump(int rounds) {
  Jump all, power{1664525u, 1013904223u};
  for (; rounds > 0; rounds /= 2) {
    if (rounds % 2) all = {power.a * all.a, power.a * all.c + power.c};
    power = {power.a * power.a, power.a * power.c + power.c};
  }
  return all;
}

// What the branches' numbers are in the end: [branch][kWidth].
std::vector<std::uint32_t> expected_numbers(const Params& params, std::string_view rung) {
  const int branches = rung == "chain" ? 1 : whole(params, "branches", 1),
            kernels = whole(params, "kernels", 1);
  const Jump mix = jump(whole(params, "rounds", kRounds));
  const auto first = first_numbers();
  std::vector<std::uint32_t> x(std::size_t(branches) * kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) {
    if (rung == "chain") {
      x[i] = first[i];
      for (int k = 0; k < kernels; ++k) x[i] = mix(x[i] + std::uint32_t(k));
      continue;
    }
    for (int b = 0; b < branches; ++b) x[std::size_t(b) * kWidth + i] = mix(first[i]) + std::uint32_t(b);
    for (int k = 1; k + 1 < kernels; ++k) {
      auto& value = x[std::size_t((k - 1) % branches) * kWidth + i];
      value = mix(value + std::uint32_t(k));
    }
    if (kernels < 2) continue;
    std::uint32_t sum = 0;
    for (int b = 0; b < branches; ++b) sum += x[std::size_t(b) * kWidth + i];
    x[i] = mix(sum);
  }
  return x;
}

Check check_numbers(const Params& params, std::string_view rung, ConstBytes bytes) {
  const auto want = expected_numbers(params, rung);
  const auto* got = reinterpret_cast<const std::uint32_t*>(bytes.data());
  Check result{true, 0, 0};
  for (std::size_t i = 0; i < want.size(); ++i)
    result.max_error = std::max(result.max_error, std::abs(double(got[i]) - double(want[i])));
  result.pass = result.max_error == 0;
  return result;
}

// --- decode: a layer in double
// -----------------------------------------------------------------------------------

std::vector<BufferSpec> layer_buffers(std::uint64_t rows) {
  constexpr std::uint64_t h = kHidden, inner = kInner;
  return {{"x", {rows, h}, true},
          {"norm_weight", {h}, true},
          {"qkv_weight", {h, 3 * h}, true},
          {"proj_weight", {h, h}, true},
          {"gate_weight", {h, inner}, true},
          {"up_weight", {h, inner}, true},
          {"down_weight", {inner, h}, true},
          {"cache", {rows * 2 * kCached, h}, true},
          {"normed", {rows, h}},
          {"qkv", {rows, 3 * h}},
          {"context", {rows, h}},
          {"middle", {rows, h}},
          {"gate", {rows, inner}},
          {"up", {rows, inner}},
          {"out", {rows, h}}};
}

using Matrix = std::vector<double>;  // row by row

Matrix read(ConstBytes bytes) {
  const auto* values = reinterpret_cast<const float*>(bytes.data());
  return {values, values + bytes.size() / sizeof(float)};
}

Matrix normed(const Matrix& in, const Matrix& weight) {
  Matrix out(in.size());
  for (std::size_t row = 0; row < in.size() / kHidden; ++row) {
    double squares = 0;
    for (std::size_t c = 0; c < kHidden; ++c) squares += in[row * kHidden + c] * in[row * kHidden + c];
    for (std::size_t c = 0; c < kHidden; ++c)
      out[row * kHidden + c] = in[row * kHidden + c] / std::sqrt(squares / kHidden + 1e-5) * weight[c];
  }
  return out;
}

Matrix product(const Matrix& in, const Matrix& weight, std::size_t depth, std::size_t cols) {
  Matrix out(in.size() / depth * cols, 0);
  for (std::size_t row = 0; row < in.size() / depth; ++row)
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t c = 0; c < cols; ++c)
        out[row * cols + c] += in[row * depth + k] * weight[k * cols + c];
  return out;
}

Matrix sum(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// Where k (part 0) or v (part 1) of a position stands in the cache.
std::size_t cached(std::size_t row, std::size_t part, std::size_t position) {
  return ((row * 2 + part) * kCached + position) * kHidden;
}

// Turns q and k of every row and puts k and v into the cache.
void rotate(Matrix& qkv, Matrix& cache, std::size_t rows) {
  constexpr std::size_t half = kHeadDim / 2;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t part = 0; part < 2; ++part)
      for (std::size_t head = 0; head < kHeads; ++head)
        for (std::size_t d = 0; d < half; ++d) {
          double* at = &qkv[(row * 3 + part) * kHidden + head * kHeadDim + d];
          const double angle = kPosition * std::pow(10000.0, -double(d) / double(half));
          const double a = at[0], b = at[half];
          at[0] = a * std::cos(angle) - b * std::sin(angle),
          at[half] = a * std::sin(angle) + b * std::cos(angle);
        }
    for (std::size_t part = 0; part < 2; ++part)
      std::copy_n(&qkv[(row * 3 + 1 + part) * kHidden], kHidden, &cache[cached(row, part, kPosition)]);
  }
}

Matrix attended(const Matrix& qkv, const Matrix& cache, std::size_t rows) {
  Matrix out(rows * kHidden, 0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t head = 0; head < kHeads; ++head) {
      std::vector<double> weight(kPosition + 1, 0);
      double total = 0;
      for (std::size_t p = 0; p <= kPosition; ++p) {
        for (std::size_t d = 0; d < kHeadDim; ++d)
          weight[p] +=
              qkv[row * 3 * kHidden + head * kHeadDim + d] * cache[cached(row, 0, p) + head * kHeadDim + d];
        weight[p] = std::exp(weight[p] / std::sqrt(double(kHeadDim)));  // small scores: no maximum is needed
        total += weight[p];
      }
      for (std::size_t p = 0; p <= kPosition; ++p)
        for (std::size_t d = 0; d < kHeadDim; ++d)
          out[row * kHidden + head * kHeadDim + d] +=
              weight[p] / total * cache[cached(row, 1, p) + head * kHeadDim + d];
    }
  return out;
}

Matrix layer(std::span<const Matrix> in, Matrix cache, std::size_t rows) {
  Matrix qkv = product(normed(in[kX], in[kNormWeight]), in[kQkvWeight], kHidden, 3 * kHidden);
  rotate(qkv, cache, rows);
  const Matrix middle = sum(in[kX], product(attended(qkv, cache, rows), in[kProjWeight], kHidden, kHidden));
  const Matrix second = normed(middle, in[kNormWeight]);
  Matrix gate = product(second, in[kGateWeight], kHidden, kInner);
  const Matrix up = product(second, in[kUpWeight], kHidden, kInner);
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
  return sum(middle, product(gate, in[kDownWeight], kInner, kHidden));
}

// Normal numbers by the polar method (Marsaglia and Bray, 1964). The library's distribution is another one in
// each library, and recordings hold these inputs.
class NormalNumbers {
 public:
  explicit NormalNumbers(unsigned seed) : random_(seed) {}
  float next() {
    if (has_second_) return has_second_ = false, second_;
    float x = 0, y = 0, r2 = 0;
    do {
      x = 2 * uniform() - 1, y = 2 * uniform() - 1;
      r2 = x * x + y * y;
    } while (r2 > 1 || r2 == 0);
    const float factor = std::sqrt(-2 * std::log(r2) / r2);
    has_second_ = true, second_ = x * factor;
    return y * factor;
  }

 private:
  float uniform() { return std::min(float(random_()) / 4294967296.f, std::nextafter(1.f, 0.f)); }  // 2^32
  std::mt19937 random_;
  float second_ = 0;
  bool has_second_ = false;
};

// Random numbers; rows beyond the batch are padding: zeros.
void fill_layer(const Params& params, std::span<const Bytes> buffers) {
  NormalNumbers normal(11);
  const auto batch = std::size_t(whole(params, "batch", 1));
  for (int id = kX; id <= kCache; ++id) {
    const auto out = buffers[std::size_t(id)];
    const float scale = id == kX || id == kCache ? 1.f : id == kNormWeight ? 0.5f : 0.08f;
    const std::size_t count = out.size() / sizeof(float);
    const std::size_t row = id == kX ? kHidden : id == kCache ? std::size_t(2) * kCached * kHidden : count;
    for (std::size_t i = 0; i < count; ++i) {
      const float value = i / row < batch || (id != kX && id != kCache) ? scale * normal.next() : 0;
      std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
    }
  }
}

Check check_layer(const Params& params, std::span<const ConstBytes> buffers) {
  const auto batch = std::size_t(whole(params, "batch", 1));
  std::vector<Matrix> in;
  for (int id = kX; id <= kCache; ++id) in.push_back(read(buffers[std::size_t(id)]));
  in[kX].resize(batch * kHidden);
  const Matrix want = layer(in, in[kCache], batch), got = read(buffers[kOut]);
  Check result{true, 0, 2e-5};  // of the largest value
  double most = 1;
  for (const double x : want) most = std::max(most, std::abs(x));
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double error = std::abs(got[i] - want[i]) / most;
    result.max_error = larger_error(result.max_error, error);
  }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// --- both
// --------------------------------------------------------------------------------------------------------

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  std::vector<BufferSpec> all;
  if (rung == "decode")
    all = layer_buffers(std::uint64_t(bucket_of(whole(params, "batch", 1))));
  else
    all = {{"in", {kWidth}, true, "unsigned"},
           {"x",
            {std::uint64_t(rung == "chain" ? 1 : whole(params, "branches", 1)), kWidth},
            false,
            "unsigned"}};
  all.push_back({"stamps", {nodes(params, rung).size(), 2}, true, "u64", 8});
  return all;
}

void fill_numbers(Bytes bytes) {
  const auto numbers = first_numbers();
  std::memcpy(bytes.data(), numbers.data(), numbers.size() * sizeof numbers[0]);
}

void fill(const Params& params, std::string_view rung, std::span<const Bytes> buffers) {
  if (rung == "decode")
    fill_layer(params, buffers);
  else
    fill_numbers(buffers[0]);
  const Bytes stamps = buffers.back();  // the earliest begin and the latest end are yet to come
  for (std::size_t i = 0; i < stamps.size() / 8; ++i) std::memset(stamps.data() + 8 * i, i % 2 ? 0 : 0xff, 8);
}

Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  return rung == "decode" ? check_layer(params, buffers) : check_numbers(params, rung, buffers[1]);
}

// --- the models' word
// --------------------------------------------------------------------------------------------

KnownFigures known(const Params& params) {
  KnownFigures all;
  const std::string_view rung = params.contains("branches")  ? "fork_join"
                                : params.contains("kernels") ? "chain"
                                                             : "decode";
  if (rung == "decode") return all;  // nobody has said how long its kernels are
  const auto all_nodes = nodes(params, rung);
  const std::vector<double> lengths(all_nodes.size(), whole(params, "kernel_us", 1));
  const PipelineModels models = pipeline_models(all_nodes, lengths, known_launch_costs());
  for (auto& [name, value] : model_metrics(models, false, {}, {}))
    all[name] = {std::move(value), kLaunchModelError};
  return all;
}

// --- the table
// ---------------------------------------------------------------------------------------------------

Parameter number(const char* name, double min, double max, std::int64_t start, const char* help) {
  Parameter p;
  p.name = name, p.min = min, p.max = max, p.default_value = start, p.help = help;
  return p;
}

LabInfo info() {
  LabInfo lab{"graphs", N_("graphs"), N_("Where does the time between kernels go?"), N_("Launching"), {}, {}};
  lab.rungs = {
      {"chain", N_("one kernel after the other"), "graphs/01_chain.cuh"},
      {"fork_join", N_("branches side by side between a fork and a join"), "graphs/02_fork_join.cuh"},
      {"decode", N_("a transformer layer for one new token"), "graphs/03_decode.cuh"},
  };
  const std::vector<std::string> timed{"chain", "fork_join"};
  Parameter kernels = number("kernels", 1, 1000, 9, N_("Kernels of the pipeline."));
  kernels.rungs = timed;
  Parameter length =
      number("kernel_us", 1, 200, 2,
             N_("How long each kernel runs. On a GPU this is calibrated; the emulator runs a few rounds."));
  length.unit = "µs", length.rungs = timed;
  Parameter branches =
      number("branches", 1, 8, 4, N_("Branches between the fork and the join, each a stream."));
  branches.rungs = {"fork_join"};
  Parameter batch =
      number("batch", 1, 8, 4, N_("Sequences. They are padded to the next bucket: 1, 2, 4, 8."));
  batch.rungs = {"decode"};
  Parameter sync;
  sync.name = "sync", sync.type = "choice", sync.choices = {"none", "each"},
  sync.default_value = std::string("none");
  sync.help = N_("Whether the CPU waits after each kernel of the stream.");
  Parameter replays =
      number("replays", 1, 100, 20, N_("How often each way runs; the run with the median time is shown."));
  Parameter show;
  show.name = "show", show.type = "choice", show.choices = {"both", "stream", "graph", "ranges"};
  show.default_value = std::string("both"), show.model_only = true;
  show.help = N_("Which way of launching is drawn, or the NVTX ranges of the whole run.");
  lab.parameters = {kernels, length, branches, batch, sync, replays, show};
  lab.set_titles({{"kernels", N_("kernels")},
                  {"kernel_us", N_("kernel length")},
                  {"branches", N_("branches")},
                  {"batch", N_("batch size")},
                  {"sync", N_("the CPU waits")},
                  {"replays", N_("runs of each way")},
                  {"show", N_("shown")}});
  lab.set_choice_titles("sync", {{"none", N_("at the end")}, {"each", N_("after each kernel")}});
  lab.set_choice_titles("show", {{"stream", N_("stream")},
                                 {"graph", N_("graph")},
                                 {"ranges", N_("NVTX ranges")},
                                 {"both", N_("both ways")}});
  lab.set_adds({{"chain", N_("one after the other")},
                {"fork_join", N_("+ branches side by side")},
                {"decode", N_("one layer, one token")}});
  return lab;
}

std::vector<RecordedSetting> recorded_settings() {
  std::vector<RecordedSetting> all;
  for (const char* sync : {"none", "each"}) {
    for (const std::int64_t kernels : {1, 9, 20, 200, 1000})
      for (const std::int64_t length : {2, 5, 15, 50}) {
        const Params params{{"kernels", kernels}, {"kernel_us", length}, {"sync", std::string(sync)}};
        all.push_back({"chain", params});
        Params branched = params;
        branched["branches"] = std::int64_t{4};
        all.push_back({"fork_join", std::move(branched)});
      }
    for (const std::int64_t batch : {1, 2, 3, 4, 8})
      all.push_back({"decode", {{"batch", batch}, {"sync", std::string(sync)}}});
  }
  return all;
}

}  // namespace

const Ladder& graphs_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check;
    auto plan = std::make_shared<PipelinePlan>();
    plan->nodes = nodes, plan->known = known;
    l.experiments = {plan};
    l.bytes = [](const Params& params, std::string_view rung) {
      double sum = 0;
      for (const BufferSpec& spec : buffers(params, rung)) sum += double(spec.bytes());
      return sum;
    };
    l.flops = [](const Params& params, std::string_view rung) {
      if (rung != "decode") return 0.0;
      const double rows = bucket_of(whole(params, "batch", 1));
      return 2 * rows * (kHidden * 4.0 * kHidden + 3.0 * kHidden * kInner + 2.0 * kHidden * (kPosition + 1));
    };
    const auto at = [](std::int64_t kernels, std::int64_t branches, std::int64_t batch) {
      return Params{{"kernels", kernels}, {"branches", branches}, {"batch", batch}};
    };
    l.validation_params = {{}, at(1, 1, 1), at(2, 3, 2), at(33, 8, 3), at(300, 2, 8)};
    l.recorded_params = recorded_settings();
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
