// Boxes of tensors: the events that say them, and the bytes that they move.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

#include "app/model/units.hpp"
#include "tensor_cases.hpp"

using namespace lockstep;
using namespace bulk_test;

namespace {

WarpInstruction instruction(Kind kind, std::uint32_t offset, std::uint32_t said, int width) {
  WarpInstruction i;
  i.kind = kind, i.offset[0] = offset, i.gpu_mask = said, i.width = std::uint8_t(width), i.lanes = 1;
  return i;
}

// The units of 16 bytes that a box's events become.
struct Units {
  std::multiset<std::uint32_t> shared, global;
};
Units units_of_events(const TensorBox& t, const BoxPlace& place, bool stored) {
  Units all;
  UnitAccesses accesses;
  const auto see = [&](const WarpInstruction& i) {
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (i.lanes >> lane & 1) {
        const bool outside = i.kind == Kind::box_source || i.kind == Kind::store_target;
        (outside ? all.global : all.shared).insert(i.offset[lane]);
      }
  };
  for_each_events(t, place, [&](const BoxEvents& e) {
    if (e.rows_inside > 0)
      accesses.add(instruction(stored ? Kind::store_target : Kind::box_source, std::uint32_t(e.source),
                               said_outside(e), e.units_inside),
                   see);
    accesses.add(instruction(stored ? Kind::store_source : Kind::box_target, std::uint32_t(e.target),
                             said_in_shared(e), shared_width(t.swizzle)),
                 see);
  });
  return all;
}

}  // namespace

TEST_CASE("the events of a box become the units that it moves, where they stand") {
  for (const TensorCase& c : tensor_cases())
    for (const bool stored : {false, true}) {
      const TensorBox t = c.tensor();
      Units moved;
      for_each_unit(t, c.at(stored), [&](const BoxUnit& u) {
        moved.shared.insert(std::uint32_t(swizzled(u.target, t.swizzle)));
        if (u.bytes_inside == 16) moved.global.insert(std::uint32_t(u.source));
      });
      const Units said = units_of_events(t, c.at(stored), stored);
      CHECK(said.shared == moved.shared);
      CHECK(said.global == moved.global);
    }
}

TEST_CASE("a box has each of its elements once, and none of another row in what is swizzled") {
  for (const TensorCase& c : tensor_cases()) {
    const TensorBox t = c.tensor();
    std::set<std::int64_t> targets;
    std::int64_t last = 0;
    for_each_unit(t, c.at(), [&](const BoxUnit& u) {
      const std::int64_t at = swizzled(u.target, t.swizzle);
      if (t.swizzle != BoxSwizzle::none)
        CHECK(at / span_bytes(t.swizzle) == u.target / span_bytes(t.swizzle));
      targets.insert(at), last = std::max(last, at);
    });
    CHECK(std::int64_t(targets.size()) * 16 == t.bytes());
    CHECK(last + 16 <= std::int64_t{t.rows()} * t.row_pitch());
  }
}

TEST_CASE("the events of a matrix are those of a tensor of two dimensions") {
  for (const int element_bytes : {1, 2, 4})
    for (const int row : {-70, -3, 0, 5, 90, 99, 100, 300})
      for (const int unit : {-9, -8, -1, 0, 1, 10, 11, 12, 40}) {
        const int cols = 12 * 16 / element_bytes, col = unit * 16 / element_bytes;
        const BoxEvents a = matrix_events(100, cols, 64, element_bytes, row, col);
        int pairs = 0;
        for_each_events(matrix_box(100, cols, 64, element_bytes), {{col, row}}, [&](const BoxEvents& b) {
          ++pairs;
          CHECK(a.rows_inside == b.rows_inside);
          CHECK(a.units_inside == b.units_inside);
          CHECK(a.pitch == b.pitch);
          CHECK(a.source == b.source);
          CHECK(said_in_shared(a) == said_in_shared(b));
        });
        CHECK(pairs == 1);
      }
}

TEST_CASE("what is read by rows shorter than 128 bytes asks for the sectors of each row") {
  const TensorBox t = tensor_box({64, 40}, {8, 16}, 4, BoxSwizzle::bytes_32);  // rows of 32 bytes
  int requested = 0;
  UnitAccesses accesses;
  for_each_events(t, {{8, 0}}, [&](const BoxEvents& e) {
    accesses.add(instruction(Kind::box_source, std::uint32_t(e.source), said_outside(e), e.units_inside),
                 [](const WarpInstruction&) {});
    accesses.add(instruction(Kind::box_target, 0, said_in_shared(e), shared_width(t.swizzle)),
                 [&](const WarpInstruction& i) { requested += i.copy.requested; });
  });
  CHECK(requested == 16);
}
