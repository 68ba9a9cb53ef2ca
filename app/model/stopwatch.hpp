// The same kernel by several stopwatches: what each said of many launches. Times in us.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run.hpp"

namespace lockstep {

// cpu_unsynced: the CPU's clock around the launch alone. cpu_synced: until the GPU is done. events: CUDA
// events before and behind it. events_cold: the same with the L2 overwritten before each launch.
enum class Stopwatch : std::uint8_t { cpu_unsynced, cpu_synced, events, events_cold };
constexpr int kStopwatches = 4;
const char* name_of(Stopwatch stopwatch);  // "cpu_unsynced"

struct StopwatchRuns {
  double first_us = 0;       // the first launch of this kernel in the process, until the GPU is done
  std::vector<double> runs;  // the warm ones, in their order
};
using Stopwatches = std::array<StopwatchRuns, kStopwatches>;

// Median, smallest, 95 % of some values; zeros for none.
struct Quantiles {
  double median = 0, min = 0, p95 = 0;
};
Quantiles quantiles(std::vector<double> values);

// "stopwatch.events.median_us" and so on, the runs as text with a ns as the unit.
std::map<std::string, Value> stopwatch_metrics(const Stopwatches& all);
// Of a run; nothing where there are none or their text is damaged.
std::optional<StopwatchRuns> runs_of(const Run& run, Stopwatch stopwatch);

// How often the values fall into each of so many equal parts of [low, high]; what lies beyond is in the last
// one.
std::vector<int> histogram(const std::vector<double>& values, double low, double high, int parts);

// What bounds a product of n x n matrices, of `blocks` blocks, that takes `us`: the launch, the blocks that
// are too few for the SMs, or the arithmetic.
enum class Regime : std::uint8_t { launch, too_small, compute };
const char* name_of(Regime regime);
Regime regime_of(double us, double launch_us, int blocks, int multiprocessors);

struct ProductTime {
  int n = 0, blocks = 0;
  double us = 0;
  double tflops() const { return us > 0 ? 2.0 * n * n * n / us / 1e6 : 0; }
};
// "products.n_128_us", "products.n_128_blocks".
std::map<std::string, Value> product_metrics(const std::vector<ProductTime>& times);
// Of a run, by size.
std::vector<ProductTime> products_of(const Run& run);

struct StopwatchEvidence {
  static const EvidenceKind kind;  // "stopwatch.events.runs", "products.n_128_us", …
  static std::optional<StopwatchEvidence> read(const Metrics& flat);
  std::array<std::optional<StopwatchRuns>, kStopwatches> stopwatches;
  std::vector<ProductTime> products;            // by size
  std::optional<std::int64_t> multiprocessors;  // of the GPU that the products ran on
  std::optional<std::string> rung;              // "gemm/ldmatrix": whose kernel they are
};

}  // namespace lockstep
