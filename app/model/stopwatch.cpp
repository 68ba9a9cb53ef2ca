#include "stopwatch.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

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

std::optional<StopwatchRuns> runs_of(const Run& run, Stopwatch stopwatch) {
  constexpr std::size_t kMost = 100'000;
  constexpr std::int64_t kLongest_ns = std::int64_t{3600} * 1'000'000'000;
  const std::string key = std::string("stopwatch.") + name_of(stopwatch) + ".";
  const auto at = run.metrics.find(key + "runs");
  const auto* text = at == run.metrics.end() ? nullptr : std::get_if<std::string>(&at->second);
  const double first = real_metric(run, key + "first_us").value_or(0);
  if (!text || !std::isfinite(first)) return {};
  StopwatchRuns runs{first, {}};
  for (const char *from = text->data(), *end = from + text->size(); from != end;) {
    std::int64_t ns = 0;
    const auto [stop, error] = std::from_chars(from, end, ns);
    if (error != std::errc{} || stop == end || *stop != ',' || ns < 0 || ns > kLongest_ns ||
        runs.runs.size() == kMost)
      return {};
    runs.runs.push_back(double(ns) / 1e3);
    from = stop + 1;
  }
  if (runs.runs.empty()) return {};
  return runs;
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
  std::vector<ProductTime> all;
  const std::string prefix = "products.n_", suffix = "_us";
  for (auto at = run.metrics.lower_bound(prefix); at != run.metrics.end() && at->first.starts_with(prefix);
       ++at) {
    if (!at->first.ends_with(suffix)) continue;
    const std::string digits =
        at->first.substr(prefix.size(), at->first.size() - prefix.size() - suffix.size());
    ProductTime time;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), time.n);
    const auto us = real_metric(run, at->first);
    const auto blocks = whole_metric(run, prefix + digits + "_blocks");
    if (error != std::errc{} || stop != digits.data() + digits.size() || time.n < 1 || time.n > 1 << 16)
      continue;
    if (!us || !(*us >= 1e-3) || !(*us <= 1e12) || !blocks || *blocks < 1 || *blocks > std::int64_t{1} << 31)
      continue;
    time.us = *us, time.blocks = int(std::min<std::int64_t>(*blocks, 1 << 30));
    all.push_back(time);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.n < b.n; });
  return all;
}

}  // namespace lockstep
