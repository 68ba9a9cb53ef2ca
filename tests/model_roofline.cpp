#include <doctest/doctest.h>

#include "app/model/gpu.hpp"
#include "app/model/roofline.hpp"

using namespace lockstep;

TEST_CASE("the ridge of an H100 is 295 FLOP/B, of an H200 206") {
  CHECK(ridge(989.4e12, 3.35e12) == doctest::Approx(295).epsilon(0.002));
  CHECK(ridge(Gpu{}.tensor.flops, Gpu{}.memory_bandwidth) == doctest::Approx(206).epsilon(0.002));
}

TEST_CASE("below the ridge the memory sets the pace, above it the arithmetic") {
  CHECK(attainable(67e12, 4.8e12, 1) == 4.8e12);
  CHECK(attainable(67e12, 4.8e12, 100) == 67e12);
  CHECK(attainable(67e12, 4.8e12, ridge(67e12, 4.8e12)) == doctest::Approx(67e12));
}

TEST_CASE("without overlap a kernel takes at most twice as long as with it") {
  for (double bytes = 1e3; bytes < 1e13; bytes *= 7) {
    const TimeBounds t = time_bounds(137.4e9, bytes, 989.4e12, 3.35e12);
    CHECK(t.lower_s() <= t.upper_s());
    CHECK(t.upper_s() <= 2 * t.lower_s());
  }
  const TimeBounds t = time_bounds(137.4e9, 100.7e6, 989.4e12, 3.35e12);
  CHECK(t.lower_s() == t.math_s);  // 4096^3: far above the ridge
}

TEST_CASE("a product of n^3 has n/3 FLOP per byte in 16 bits, a dot product 1/2, a batch of b rows about b") {
  CHECK(product_intensity(4096, 4096, 4096, 2) == doctest::Approx(1365).epsilon(0.001));
  CHECK(product_intensity(1, 1, 1e6, 2) == doctest::Approx(0.5).epsilon(0.001));
  CHECK(product_intensity(8, 8192, 8192, 2) == doctest::Approx(8).epsilon(0.01));
}
