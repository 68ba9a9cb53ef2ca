// Stopwatches: runs as text, histograms, regimes.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "app/model/stopwatch.hpp"

using namespace lockstep;

namespace {

Run with(const std::map<std::string, Value>& metrics) {
  Run run;
  run.evidence.merge(metrics);
  return run;
}

}  // namespace

TEST_CASE("runs come back from a run's metrics to the ns, with their quantiles beside them") {
  Stopwatches all;
  for (int i = 1; i <= 100; ++i) all[2].runs.push_back(i + 0.125);
  all[2].first_us = 900;
  const Run run = with(stopwatch_metrics(all));
  const auto back = runs_of(run, Stopwatch::events);
  REQUIRE(back);
  CHECK(back->first_us == 900);
  REQUIRE(back->runs.size() == 100);
  CHECK(back->runs[41] == doctest::Approx(42.125));
  CHECK(real_metric(run, "stopwatch.events.median_us") == doctest::Approx(51.125));
  CHECK(real_metric(run, "stopwatch.events.min_us") == doctest::Approx(1.125));
  CHECK(real_metric(run, "stopwatch.events.p95_us") == doctest::Approx(96.125));
  CHECK_FALSE(runs_of(run, Stopwatch::cpu_synced));  // it has none
}

TEST_CASE("a stranger's runs are refused where they are no numbers of ns") {
  for (const char* text : {"", "1", "1,x,", "-5,", "1,,2,", "99999999999999999999,", "3600000000001,"}) {
    Run run = with({{"stopwatch.events.first_us", 1.0}, {"stopwatch.events.runs", std::string(text)}});
    CAPTURE(text);
    CHECK_FALSE(runs_of(run, Stopwatch::events));
  }
  Run odd = with({{"stopwatch.events.first_us", std::nan("")}, {"stopwatch.events.runs", std::string("1,")}});
  CHECK_FALSE(runs_of(odd, Stopwatch::events));
}

TEST_CASE("a histogram counts every value once, those beyond its ends in the last part") {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> values;
    for (int k = 0; k < 50; ++k) values.push_back(double(random() % 1000) - 100);
    const auto counts = histogram(values, 0, 500, 1 + i % 40);
    CHECK(std::accumulate(counts.begin(), counts.end(), 0) == 50);
  }
  CHECK(histogram({0, 1, 2, 3, 9}, 0, 4, 4) == std::vector<int>{1, 1, 1, 2});
  CHECK(histogram({1, 1}, 1, 1, 3) == std::vector<int>{2, 0, 0});
}

TEST_CASE("a product is bound by its launch, by too few blocks, or by its arithmetic") {
  CHECK(regime_of(5, 3, 1, 132) == Regime::launch);
  CHECK(regime_of(9, 3, 16, 132) == Regime::too_small);
  CHECK(regime_of(300, 3, 1024, 132) == Regime::compute);
  // 4096^3 in 0.3412 ms is 402.8 TFLOP/s, and 128^3 in 9.1 us is 0.46: multiplied out.
  CHECK(ProductTime{4096, 1024, 341.2}.tflops() == doctest::Approx(402.8).epsilon(1e-3));
  CHECK(ProductTime{128, 1, 9.1}.tflops() == doctest::Approx(0.461).epsilon(1e-3));
}

TEST_CASE("products come back by size, and no stranger's word among them") {
  auto metrics = product_metrics({{32, 1, 5}, {4096, 1024, 330}, {256, 4, 8}});
  metrics["products.n_x_us"] = 3.0;
  metrics["products.n_64_us"] = 3.0;  // without its blocks
  metrics["products.n_128_us"] = -1.0, metrics["products.n_128_blocks"] = std::int64_t{1};
  const auto back = products_of(with(metrics));
  REQUIRE(back.size() == 3);
  CHECK(back[0].n == 32);
  CHECK(back[1].n == 256);
  CHECK(back[2].blocks == 1024);
}
