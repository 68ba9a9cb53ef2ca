// The levels that a walk's latency tells: plateaus over the footprint, near and far.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "app/model/latency_levels.hpp"

using namespace lockstep;

namespace {

struct Stair {
  std::int64_t until;  // KB
  double cycles;
};

// A level answers whole up to its size; beyond it, as many loads as it still holds (random order).
double latency_at(const std::vector<Stair>& stairs, std::int64_t kb) {
  double cycles = stairs.front().cycles;
  for (std::size_t i = 1; i < stairs.size(); ++i) {
    const double held = std::min(1.0, double(stairs[i - 1].until) / double(kb));
    cycles = held * cycles + (1 - held) * stairs[i].cycles;
  }
  return cycles;
}

// Half octaves from 1 KB to 2 GB, each point off by up to `noise`.
std::map<std::int64_t, double> walk(const std::vector<Stair>& stairs, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-noise, noise);
  std::map<std::int64_t, double> curve;
  for (std::int64_t kb = 1; kb <= 2 << 20; kb *= 2)
    for (const std::int64_t at : {kb, kb + kb / 2})
      curve[at] = latency_at(stairs, at) * (1 + uniform(random));
  return curve;
}

const std::vector<Stair> kHopper{{256, 33}, {50 << 10, 270}, {1 << 30, 640}};

}  // namespace

TEST_CASE(
    "a staircase of three levels has three plateaus at their latencies, whatever the noise of up to 2 %") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    const auto plateaus = plateaus_of(walk(kHopper, 0.02, seed));
    REQUIRE(plateaus.size() == 3);
    CHECK(plateaus[0].latency == doctest::Approx(33).epsilon(0.04));
    CHECK(plateaus[1].latency == doctest::Approx(270).epsilon(0.08));  // the L1 still holds some
    CHECK(plateaus[2].latency == doctest::Approx(640).epsilon(0.08));
    CHECK(plateaus[0].first == 1);
    CHECK(plateaus[0].last >= 128);
    CHECK(plateaus[0].last <= 384);
    CHECK(plateaus[1].first > 256);
    CHECK(plateaus[1].last <= 80 << 10);
    CHECK(plateaus[2].last >= 2 << 20);
  }
}

TEST_CASE("a flat curve is one plateau, and a ramp is none") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const auto flat = plateaus_of(walk({{1, 300}}, 0.02, seed));
    REQUIRE(flat.size() == 1);
    CHECK(flat[0].latency == doctest::Approx(300).epsilon(0.03));
    CHECK(flat[0].points == 43);
  }
  std::map<std::int64_t, double> ramp;
  double cycles = 30;
  for (std::int64_t kb = 1; kb <= 2 << 20; kb *= 2) ramp[kb] = cycles *= 1.25;
  CHECK(plateaus_of(ramp).empty());
  CHECK(plateaus_of({}).empty());
  CHECK(plateaus_of({{1, 33.0}, {2, 33.0}}).empty());  // two points are no plateau
}

TEST_CASE("two levels that are nearer than the step are one plateau") {
  std::map<std::int64_t, double> curve;
  for (std::int64_t kb = 1; kb <= 64; kb *= 2) curve[kb] = 600, curve[kb << 10] = 660;
  CHECK(plateaus_of(curve).size() == 1);
  for (auto& [kb, cycles] : curve)
    if (kb >= 1024) cycles = 780;
  CHECK(plateaus_of(curve).size() == 2);
}

TEST_CASE("values that are no latency are left out") {
  auto curve = walk(kHopper, 0, 1);
  curve[5] = std::nan(""), curve[7] = -1, curve[11] = 0;
  CHECK(plateaus_of(curve).size() == 3);
}

TEST_CASE("a footprint lies on its plateau, or between two") {
  const auto plateaus = plateaus_of(walk(kHopper, 0, 1));
  REQUIRE(plateaus.size() == 3);
  CHECK(plateau_at(plateaus, 32) == &plateaus[0]);
  CHECK(plateau_at(plateaus, 1 << 20) == &plateaus[2]);
  CHECK(plateau_at(plateaus, plateaus[0].last + 1) == nullptr);
  CHECK(plateau_at(plateaus, 1 << 30) == nullptr);
}

TEST_CASE("a cache of two halves tells how far the far one is, and one that is all near tells nothing") {
  const std::vector<Stair> halves{{256, 40}, {25 << 10, 280}, {50 << 10, 530}, {1 << 30, 690}};
  std::map<std::int64_t, double> curve;
  for (const std::int64_t kb : {24576, 32768, 40960, 49152, 65536}) curve[kb] = latency_at(halves, kb);
  const auto far = far_latency(curve, 280, 25 << 10);
  REQUIRE(far);
  CHECK(*far == doctest::Approx(530).epsilon(0.01));
  for (auto& [kb, cycles] : curve) cycles = kb <= 50 << 10 ? 280 : 500;
  CHECK_FALSE(far_latency(curve, 280, 25 << 10));
  curve = {{32768, 335.0}, {40960, 500.0}, {49152, 400.0}};  // they do not agree
  CHECK_FALSE(far_latency(curve, 280, 25 << 10));
  curve = {{32768, 335.4}, {49152, 399.1}};
  CHECK_FALSE(far_latency(curve, 280, 25 << 10));
}

TEST_CASE("lines at two distances are split where they are, and a single heap is not split") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> near(205, 235), far(255, 290), all(200, 290);
  std::normal_distribution<double> heap(250, 15);
  std::vector<double> two, even, one;
  for (int i = 0; i < 400; ++i)
    two.push_back(i % 4 ? near(random) : far(random)), even.push_back(all(random)),
        one.push_back(heap(random));
  const auto split = two_levels(two);
  REQUIRE(split);
  CHECK(split->low == doctest::Approx(220).epsilon(0.02));
  CHECK(split->high == doctest::Approx(272).epsilon(0.02));
  CHECK(split->low_share == doctest::Approx(0.75));
  CHECK_FALSE(two_levels(even));
  CHECK_FALSE(two_levels(one));
  CHECK_FALSE(two_levels(std::vector<double>(100, 250.0)));
  CHECK_FALSE(two_levels(std::vector<double>{200, 300, 200}));
  std::vector<double> outlier(400, 220);
  outlier[7] = 2000;  // one line that was away
  CHECK_FALSE(two_levels(outlier));
}
