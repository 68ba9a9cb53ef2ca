// Blocks that wait for one another: several are under way at once, in turns, and who waits in vain is told
// so.
#include <doctest/doctest.h>

#include <numeric>
#include <set>

#include "kernels/lab.cuh"
#include "kernels/simt/grid.hpp"

using namespace lab;
using namespace lockstep;
namespace simt = lockstep::simt;

namespace {

using P = Emulated;

struct Outcome {
  bool ended = false;
  std::string refused;
  std::vector<int> data;
  std::vector<std::size_t> events;  // of the followed block, by thread
  std::int64_t findings = 0;
  Counts counts;
};

template <class Kernel>
Outcome run(Kernel kernel, int blocks, int block_threads, int elements, bool waits = true, int threads = 1) {
  Outcome o;
  o.data.assign(std::size_t(elements), 0);
  Launch launch;
  launch.grid = {blocks, 1, 1}, launch.block = {block_threads, 1, 1};
  launch.views = {{0, "data", Space::global, "int", 4, {std::uint64_t(elements)}, 0}};
  CacheModel l2;
  GridFold fold(launch, blocks / 2, l2);
  simt::Grid grid({}, threads);
  const View<int, P> view{o.data.data(), elements, 0};
  simt::Config config{"test", {blocks}, {block_threads}, 0};
  config.waits = waits;
  o.ended = grid.launch(
      config, [=] { kernel(view); }, &fold, [] { return true; });
  o.refused = grid.refused(), o.findings = std::int64_t(grid.told().findings().size());
  o.counts = fold.counts();
  const BlockTrace& trace = launch.trace;
  for (std::size_t t = 0; t + 1 < trace.begin.size(); ++t)
    o.events.push_back(trace.begin[t + 1] - trace.begin[t]);
  return o;
}

// Each block takes what the next one leaves, and leaves one more: the first one's is the number of blocks.
void from_behind(View<int, P> data) {
  const int next = blockIdx.x + 1;
  if (threadIdx.x > 0) return;
  int left = 0;
  if (next < int(gridDim.x))
    while (left == 0) left = as<volatile int>(data)[next];
  as<volatile int>(data)[blockIdx.x] = left + 1;
}

}  // namespace

TEST_CASE("a block can wait for one behind it, as far as both are under way") {
  const Outcome o = run(from_behind, 12, 32, 12);
  CHECK(o.ended);
  CHECK(o.data.front() == 12);
  CHECK(o.data.back() == 1);
  CHECK(o.findings == 0);
}

TEST_CASE("a block that waits for one that has not begun, or for nobody, is refused, and the rest is left") {
  const Outcome far = run(from_behind, 400, 32, 400);
  CHECK_FALSE(far.ended);
  CHECK(far.refused == "volatile");
  const auto for_nobody = [](View<int, P> data) {
    while (as<volatile int>(data)[gridDim.x] == 0) {
    }
    data[blockIdx.x] = 1;
  };
  const Outcome nobody = run(for_nobody, 4, 32, 8);
  CHECK_FALSE(nobody.ended);
  CHECK(std::accumulate(nobody.data.begin(), nobody.data.end(), 0) == 0);
  const Outcome alone = run(for_nobody, 4, 32, 8, false);  // one block after another
  CHECK_FALSE(alone.ended);
  CHECK(alone.refused == "volatile");
}

TEST_CASE("asking again is no further event: the wait's length is in no count") {
  const Outcome o = run(from_behind, 12, 32, 12);
  REQUIRE(o.events.size() == 32);
  CHECK(o.events[0] == 2);  // one load, one store
  CHECK(o.counts.global_load_requests == 11);
  CHECK(o.counts.global_store_requests == 12);
}

TEST_CASE("waves give the same outcome each time and for any number of host threads") {
  const auto who_was_first = [](View<int, P> data) {
    SHARED(int, number, 1);
    if (threadIdx.x == 0) number[0] = atomicAdd(&data[gridDim.x], 1);
    __syncthreads();
    if (threadIdx.x == 1) data[blockIdx.x] = number[0];
  };
  const Outcome one = run(who_was_first, 100, 64, 101), again = run(who_was_first, 100, 64, 101),
                four = run(who_was_first, 100, 64, 101, true, 4);
  CHECK(one.data == again.data);
  CHECK(one.data == four.data);
  CHECK(one.counts == four.counts);
  // Every number once, and not in the order of the blocks.
  std::vector<int> order(one.data.begin(), one.data.end() - 1);
  CHECK(std::set<int>(order.begin(), order.end()).size() == 100);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("between two barriers a block is not interrupted: its shared memory is its own") {
  const auto sums = [](View<int, P> data) {
    SHARED(int, part, 64);
    for (int round = 0; round < 5; ++round) {
      part[threadIdx.x] = int(blockIdx.x) * 100 + round;
      __syncthreads();
      const int other = part[63 - threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) data[blockIdx.x] += other;
    }
  };
  const Outcome o = run(sums, 40, 64, 40);
  CHECK(o.ended);
  CHECK(o.findings == 0);
  for (int b = 0; b < 40; ++b) CHECK(o.data[std::size_t(b)] == 5 * 100 * b + 10);
}
