#include "stopwatch.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "figure_fields.hpp"
#include "record_reader.hpp"

namespace lockstep {

const char* name_of(Stopwatch stopwatch) {
  static constexpr const char* kNames[kStopwatches] = {"cpu_unsynced", "cpu_synced", "events", "events_cold"};
  return kNames[int(stopwatch)];
}

const char* name_of(Regime regime) {
  static constexpr const char* kNames[] = {"launch", "too small", "compute"};
  return kNames[int(regime)];
}

Quantiles quantiles(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(),
          values[std::min(values.size() - 1, values.size() * 95 / 100)]};
}

std::map<std::string, Value> stopwatch_metrics(const Stopwatches& all) {
  std::map<std::string, Value> metrics;
  for (int s = 0; s < kStopwatches; ++s) {
    const StopwatchRuns& one = all[std::size_t(s)];
    const std::string key = std::string("stopwatch.") + name_of(Stopwatch(s)) + ".";
    const Quantiles q = quantiles(one.runs);
    if (one.first_us > 0) metrics[key + "first_us"] = one.first_us;
    metrics[key + "median_us"] = q.median, metrics[key + "min_us"] = q.min, metrics[key + "p95_us"] = q.p95;
    std::string text;
    for (const double us : one.runs) text += std::to_string(std::llround(us * 1e3)) + ",";
    metrics[key + "runs"] = text;
  }
  return metrics;
}

namespace {

std::optional<StopwatchRuns> read_runs(const Metrics& flat, Stopwatch stopwatch) {
  constexpr std::size_t kMost = 100'000;
  constexpr std::int64_t kLongest_ns = std::int64_t{3600} * 1'000'000'000;
  const std::string key = std::string("stopwatch.") + name_of(stopwatch) + ".";
  const auto* text = figure<std::string>(flat, key + "runs");
  const auto* first = figure<double>(flat, key + "first_us");
  if (!text || (first && !std::isfinite(*first))) return {};
  StopwatchRuns runs{first ? *first : 0, {}};
  RecordReader reader(*text);
  while (reader.ok() && !reader.done()) {
    if (runs.runs.size() == kMost) return {};
    runs.runs.push_back(double(reader.number(0, kLongest_ns, ',')) / 1e3);
  }
  if (!reader.ok() || runs.runs.empty()) return {};
  return runs;
}

// "n_128_us" of the figures below "products".
std::optional<ProductTime> read_product(const Metrics& products, const std::string& name) {
  constexpr std::string_view kPrefix = "n_", kSuffix = "_us";
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return {};
  const std::string digits = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  ProductTime time;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), time.n);
  const auto* us = figure<double>(products, name);
  const auto* blocks = figure<std::int64_t>(products, std::string(kPrefix) + digits + "_blocks");
  if (error != std::errc{} || stop != digits.data() + digits.size() || time.n < 1 || time.n > 1 << 16)
    return {};
  if (!us || !(*us >= 1e-3) || !(*us <= 1e12) || !blocks || *blocks < 1 || *blocks > std::int64_t{1} << 31)
    return {};
  time.us = *us, time.blocks = int(std::min<std::int64_t>(*blocks, 1 << 30));
  return time;
}

constexpr FigureField<StopwatchEvidence> kStopwatchFields[] = {
    {"products.multiprocessors", &StopwatchEvidence::multiprocessors},
    {"products.rung", &StopwatchEvidence::rung}};

}  // namespace

const EvidenceKind StopwatchEvidence::kind{
    "stopwatches", {{"stopwatch"}, {"products"}}, read_record<StopwatchEvidence>, Beside::taken, true};

std::optional<StopwatchEvidence> StopwatchEvidence::read(const Metrics& flat) {
  StopwatchEvidence evidence;
  for (int s = 0; s < kStopwatches; ++s) evidence.stopwatches[std::size_t(s)] = read_runs(flat, Stopwatch(s));
  const Metrics products = figures_below(flat, "products");
  for (const auto& [name, value] : products)
    if (const auto time = read_product(products, name)) evidence.products.push_back(*time);
  std::sort(evidence.products.begin(), evidence.products.end(),
            [](const auto& a, const auto& b) { return a.n < b.n; });
  read_fields(evidence, kStopwatchFields, flat);
  return evidence;
}

std::optional<StopwatchRuns> runs_of(const Run& run, Stopwatch stopwatch) {
  const auto* evidence = run.evidence.find<StopwatchEvidence>();
  return evidence ? evidence->stopwatches[std::size_t(stopwatch)] : std::nullopt;
}

std::vector<int> histogram(const std::vector<double>& values, double low, double high, int parts) {
  std::vector<int> counts(std::size_t(std::max(1, parts)), 0);
  for (const double value : values) {
    const double place = high > low ? (value - low) / (high - low) * double(counts.size()) : 0;
    ++counts[std::size_t(std::clamp(place, 0.0, double(counts.size() - 1)))];
  }
  return counts;
}

Regime regime_of(double us, double launch_us, int blocks, int multiprocessors) {
  if (us < 2 * launch_us) return Regime::launch;
  return blocks < multiprocessors ? Regime::too_small : Regime::compute;
}

std::map<std::string, Value> product_metrics(const std::vector<ProductTime>& times) {
  std::map<std::string, Value> metrics;
  for (const ProductTime& time : times) {
    const std::string key = "products.n_" + std::to_string(time.n);
    metrics[key + "_us"] = time.us, metrics[key + "_blocks"] = std::int64_t{time.blocks};
  }
  return metrics;
}

std::vector<ProductTime> products_of(const Run& run) {
  const auto* evidence = run.evidence.find<StopwatchEvidence>();
  return evidence ? evidence->products : std::vector<ProductTime>{};
}

}  // namespace lockstep
