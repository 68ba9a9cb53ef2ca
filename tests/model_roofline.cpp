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
