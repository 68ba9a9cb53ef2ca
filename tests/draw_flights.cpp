// Words that travel on the stage: who is under way when, and that all have arrived in the end.
#include <doctest/doctest.h>

#include "app/draw/flights.hpp"

using namespace lockstep;

TEST_CASE("turns set off one after the other and arrive in their order, the last one with the step") {
  for (const int turns : {1, 4, 32}) {
    int before = 0;
    for (int m = 0; m <= 100; ++m) {
      const float motion = float(m) / 100;
      const int arrived = turns_arrived(turns, motion);
      CHECK(arrived >= before);
      before = arrived;
      for (int t = 1; t < turns; ++t)
        CHECK(flight_progress(t, turns, motion) <= flight_progress(t - 1, turns, motion));
    }
    CHECK(turns_arrived(turns, 0.99f) < turns);
    CHECK(turns_arrived(turns, 1) == turns);
  }
}

TEST_CASE("halfway through a step some of its wavefronts have arrived, some are under way, some wait") {
  const int turns = 32;
  int waiting = 0, under_way = 0;
  for (int t = 0; t < turns; ++t) {
    const float at = flight_progress(t, turns, 0.5f);
    waiting += at <= 0, under_way += at > 0 && at < 1;
  }
  CHECK(waiting > 0);
  CHECK(under_way > 0);
  CHECK(turns_arrived(turns, 0.5f) > 0);
}
