#include <algorithm>
#include <chrono>

#include "bench.hpp"
#include "kernels/simt/emulate.hpp"
#include "kernels/simt/workers.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

template <class F>
std::vector<double> sorted_seconds(int runs, F&& f) {
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    const auto begin = Clock::now();
    f();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}
template <class F>
double median_seconds(int runs, F&& f) {
  return sorted_seconds(runs, f)[std::size_t(runs / 2)];
}

constexpr int kRuns = 7, kLargeRuns = 3;
constexpr double kMillion = 1e6;

const std::string kYardstick = yardstick().lab + "/" + yardstick().rung;

struct Problem {
  explicit Problem(std::int64_t n) : params{{"n", n}} {}
  RungName name = yardstick();
  const Ladder& ladder = *find_ladder(name.lab);
  Params params;
  simt::ProblemBuffers buffers{ladder, params, name.rung};
  std::string file = ladder.info.rungs[std::size_t(ladder.info.rung_index(name.rung))].file;
  simt::Emulation run(bool checks, bool fold, int threads = 1) const {
    simt::EmulationOptions options;
    options.machine.checks = checks;
    options.fold = fold;
    options.threads = threads;
    return simt::emulate(ladder, file, params, buffers.spans(), options);
  }
};

BenchLine emulation_rate(const Problem& problem, bool checks) {
  std::uint64_t accesses = 0;
  const double s = median_seconds(kRuns, [&] { accesses = problem.run(checks, false).accesses; });
  return {checks ? "emulation with checks" : "emulation without checks", "M traced accesses/s",
          double(accesses) / s / kMillion, kYardstick + ", n = 1024, one core, median of 7"};
}

// The fold alone, on streams that are already there.
BenchLine fold_rate(const Problem& problem) {
  Launch launch = problem.run(false, true).launches.at(0);
  const BlockTrace trace = launch.trace;
  std::vector<std::span<const Access>> streams;
  for (std::size_t t = 0; t + 1 < trace.begin.size(); ++t)
    streams.emplace_back(trace.events.data() + trace.begin[t], trace.events.data() + trace.begin[t + 1]);
  constexpr int kBlocks = 1024;
  const double s = median_seconds(kRuns, [&] {
    CacheModel cache;
    Launch fresh = launch;
    fresh.trace = {};
    GridFold fold(fresh, -1, cache);
    for (int b = 0; b < kBlocks; ++b) fold.add_block(b, streams);
  });
  return {"fold", "M accesses/s", double(trace.events.size()) * kBlocks / s / kMillion,
          "counts, cache model and who touched what; " + kYardstick + ", one core, median of 7"};
}

// A large grid by one thread and by all that the emulator takes: the best of a few runs of each, in turn, so
// that what else the machine does meets both.
void add_threads(std::vector<BenchLine>& lines) {
  const Problem problem(4096);
  const int threads = simt::threads_to_use();
  std::vector<double> alone, together;
  for (int i = 0; i < kLargeRuns; ++i) {
    alone.push_back(sorted_seconds(1, [&] { problem.run(true, true, 1); })[0]);
    together.push_back(sorted_seconds(1, [&] { problem.run(true, true, threads); })[0]);
  }
  const double one = *std::min_element(alone.begin(), alone.end());
  const double all = *std::min_element(together.begin(), together.end());
  const std::string note = kYardstick + ", n = 4096, checked and folded, best of 3";
  lines.push_back({"one thread", "s", one, note});
  lines.push_back({std::to_string(threads) + " threads", "s", all, note});
  lines.push_back({"by " + std::to_string(threads) + " threads faster", "times", one / all, note});
}

}  // namespace

std::vector<BenchLine> bench_emulator() {
  const Problem problem(1024);
  std::vector<BenchLine> lines{emulation_rate(problem, false), emulation_rate(problem, true),
                               fold_rate(problem)};
  const double s = median_seconds(kRuns, [&] { problem.run(true, true); });
  lines.push_back({"emulated, checked and folded", "s", s, kYardstick + ", n = 1024, one core, median of 7"});
  add_threads(lines);
  return lines;
}

}  // namespace lockstep
