// Boxes that the copy engine takes from shared memory to a matrix, as the emulator runs them: right where the
// kernel is, whatever lies outside, and what is missing is named.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <vector>

#include "kernels/bulk.cuh"
#include "kernels/simt/grid.hpp"

using namespace lab;
namespace simt = lockstep::simt;

namespace {

enum class Mistake {
  none,
  no_fence,       // the copy engine may not see the threads' stores
  no_sync,        // the thread that asks does not know them
  never_written,  // a row that nobody has written
  overwrites,     // the next box goes where the last one is still being read
  leaves,         // ends while its shared memory is still being read
  beyond_array,   // a box larger than what is left of the array
  between_rows,   // that starts within a row
  before_begin,   // that goes to before the first row of the matrix
};

constexpr int kRows = 16, kCols = 32, kBoxes = 3;

// Three boxes of 16 x 32 side by side, of a warp; element (r, c) becomes 1000 r + c.
template <Mistake kWrong>
void send(BoxedView<float> out, int row0, int col0) {
  DYNAMIC_BOXES(float, tile, kRows, 0);
  const int lane = int(threadIdx.x);
  for (int box = 0; box < kBoxes; ++box) {
    if (kWrong != Mistake::overwrites && lane == 0) stores_read<0>();
    __syncwarp();
    for (int r = 0; r < kRows - (kWrong == Mistake::never_written); ++r)
      tile[r][(lane / 4 ^ r % 8) * 4 + lane % 4] = float(1000 * (row0 + r) + col0 + kCols * box + lane);
    if constexpr (kWrong != Mistake::no_fence) store_fence();
    if constexpr (kWrong != Mistake::no_sync) __syncwarp();
    if (lane == 0) {
      const int first = kWrong == Mistake::beyond_array ? 8 : 0,
                odd = kWrong == Mistake::between_rows ? 4 : 0;
      store_box(out, kWrong == Mistake::before_begin ? -1 : row0, col0 + kCols * box, tile[first][odd]);
      stores_commit();
    }
  }
  if (kWrong != Mistake::leaves && lane == 0) stores_read<0>();
}

struct Outcome {
  std::vector<float> out;
  std::set<std::string> kinds;
  std::vector<lockstep::Finding> findings;
  float at(int row, int col, int cols) const { return out[std::size_t(row * cols + col)]; }
};

template <Mistake kWrong = Mistake::none>
Outcome run(int rows, int cols, int row0 = 0, int col0 = 0) {
  Outcome all;
  all.out.assign(std::size_t(rows) * std::size_t(cols), -5);
  const GlobalView<float> view{all.out.data(), std::int64_t(all.out.size()), 0};
  const auto boxed = boxes(view, rows, cols, kRows);
  simt::Grid grid({}, 1);
  const simt::Config config{"send", {1}, {32}, kRows * 128};
  CHECK(grid.launch(
      config, [&] { send<kWrong>(boxed, row0, col0); }, nullptr, [] { return true; }));
  all.findings = grid.told().findings();
  for (const auto& finding : all.findings) all.kinds.insert(finding.kind);
  return all;
}

using Kinds = std::set<std::string>;

}  // namespace

TEST_CASE("stored boxes: what lies inside is written, and nothing else, wherever they end") {
  for (const auto& size : {std::pair{16, 96}, {20, 200}, {9, 72}, {4, 8}})
    for (const auto& begin : {std::pair{0, 0}, {3, 8}, {0, 32}, {8, 64}, {30, 0}}) {
      const int rows = size.first, cols = size.second, row0 = begin.first, col0 = begin.second;
      CAPTURE(rows);
      CAPTURE(cols);
      CAPTURE(row0);
      CAPTURE(col0);
      const Outcome o = run(rows, cols, row0, col0);
      for (const auto& finding : o.findings) MESSAGE(finding.kind << ": " << finding.what.text());
      CHECK(o.kinds == Kinds{});
      int wrong = 0;
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) {
          const bool inside = r >= row0 && r < row0 + kRows && c >= col0 && c < col0 + kBoxes * kCols;
          wrong += o.at(r, c, cols) != (inside ? float(1000 * r + c) : -5.f);
        }
      CHECK(wrong == 0);
    }
}

TEST_CASE(
    "stored boxes: of a block beside others they wait for its turn, also those that are written when it "
    "ends") {
  constexpr int kRowsOfOut = 16, kColsOfOut = 96;
  std::vector<float> out(kRowsOfOut * kColsOfOut, -5);
  const GlobalView<float> view{out.data(), std::int64_t(out.size()), 0};
  const auto boxed = boxes(view, kRowsOfOut, kColsOfOut, kRows);
  const std::function<void()> kernel = [&] { send<Mistake::none>(boxed, 0, 0); };
  simt::Machine machine{{}};
  REQUIRE(machine.begin_launch({"send", {1}, {32}, kRows * 128}, kernel));
  REQUIRE(machine.run(0, true));
  for (const float x : out) CHECK(x == -5);
  simt::put_in_place(machine.written());
  for (int i = 0; i < int(out.size()); ++i)
    CHECK(out[std::size_t(i)] == float(1000 * (i / kColsOfOut) + i % kColsOfOut));
}

TEST_CASE("stored boxes: what is missing between threads and copy engine is named with its line") {
  const auto kinds = [](const Outcome& o) {
    for (const auto& finding : o.findings) CHECK(finding.line > 0);
    return o.kinds;
  };
  CHECK(kinds(run<Mistake::no_fence>(16, 96)) == Kinds{"missing_fence"});
  CHECK(kinds(run<Mistake::no_sync>(16, 96)).contains("race"));
  CHECK(kinds(run<Mistake::never_written>(16, 96)) == Kinds{"uninitialised"});
  CHECK(kinds(run<Mistake::overwrites>(16, 96)).contains("race"));
  CHECK(kinds(run<Mistake::leaves>(16, 96)) == Kinds{"store_not_awaited"});
  CHECK(kinds(run<Mistake::beyond_array>(16, 96)) == Kinds{"out_of_bounds"});
  CHECK(kinds(run<Mistake::between_rows>(16, 96)) == Kinds{"misaligned"});
  CHECK(kinds(run<Mistake::before_begin>(16, 96)) == Kinds{"out_of_bounds"});
}
