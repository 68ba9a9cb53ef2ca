// Each thread brings a few floats from `in` to `out`; the rungs differ in where they stand in `in`.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/coalescing/places.hpp"

namespace lockstep {
namespace {

using namespace coalescing;

constexpr std::int64_t kMaxElements = std::int64_t{1} << 29;  // 2 GiB; byte offsets stay below 2^32
constexpr std::int64_t kTimed = 1 << 24;      // threads: 64 MiB of 4-byte loads, more than an L2 holds
constexpr std::uint32_t kHash = 2654435761u;  // Knuth, multiplicative hashing

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const auto n = std::uint64_t(setting(params, "n", 1));
  std::vector<BufferSpec> specs{{"in", {std::uint64_t(elements(rung, params))}, true},
                                {"out", {n * std::uint64_t(floats_out(rung, params))}, false}};
  if (rung == "gather") specs.push_back({"from", {n}, true, "int"});
  return specs;
}

// Within each window every element has one reader, in random order.
void shuffle_windows(std::span<std::int32_t> from, std::int64_t window) {
  std::iota(from.begin(), from.end(), 0);
  std::mt19937 random(20261122);
  for (std::size_t first = 0; first < from.size(); first += std::size_t(window)) {
    const std::size_t count = std::min(std::size_t(window), from.size() - first);
    for (std::size_t i = count - 1; i > 0; --i)  // not std::shuffle, whose order each library chooses
      std::swap(from[first + i], from[first + std::uint64_t(random()) * (i + 1) / (std::uint64_t{1} << 32)]);
  }
}

void fill(const Params& params, std::string_view, std::span<const Bytes> buffers) {
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  for (std::size_t i = 0; i < buffers[0].size() / sizeof(float); ++i)
    in[i] = float((std::uint32_t(i) * kHash) >> 20);  // whole numbers below 4096: sums are exact
  if (buffers.size() > 2)
    shuffle_windows(
        {reinterpret_cast<std::int32_t*>(buffers[2].data()), buffers[2].size() / sizeof(std::int32_t)},
        setting(params, "window", 1));
}

// Exact: bits are moved, and the sums are whole numbers. NaN, the poison, fails.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const auto* in = reinterpret_cast<const float*>(buffers[0].data());
  const auto* out = reinterpret_cast<const float*>(buffers[1].data());
  std::span<const std::int32_t> from;
  if (buffers.size() > 2)
    from = {reinterpret_cast<const std::int32_t*>(buffers[2].data()),
            buffers[2].size() / sizeof(std::int32_t)};
  const std::int64_t n = setting(params, "n", 1), writes = floats_out(rung, params),
                     reads = floats_in(rung, params);
  const std::int64_t summed = reads / writes;  // floats that make one of `out`
  Check result{true, 0, 0};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t w = 0; w < writes; ++w) {
      double want = 0;
      for (std::int64_t k = 0; k < summed; ++k) want += in[place(rung, params, from, i, w + k)];
      result.max_error = larger_error(result.max_error, std::abs(out[i * writes + w] - want));
    }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// Those that the threads ask for, once: no sector that comes along.
double bytes(const Params& params, std::string_view rung) {
  const std::int64_t indices = rung == "gather" ? 1 : 0;
  return 4.0 * double(setting(params, "n", 1)) *
         double(floats_in(rung, params) + floats_out(rung, params) + indices);
}

// --- the table ---------------------------------------------------------------------------------------------

Status rule(std::string_view rung, const Params& params) {
  if (setting(params, "read", 1) > setting(params, "fields", 1))
    return bad_input(
        N_("read = {0}: a particle has {1} fields"),
        {std::to_string(setting(params, "read", 1)), std::to_string(setting(params, "fields", 1))});
  if (const std::int64_t count = elements(rung, params); count > kMaxElements)
    return bad_input(N_("{0} floats to read from: at most {1}"),
                     {std::to_string(count), std::to_string(kMaxElements)});
  return Unit{};
}

Parameter whole(const char* name, std::int64_t min, std::int64_t max, std::int64_t start, const char* unit,
                std::vector<std::string> rungs, const char* help) {
  Parameter p;
  p.name = name, p.min = double(min), p.max = double(max), p.default_value = start, p.unit = unit;
  p.rungs = std::move(rungs), p.help = help;
  return p;
}

std::vector<Parameter> parameters() {
  const std::vector<std::string> layouts{"aos", "soa", "aosoa"};
  Parameter width =
      whole("width", 4, 16, 16, N_("bytes"), {"vector"}, N_("Bytes per lane: float, float2, float4."));
  width.choices = {"4", "8", "16"};
  return {
      whole("n", 1, kMaxElements / 8, 1024, N_("threads"), {}, N_("Threads, in blocks of 256.")),
      whole("stride", 0, 32, 8, N_("floats"), {"strided"}, N_("From one lane's float to the next lane's.")),
      whole("offset", 0, 31, 0, N_("floats"), {"strided"}, N_("Where lane 0 of the first warp reads.")),
      whole("pitch", 32, 64, 33, N_("floats"), {"misaligned"},
            N_("From the start of one row to the next; a row is 32 floats.")),
      whole("fields", 1, 16, 8, N_("floats"), layouts, N_("Floats that a particle has.")),
      whole("read", 1, 16, 3, N_("floats"), layouts, N_("How many of its fields are read: the first ones.")),
      width,
      whole("window", 1, kTimed, 256, N_("floats"), {"gather"},
            N_("How many neighbouring elements are shuffled among themselves."))};
}

LabInfo info() {
  LabInfo lab{
      "coalescing", N_("coalescing"), N_("What does one warp's access cost?"), N_("Moving bytes"), {}, {},
      rule};
  lab.rungs = {
      {"strided", N_("lane i reads float offset + i * stride"), "coalescing/01_strided.cuh"},
      {"misaligned", N_("rows that do not begin where a sector does"), "coalescing/02_misaligned.cuh"},
      {"aos", N_("an array of structs: the next lane's field is a struct away"), "coalescing/03_aos.cuh"},
      {"soa", N_("a struct of arrays: neighbours, field by field"), "coalescing/04_soa.cuh"},
      {"aosoa", N_("an array of structs of 32: a line per field and warp"), "coalescing/05_aosoa.cuh"},
      {"vector", N_("float, float2 or float4: more sectors per request"), "coalescing/06_vector.cuh"},
      {"packed", N_("a struct of four floats: four accesses"), "coalescing/07_packed.cuh"},
      {"aligned", N_("the same struct with alignas(16): one access"), "coalescing/08_aligned.cuh"},
      {"gather", N_("an index in memory says where to read"), "coalescing/09_gather.cuh"},
  };
  lab.parameters = parameters();
  lab.set_titles({{"n", N_("n")},
                  {"stride", N_("stride")},
                  {"offset", N_("offset")},
                  {"pitch", N_("row pitch")},
                  {"fields", N_("fields")},
                  {"read", N_("fields read")},
                  {"width", N_("bytes per lane")},
                  {"window", N_("shuffle window")}});
  lab.set_adds({{"strided", N_("stride from lane to lane")},
                {"misaligned", N_("rows across sectors")},
                {"aos", N_("array of structs")},
                {"soa", N_("struct of arrays")},
                {"aosoa", N_("both: structs of 32")},
                {"vector", N_("+ 16 bytes per lane")},
                {"packed", N_("four accesses")},
                {"aligned", N_("+ alignas(16): one")},
                {"gather", N_("an index says where")}});
  return lab;
}

// --- what is recorded, and the curves that come of it ------------------------------------------------------

std::vector<RecordedSetting> recorded() {
  std::vector<RecordedSetting> all;
  const auto add = [&](const char* rung, Params params, std::int64_t n = kTimed) {
    params["n"] = n;
    all.push_back({rung, std::move(params)});
  };
  for (std::int64_t stride = 0; stride <= 32; ++stride)
    add("strided", {{"stride", stride}, {"offset", std::int64_t{0}}});
  for (std::int64_t offset = 1; offset < 32; ++offset)
    add("strided", {{"stride", std::int64_t{1}}, {"offset", offset}});
  for (std::int64_t pitch = 32; pitch <= 64; ++pitch) add("misaligned", {{"pitch", pitch}});
  for (const char* layout : {"aos", "soa", "aosoa"})
    for (std::int64_t read = 1; read <= 8; ++read) add(layout, {{"fields", std::int64_t{8}}, {"read", read}});
  for (std::int64_t width : {4, 8, 16})
    add("vector", {{"width", width}}, 4 * kTimed * 4 / width);  // the same bytes
  for (std::int64_t window = 1; window <= kTimed; window *= 2) add("gather", {{"window", window}});
  return all;
}

// Of the loads from `in`: a gather's loads of indices, four sectors per warp, are left out.
std::optional<double> sectors_per_request(const Run& run) {
  if (!run.counts) return {};
  const std::int64_t warps = run.request.rung == "gather" ? setting(run.request.params, "n", 0) / 32 : 0;
  const double requests = double(run.counts->global_load_requests - warps);
  if (requests <= 0) return {};
  return double(run.counts->global_load_sectors - 4 * warps) / requests;
}

double gb_per_s(const Run& run) {
  return bytes(run.request.params, run.request.rung) / run.time->median_ms / 1e6;
}

// Throughput, and the sectors of one request, over each of the rung's parameters; of a rung whose cost hangs
// on none of them at its one size.
CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    if (!run.time || run.time->median_ms <= 0 || setting(run.request.params, "n", 0) < kTimed) continue;
    for (const CurveAxis& axis : curve_axes(run.request.rung)) {
      if (!lies_on(run.request.params, axis)) continue;
      const std::int64_t x = int_param(run.request.params, axis.parameter);
      all.curves[{run.request.rung, axis.parameter, "gb_per_s"}][x] = gb_per_s(run);
      if (const auto sectors = sectors_per_request(run))
        all.curves[{run.request.rung, axis.parameter, "sectors_per_request"}][x] = *sectors;
    }
    if (curve_axes(run.request.rung).empty())
      all.curves[{run.request.rung, "n", "gb_per_s"}][int_param(run.request.params, "n")] = gb_per_s(run);
  }
  return all;
}

Params validated(std::int64_t n, std::int64_t stride, std::int64_t offset, std::int64_t pitch,
                 std::int64_t fields, std::int64_t read, std::int64_t width, std::int64_t window) {
  return {{"n", n},           {"stride", stride}, {"offset", offset}, {"pitch", pitch},
          {"fields", fields}, {"read", read},     {"width", width},   {"window", window}};
}

}  // namespace

const Ladder& coalescing_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.bytes = bytes;
    l.flops = [](const Params&, std::string_view) { return 0.0; };
    auto recorded_curves = std::make_shared<CurvesPlan>();
    recorded_curves->curves = curves;
    l.experiments = {recorded_curves};
    l.bench_params = [](std::string_view) { return Params{{"n", kTimed}}; };
    l.validation_params = {{},
                           validated(1, 0, 3, 32, 1, 1, 4, 1),
                           validated(4096, 1, 1, 40, 4, 4, 8, 32),
                           validated(1000, 2, 5, 37, 3, 2, 4, 100),
                           validated(4099, 7, 31, 63, 5, 5, 16, 4096),
                           validated(20000, 32, 7, 64, 16, 16, 8, 20000)};
    l.recorded_params = recorded();
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
