// Keys of steps: their text, and where another axis stands.
#include <doctest/doctest.h>

#include "app/model/axis.hpp"
#include "app/model/list_axis.hpp"

using namespace lockstep;

namespace {

// Steps of two phases, of `warps` warps with `visits` each.
class Warps final : public Axis {
 public:
  explicit Warps(int warps, int visits, std::initializer_list<const char*> phases) {
    for (const char* words : phases) {
      begin_phase();
      for (int visit = 0; visit < visits; ++visit)
        for (int warp = 0; warp < warps; ++warp) add_step(0, words, {}, warp);
    }
  }
  SourceLines lines(int) const override { return {}; }
};

}  // namespace

TEST_CASE("a key's text is read back as the same key") {
  const StepKey keys[] = {{0, "write out", 0, 0, 4}, {0, "write out", 3, 0, 4},  {2, "multiply", 15, 0, -1},
                          {0, "scores", 3, 1, -1},   {0, "barrier", 0, 2, -1},   {1, "read tile2", 0, 0, 0},
                          {0, "kernel 7", 0, 0, -1}, {0, "load again", 0, 1, 0}, {0, "warp 3", 2, 0, 31}};
  for (const StepKey& key : keys) {
    CAPTURE(to_text(key));
    REQUIRE(parse_step_key(to_text(key)).has_value());
    CHECK(*parse_step_key(to_text(key)) == key);
  }
  CHECK(to_text(keys[0]) == "write out, warp 4");
  CHECK(to_text(keys[2]) == "kernel 2: multiply 15");
  CHECK(to_text(keys[3]) == "scores 3 again 1");
}

TEST_CASE("what is no key is refused, what looks like one is taken as words") {
  for (const char* text : {"", ", warp 4", "kernel 99999999999: load", "load, warp 99999999999"})
    CHECK_FALSE(parse_step_key(text).has_value());
  CHECK(parse_step_key("anything at all")->phase == "anything at all");
}

TEST_CASE("following another warp keeps the phase and the visit") {
  const Warps axis(4, 3, {"read in", "write out"});
  const int step = axis.step_of({0, "write out", 2, 0, 1});
  CHECK(to_text(axis.key(axis.step_of_warp(step, 3))) == "write out 2, warp 3");
  CHECK(axis.step_of_warp(step, 4) == -1);
  CHECK(axis.steps_are_warps());
}

TEST_CASE("axes align on the words: another order of phases, fewer warps, fewer visits") {
  const Warps two(4, 3, {"read in", "write out"}), turned(4, 3, {"write out", "read in"}),
      few(2, 1, {"read in", "write out"}), no_tile(4, 3, {"read in"});
  for (int step = 0; step < two.count(); ++step) {
    const AlignedStep there = aligned_step(two, step, turned);
    CHECK(there.same);
    CHECK(turned.key(there.step) == two.key(step));
    CHECK(aligned_step(turned, there.step, two).step == step);
  }
  const int last = two.count() - 1;  // write out 2, warp 3
  CHECK(to_text(few.key(aligned_step(two, last, few).step)) == "write out, warp 1");
  const AlignedStep before = aligned_step(two, last, no_tile);
  CHECK_FALSE(before.same);
  CHECK(to_text(no_tile.key(before.step)) == "read in 2, warp 3");
}

TEST_CASE("words of a stranger cannot be mistaken for another part of a key") {
  ListAxis axis;
  axis.add("gemm, warp 3: 7"), axis.add("gemm, warp 3: 7"), axis.add("");
  for (int step = 0; step < axis.count(); ++step) {
    const auto key = parse_step_key(to_text(axis.key(step)));
    REQUIRE(key.has_value());
    CHECK(axis.step_of(*key) == step);
  }
}
