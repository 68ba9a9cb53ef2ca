// Walks and readings that tell how far each level of the memory is, and how many bytes per second it gives.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "app/model/latency_levels.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/portable.hpp"
#include "kernels/memory/sizes.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMeasuredLoads = 4096, kMeasuredBlocks = 2112;  // 16 per SM of an H200: two waves
constexpr std::size_t kPlainPlaces = 1 << 16;
constexpr std::int64_t kWordsPerKb = 256, kChunkWords = 4 * kChunkUnits;
constexpr std::int64_t kMeasuredFmas = 4096, kMeasuredFmaChain = 1024;
constexpr std::int64_t kMeasuredSharedRounds = 4096, kMeasuredL1Rounds = 1024, kMeasuredReadRounds = 128;
constexpr std::int64_t kMeasuredHostRounds = 16;  // over a link that is slower by two orders
constexpr std::int64_t kMeasuredHalfBlocks = 132,
                       kMeasuredHalfRounds = 1024;  // a block on each SM of an H200

std::int64_t setting(const Params& params, const char* name, std::int64_t otherwise) {
  return params.contains(name) ? int_param(params, name) : otherwise;
}
bool in_host(const Params& params) {
  const auto at = params.find("memory");
  return at != params.end() && std::get<std::string>(at->second) == "host";
}
bool walks_shared(std::string_view rung) { return rung == "shared_chase" || rung == "far_chase"; }
bool walks(std::string_view rung) { return rung == "chase" || walks_shared(rung); }
bool reads_shared(std::string_view rung) { return rung == "shared_read" || rung == "far_read"; }
bool reads_chunks(std::string_view rung) { return rung == "l1_read" || rung == "read"; }

std::int64_t words(const Params& p) { return kWordsPerKb * setting(p, "footprint", 1); }
std::int64_t stride(const Params& p) { return setting(p, "stride", 4) / 4; }
std::int64_t places(const Params& p) { return words(p) / stride(p); }
std::int64_t warm(const Params& p) { return std::min(setting(p, "warm", kPlainWarm), places(p)); }
std::int64_t loads(const Params& p) { return setting(p, "loads", kPlainLoads); }
std::int64_t blocks(const Params& p) { return setting(p, "blocks", kPlainBlocks); }
std::int64_t rounds(const Params& p) { return setting(p, "rounds", kPlainRounds); }
std::int64_t lines(const Params& p) { return setting(p, "lines", kPlainLines); }
std::int64_t chains(const Params& p) { return setting(p, "chains", 8); }

// --- the problems ------------------------------------------------------------------------------------------

std::int64_t input_words(const Params& params, std::string_view rung) {
  if (rung == "registers") return 2 + 8;
  if (rung == "near_far" || rung == "half") return 1;  // its first kernel makes the walk
  return reads_shared(rung) ? kTileWords : words(params);
}

std::int64_t output_words(const Params& params, std::string_view rung) {
  if (walks(rung)) return rung == "far_chase" ? 2 * 1024 : 1024;
  if (rung == "half") return blocks(params) * lines(params) * 32;
  return rung == "copy" || rung == "near_far" ? words(params) : blocks(params) * kThreads;
}

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const auto n = [](std::int64_t x) { return std::uint64_t(x); };
  BufferSpec in{"in", {n(input_words(params, rung))}, true, "int"};
  if (in_host(params)) in.memory = MemoryKind::mapped;
  const std::int64_t clocks =
      rung == "near_far" ? 2 * places(params) : kClockWords * (rung == "half" ? blocks(params) : 1);
  return {in,
          {"out", {n(output_words(params, rung))}, false, "int"},
          {"clocks", {n(clocks)}, false, "int"},
          {"place", {1}, true, "int"}};
}

using Places = std::vector<std::uint32_t>;

// All places, each of them anywhere (Sattolo 1986): following them is one cycle.
Places all_places(std::size_t count, std::mt19937& random) {
  Places order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = count; i-- > 1;)
    std::swap(order[i], order[std::size_t(std::uint64_t(random()) * i >> 32)]);
  return order;
}

// A cycle from place to place: of some, or of all where `most` are not fewer.
void fill_walk(std::span<std::int32_t> in, std::int64_t stride, std::size_t most) {
  std::mt19937 random(20261125);
  const std::size_t count = in.size() / std::size_t(stride);
  Places places, order = all_places(std::min(count, most), random);
  if (count > most) {  // spread over the footprint, the first one at its start
    std::set<std::uint32_t> chosen{0};
    while (chosen.size() < most) chosen.insert(std::uint32_t(std::uint64_t(random()) * count >> 32));
    places.assign(chosen.begin(), chosen.end());
  }
  const auto word = [&](std::size_t i) { return (count > most ? places[i] : i) * std::size_t(stride); };
  for (std::size_t i = 0; i < order.size(); ++i) in[word(i)] = std::int32_t(word(order[i]));
}

void fill(const Params& params, std::string_view rung, std::span<const Bytes> buffers) {
  const std::span in(reinterpret_cast<std::int32_t*>(buffers[0].data()), buffers[0].size() / 4);
  std::fill_n(buffers[3].data(), buffers[3].size(), std::uint8_t{0});
  // A run that makes few loads needs few places: a cycle through gigabytes takes seconds to make.
  if (walks(rung)) return fill_walk(in, stride(params), params.contains("loads") ? in.size() : kPlainPlaces);
  if (rung == "registers") {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = i < 2 ? 1 : std::int32_t(i);
  } else {  // small: the sums of an emulated run do not leave an int
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::int32_t(std::uint32_t(i) * 2654435761u >> 20);
  }
}

// --- what must come out ------------------------------------------------------------------------------------

using Words = std::span<const std::int32_t>;
Words words_in(ConstBytes bytes) {
  return {reinterpret_cast<const std::int32_t*>(bytes.data()), bytes.size() / 4};
}

// Sums wrap, as the kernels' do.
std::uint32_t unit_sum(Words in, std::int64_t unit) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 4 * unit; i < 4 * unit + 4; ++i) sum += std::uint32_t(in[std::size_t(i)]);
  return sum;
}

// The walk from where it began, as many loads on, and the sums of what each thread read before.
bool is_walk(const Params& p, std::string_view rung, Words in, Words out, Words clocks) {
  std::vector<std::uint32_t> sums(1024);  // of each thread of a block
  const bool strided = rung == "chase";   // in shared memory all words are brought
  const std::int64_t read = strided ? warm(p) : words(p), step = strided ? stride(p) : 1;
  for (std::int64_t i = 0; i < read; ++i)
    sums[std::size_t(i) % sums.size()] += std::uint32_t(in[std::size_t(i * step)]);
  for (std::size_t t = 0; t < out.size(); ++t)
    if (std::uint32_t(out[t]) != sums[t % sums.size()]) return false;
  std::int64_t at = clocks[2];
  if (at < 0 || at >= words(p) || at % stride(p) != 0) return false;
  for (std::int64_t k = 0; k < loads(p); ++k) at = in[std::size_t(at)];
  return at == clocks[3];
}

std::uint32_t registers_sum(const Params& p) {
  std::int64_t sum = 0;
  for (std::int64_t c = 0; c < chains(p); ++c) sum += 2 + c + rounds(p);
  return std::uint32_t(sum);
}

// [thread]
std::vector<std::uint32_t> shared_sums(const Params& p, Words in) {
  std::vector<std::uint32_t> units(kTileWords / 4), sums(kThreads);
  for (std::size_t u = 0; u < units.size(); ++u) units[u] = unit_sum(in, std::int64_t(u));
  for (std::size_t t = 0; t < sums.size(); ++t)
    for (std::int64_t k = 0; k < rounds(p); ++k) sums[t] += units[(t + std::size_t(k) * 32) % units.size()];
  return sums;
}

// [chunk][thread]
std::vector<std::uint32_t> chunk_sums(std::int64_t chunks, Words in) {
  std::vector<std::uint32_t> sums(std::size_t(chunks) * kThreads);
  for (std::int64_t u = 0; u < chunks * kChunkUnits; ++u)
    sums[std::size_t(u / kChunkUnits * kThreads + u % kThreads)] += unit_sum(in, u);
  return sums;
}

// [block][thread]: the block's chunks, round by round.
std::vector<std::uint32_t> read_sums(const Params& p, std::string_view rung, Words in) {
  const std::int64_t chunks = words(p) / kChunkWords;
  const auto of_chunk = chunk_sums(chunks, in);
  std::vector<std::uint32_t> sums(std::size_t(blocks(p)) * kThreads);
  for (std::int64_t b = 0; b < blocks(p); ++b)
    for (std::int64_t k = 0; k < rounds(p); ++k) {
      const std::int64_t chunk = (rung == "read" ? b + k * blocks(p) : k) % chunks;
      for (std::int64_t t = 0; t < kThreads; ++t)
        sums[std::size_t(b * kThreads + t)] += of_chunk[std::size_t(chunk * kThreads + t)];
    }
  return sums;
}

// Each place holds its own number.
bool stands_still(const Params& p, Words walk) {
  for (std::int64_t i = 0; i < places(p); ++i)
    if (walk[std::size_t(i * stride(p))] != i * stride(p)) return false;
  return true;
}

// Each place holds its own number, and every block found there what it holds.
bool reads_half(const Params& p, Words places, Words clocks) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != std::int32_t(i)) return false;
  for (std::size_t b = 0; b < clocks.size(); b += kClockWords)
    if (clocks[b] != 0 || clocks[b + 1] != lines(p)) return false;
  return true;
}

bool is_right(const Params& p, std::string_view rung, Words in, Words out, Words clocks) {
  if (walks(rung)) return is_walk(p, rung, in, out, clocks);
  if (rung == "copy") return std::equal(in.begin(), in.end(), out.begin(), out.end());
  if (rung == "near_far") return stands_still(p, out);
  if (rung == "half") return reads_half(p, out, clocks);
  std::vector<std::uint32_t> want;
  if (rung == "registers") want = {registers_sum(p)};
  if (reads_shared(rung)) want = shared_sums(p, in);
  if (reads_chunks(rung)) want = read_sums(p, rung, in);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (std::uint32_t(out[i]) != want[i % want.size()]) return false;
  return true;
}

Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const bool right = is_right(params, rung, words_in(buffers[0]), words_in(buffers[1]), words_in(buffers[2]));
  return {right, right ? 0.0 : 1.0, 0};
}

double asked_bytes(const Params& p, std::string_view rung) {
  if (rung == "chase") return 4 * double(warm(p) + 1 + loads(p));
  if (rung == "shared_chase") return 4 * double(words(p) + 1);
  if (rung == "far_chase") return 4 * double(2 * words(p) + 1);
  if (rung == "near_far") return 4 * double(places(p)) * (1 + kHops);
  if (rung == "half")
    return double(blocks(p)) * (4.0 * double(lines(p)) * (1 + kHops) + double(rounds(p)) * 4 * 16 * 1024);
  if (rung == "registers") return 4 * double((2 + chains(p)) * blocks(p) * kThreads);
  if (reads_shared(rung)) return 4 * double(blocks(p) * kTileWords);
  if (rung == "copy") return 4 * double(words(p));
  return 4 * double(blocks(p) * rounds(p) * kChunkWords);
}

// What any kernel must move that does the same: each place that is needed once.
double bytes(const Params& p, std::string_view rung) {
  const double out = 4 * double(output_words(p, rung));
  if (rung == "chase") return 4 * double(std::min(places(p), std::max(warm(p), loads(p)))) + out;
  if (rung == "near_far") return 4 * double(places(p));
  if (rung == "half") return 4 * double(output_words(p, rung));
  if (reads_chunks(rung)) {
    const std::int64_t read = (rung == "read" ? blocks(p) : 1) * rounds(p) * kChunkWords;
    return 4 * double(std::min(words(p), read)) + out;
  }
  return 4 * double(input_words(p, rung)) + out;
}

double flops(const Params& p, std::string_view rung) {
  return rung == "registers" ? 2.0 * double(chains(p) * rounds(p) * blocks(p)) * kThreads : 0;
}

// --- what is measured --------------------------------------------------------------------------------------

double clock_at(std::span<const ConstBytes> buffers, std::size_t word) {
  return double(words_in(buffers[2])[word]);
}
double cycles_per_load(const Params& p, std::span<const ConstBytes> buffers) {
  return clock_at(buffers, 0) / double(loads(p));
}
std::string ns_per_load(const Params& p, std::span<const ConstBytes> buffers) {
  return std::to_string(clock_at(buffers, 1) / double(loads(p)));
}
double cycles_per_fma(const Params& p, std::span<const ConstBytes> buffers) {
  return clock_at(buffers, 0) / double(rounds(p));
}
// Of all lines: the loads behind the first one.
double cycles_again(const Params& p, std::span<const ConstBytes> buffers) {
  const Words lines = words_in(buffers[2]);
  double sum = 0;
  for (std::size_t i = 1; i < lines.size(); i += 2) sum += lines[i];
  return sum / double(places(p) * kHops);
}
// The first load of each line, one behind the other.
std::string first_loads_text(const Params&, std::span<const ConstBytes> buffers) {
  const Words lines = words_in(buffers[2]);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); i += 2) text += (i ? "," : "") + std::to_string(lines[i]);
  return text;
}

// Of all blocks together, by the slowest one's nanoseconds.
double half_gb_per_s(const Params& p, std::span<const ConstBytes> buffers) {
  const Words clocks = words_in(buffers[2]);
  std::int32_t ns = 1;
  for (std::size_t b = 0; b < clocks.size(); b += kClockWords) ns = std::max(ns, clocks[b + 3]);
  return double(blocks(p) * rounds(p)) * 4 * 16 * 1024 / double(ns);
}

Params with(Params params, std::initializer_list<std::pair<const char*, std::int64_t>> more) {
  for (const auto& [name, value] : more) params[name] = value;
  return params;
}

// What the timed launch of a rung does.
Params timed(std::string_view rung, const Params& p) {
  if (rung == "registers") return with(p, {{"blocks", kMeasuredBlocks}, {"rounds", kMeasuredFmas}});
  if (reads_shared(rung)) return with(p, {{"blocks", kMeasuredBlocks}, {"rounds", kMeasuredSharedRounds}});
  if (rung == "l1_read") return with(p, {{"blocks", kMeasuredBlocks}, {"rounds", kMeasuredL1Rounds}});
  const std::int64_t all = in_host(p) ? kMeasuredHostRounds : kMeasuredReadRounds;
  return rung == "read" ? with(p, {{"blocks", kMeasuredBlocks}, {"rounds", all}}) : p;
}

constexpr std::int64_t kCopied[] = {1, 4, 8};  // units per thread

std::string copy_name(std::int64_t each) { return "each_" + std::to_string(each) + "_ms"; }

// The kernel reads what the host has mapped; beside it what the copy engines do, from page-locked memory and
// from memory as malloc gives it, which the driver has to copy once more.
struct CopyName {
  const char* name;
  bool pinned, to_device;
};
constexpr CopyName kHostCopies[] = {{"pinned_in", true, true},
                                    {"pinned_out", true, false},
                                    {"pageable_in", false, true},
                                    {"pageable_out", false, false}};

std::vector<Measurement> host_copies(const Params& p) {
  std::vector<Measurement> all{{"ms", "copy", with(p, {{"each", 4}})}};
  for (const CopyName& copy : kHostCopies) {
    all.push_back({copy.name + std::string("_ms"), "copy", p});
    all.back().copy = HostCopy{std::uint64_t(4 * words(p)), copy.pinned, copy.to_device};
  }
  return all;
}

std::vector<Measurement> measurements(std::string_view slug, const Params& p) {
  const std::string rung(slug);
  if (walks(rung))
    return {{"cycles", rung, with(p, {{"warm", places(p)}, {"loads", kMeasuredLoads}}), cycles_per_load,
             ns_per_load}};
  if (rung == "near_far") return {{"cycles", rung, p, cycles_again, first_loads_text}};
  if (rung == "half")
    return {{"gb_per_s", rung,
             with(p, {{"blocks", kMeasuredHalfBlocks}, {"rounds", kMeasuredHalfRounds}, {"lines", kLines}}),
             half_gb_per_s}};
  std::vector<Measurement> all;
  if (rung == "registers")
    all.push_back({"cycles", rung, with(p, {{"chains", 1}, {"blocks", 1}, {"rounds", kMeasuredFmaChain}}),
                   cycles_per_fma});
  if (rung == "copy" && in_host(p)) return host_copies(p);
  if (rung == "copy") {
    for (const std::int64_t each : kCopied) {
      all.push_back({copy_name(each), rung, with(p, {{"each", each}})});
      all.back().of_launch = {"each"};
    }
    return all;
  }
  all.push_back({"ms", rung, timed(rung, p)});
  return all;
}

// "320,322.5": what is no number ends it.
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> all;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto number = number_in(text.substr(0, comma));
    if (!number) break;
    all.push_back(*number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return all;
}

// Of a walk's text.
void add_latency(Metrics& all, std::string_view rung, const MeasuredFigure& cycles) {
  const auto numbers = numbers_in(cycles.text.value_or(""));
  if (walks(rung) && numbers.size() == 1) all["measured.ns"] = numbers.front();
  if (rung != "near_far") return;
  if (const auto halves = two_levels(numbers)) {
    all["measured.near_cycles"] = halves->low, all["measured.far_cycles"] = halves->high;
    all["measured.near_share"] = halves->low_share;
  }
}

// Bytes that the timed launch handed out: operands of FMAs, or what was read and written.
double timed_bytes(std::string_view rung, const Params& params) {
  const Params p = timed(rung, params);
  if (rung == "registers") return flops(p, rung) / 2 * 3 * 4;
  if (reads_shared(rung)) return 16.0 * double(blocks(p) * rounds(p)) * kThreads;
  if (rung == "copy") return (in_host(p) ? 4.0 : 8.0) * double(words(p));  // over the link, or in memory
  return asked_bytes(p, rung);
}

Metrics derived(const Run& run) {
  const auto* measured = run.evidence.find<MeasuredEvidence>();
  if (!measured) return {};
  const std::string& rung = run.request.rung;
  Metrics all;
  if (const auto at = measured->figures.find("cycles"); at != measured->figures.end())
    add_latency(all, rung, at->second);
  std::optional<double> ms = measured->real("ms");
  for (const std::int64_t each : kCopied)
    if (const auto time = measured->real(copy_name(each)); time && (!ms || *time < *ms)) {
      ms = time;
      all["measured.units_per_thread"] = each;
    }
  for (const CopyName& copy : kHostCopies)
    if (const auto time = measured->real(copy.name + std::string("_ms")); time && *time > 0)
      all[std::string("measured.") + copy.name + "_gb_per_s"] =
          timed_bytes(rung, run.request.params) / *time / 1e6;
  if (ms && *ms > 0) all["measured.gb_per_s"] = timed_bytes(rung, run.request.params) / *ms / 1e6;
  return all;
}

std::shared_ptr<const ExperimentPlan> measurement_plan() {
  auto plan = std::make_shared<MeasurementPlan>();
  plan->measurements = measurements, plan->derived = derived;
  plan->columns = {{"cycles", "measured.cycles"},
                   {"ns", "measured.ns"},
                   {"near", "measured.near_cycles"},
                   {"far", "measured.far_cycles"},
                   {"GB/s", "measured.gb_per_s"}};
  return plan;
}

// --- what the recordings say together ----------------------------------------------------------------------

// Over the footprint in KB: on the device by the stride in bytes, in the host's memory apart.
std::string curve_setting(const Params& p) {
  if (in_host(p)) return "host";
  if (const auto side = p.find("side"); side != p.end()) return std::get<std::string>(side->second);
  return p.contains("stride") && setting(p, "stride", 0) != kCurveStride
             ? "stride" + std::to_string(setting(p, "stride", 0))
             : "footprint";
}

CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    const auto* measured = run.evidence.find<MeasuredEvidence>();
    if (!measured) continue;
    const Params& p = run.request.params;
    for (const char* quantity :
         {"cycles", "ns", "near_cycles", "far_cycles", "near_share", "gb_per_s", "pinned_in_gb_per_s",
          "pinned_out_gb_per_s", "pageable_in_gb_per_s", "pageable_out_gb_per_s"})
      if (const auto value = measured->real(quantity))
        all.curves[{run.request.rung, curve_setting(p), quantity}][setting(p, "footprint", 0)] = *value;
  }
  return all;
}

// --- the table ---------------------------------------------------------------------------------------------

const std::vector<std::int64_t> kFootprints{
    // KB
    1,     2,     4,     8,      16,     32,     64,     96,     128,    160,     192,    224,   256,
    320,   384,   512,   1024,   2048,   4096,   8192,   12288,  16384,  20480,   24576,  32768, 40960,
    49152, 65536, 98304, 131072, 196608, 262144, 393216, 524288, 786432, 1048576, 2097152};
const std::vector<std::int64_t> kStrides{16, 32, 64, 128, 256, 512, 1024, 4096, 65536, 2097152};  // bytes

std::string n(std::int64_t x) { return std::to_string(x); }

Status rule(std::string_view rung, const Params& p) {
  if (walks_shared(rung) && words(p) > kChaseWords)
    return bad_input("footprint = {0} KB is not possible for memory/{1}: its block has {2} KB",
                     {n(setting(p, "footprint", 0)), std::string(rung), n(kChaseWords / kWordsPerKb)});
  if (p.contains("stride") && 2 * stride(p) > words(p))
    return bad_input("stride = {0} bytes leaves no second place in {1} KB: at most half of the footprint",
                     {n(setting(p, "stride", 0)), n(setting(p, "footprint", 0))});
  return Unit{};
}

Parameter choices(const char* name, const std::vector<std::int64_t>& values, std::int64_t start,
                  const char* unit, std::vector<std::string> rungs, const char* help) {
  Parameter p;
  p.name = name, p.min = double(values.front()), p.max = double(values.back()), p.default_value = start;
  for (const std::int64_t value : values) p.choices.push_back(n(value));
  p.unit = unit, p.rungs = std::move(rungs), p.help = help;
  return p;
}

std::vector<Parameter> parameters() {
  Parameter footprint =
      choices("footprint", kFootprints, 32, N_("KB"),
              {"chase", "shared_chase", "near_far", "l1_read", "read", "copy", "far_chase"},
              N_("Memory that is walked through or read. A level that holds all of it answers."));
  footprint.rung_defaults = {{"near_far", std::int64_t{64}},
                             {"l1_read", std::int64_t{64}},
                             {"read", std::int64_t{16384}},
                             {"copy", std::int64_t{64}}};
  footprint.rung_multiples = {{"l1_read", 16}, {"read", 16}};
  Parameter stride = choices("stride", kStrides, kCurveStride, N_("bytes"),
                             {"chase", "shared_chase", "near_far", "far_chase"},
                             N_("Bytes from one place of the walk to the next."));
  Parameter memory;
  memory.name = "memory", memory.type = "choice", memory.choices = {"device", "host"};
  memory.default_value = std::string("device"), memory.rungs = {"chase", "read", "copy"};
  memory.help = N_("Whose memory is walked through or read: the GPU's own, or the host's over the link.");
  Parameter side;
  side.name = "side", side.type = "choice", side.choices = {"near", "far"};
  side.default_value = std::string("near"), side.rungs = {"half"};
  side.help = N_("Which lines of the L2 are read: those near the block's SM, or the others.");
  return {footprint, stride, memory, side};
}

LabInfo info() {
  LabInfo lab{"memory", N_("memory"), N_("How far away is each byte?"), N_("The machine"), {}, {}, rule};
  lab.rungs = {
      {"chase", N_("follow pointers through a footprint: who answers, and how late?"), "memory/01_chase.cuh"},
      {"shared_chase", N_("the same walk in shared memory"), "memory/02_shared_chase.cuh"},
      {"near_far", N_("line by line: how far is its part of the L2?"), "memory/03_near_far.cuh"},
      {"registers", N_("FMAs: how fast registers hand out operands"), "memory/04_registers.cuh"},
      {"shared_read", N_("all SMs read their shared memory"), "memory/05_shared_read.cuh"},
      {"l1_read", N_("all SMs read the same few chunks, from their L1"), "memory/06_l1_read.cuh"},
      {"read", N_("all SMs read a footprint around L1: from L2 or from memory"), "memory/07_read.cuh"},
      {"copy", N_("out = in: what memory gives and takes together"), "memory/08_copy.cuh"},
      {"half", N_("only near lines of the L2, or only far ones: what each half gives"), "memory/09_half.cuh"},
      {"far_chase", N_("the walk in the shared memory of another SM"), "memory/10_far_chase.cuh", 90},
      {"far_read", N_("all SMs read each other's shared memory, two by two"), "memory/11_far_read.cuh", 90},
  };
  lab.parameters = parameters();
  lab.set_titles({{"footprint", N_("footprint")},
                  {"stride", N_("stride")},
                  {"memory", N_("memory of")},
                  {"side", N_("half of the L2")}});
  lab.set_choice_titles("side", {{"near", N_("near")}, {"far", N_("far")}});
  lab.set_choice_titles("memory", {{"device", N_("the GPU")}, {"host", N_("the host")}});
  lab.set_adds({{"chase", N_("a walk through memory")},
                {"shared_chase", N_("the walk in shared memory")},
                {"near_far", N_("line by line in the L2")},
                {"registers", N_("operands of FMAs")},
                {"shared_read", N_("read shared memory")},
                {"l1_read", N_("read L1")},
                {"read", N_("read L2 or memory")},
                {"copy", N_("copy")},
                {"half", N_("a half of the L2")},
                {"far_chase", N_("the walk in another SM")},
                {"far_read", N_("read another SM's")}});
  return lab;
}

std::vector<RecordedSetting> recorded() {
  std::vector<RecordedSetting> all;
  const auto add = [&](const char* rung, std::int64_t footprint, Params more = {}) {
    more["footprint"] = footprint;
    all.push_back({rung, std::move(more)});
  };
  for (const std::int64_t kb : kFootprints) add("chase", kb);
  // As many lines as an L2 holds, spread over so many pages that their addresses have to be looked up.
  for (std::int64_t kb = 131072; kb <= kFootprints.back(); kb *= 2)
    add("chase", kb, {{"stride", Value{std::int64_t{65536}}}});
  const Params host{{"memory", std::string("host")}};
  add("chase", 262144, host);
  for (const char* rung : {"shared_chase", "far_chase"})
    for (const std::int64_t kb : {1, 8}) add(rung, kb);
  for (const std::int64_t kb : {16, 32, 128, 192, 256, 512}) add("l1_read", kb);
  for (const std::int64_t kb : {256, 512, 1024, 2048, 4096, 8192, 12288, 20480, 24576, 32768, 40960, 49152,
                                65536, 98304, 131072, 262144, 524288, 1048576})
    add("read", kb);
  add("read", 262144, host);
  for (const std::int64_t kb : {4096, 16384, 65536, 262144}) add("copy", kb);
  add("copy", 262144, host);
  for (const char* side : {"near", "far"}) all.push_back({"half", {{"side", std::string(side)}}});
  return all;
}

}  // namespace

const Ladder& memory_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.bytes = bytes, l.flops = flops;
    l.asked_bytes = asked_bytes;
    l.cluster_rungs = {"far_chase", "far_read"};
    auto recorded_curves = std::make_shared<CurvesPlan>();
    recorded_curves->curves = curves;
    l.experiments = {measurement_plan(), recorded_curves};
    l.bench_params = [](std::string_view rung) {
      return rung == "read" || rung == "copy" ? Params{{"footprint", kFootprints.back()}} : Params{};
    };
    const auto at = [](std::int64_t footprint, std::int64_t stride) {
      return Params{{"footprint", footprint}, {"stride", stride}};
    };
    l.validation_params = {{}, at(1, 16), at(16, 32), at(32, 4096), at(128, 1024)};
    l.recorded_params = recorded();
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
