// Blocks beside each other: whatever the number of threads, what comes out is what comes out in order.
#include <doctest/doctest.h>

#include <cstring>
#include <numeric>

#include "kernels/lab.cuh"
#include "kernels/simt/grid.hpp"

using namespace lab;
using namespace lockstep;
namespace simt = lockstep::simt;

namespace {

using P = Emulated;

// Everything that a launch leaves behind, as one string of bytes.
struct Left {
  std::string bytes, printed;
  std::vector<Finding> findings;
  std::int64_t findings_dropped = 0;
  Counts counts;
  std::optional<SeenWrite> seen_write;
  int ran_in_order = 0;
  bool operator==(const Left& o) const {  // ran_in_order may differ: one thread never tries
    return bytes == o.bytes && printed == o.printed && findings == o.findings &&
           findings_dropped == o.findings_dropped && counts == o.counts;
  }
};

template <class T>
void append(std::string& to, const std::vector<T>& column) {
  to.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(T));
}

std::vector<ViewInfo> views_of(const std::vector<int>& data) {
  return {{0, "data", Space::global, "int", 4, {data.size()}, 0}};
}

template <class Kernel>
Left left_by(Kernel kernel, Extents grid, Extents block, std::vector<int> data, int threads) {
  Launch launch;
  launch.grid = {grid.x, grid.y, grid.z}, launch.block = {block.x, block.y, block.z};
  launch.views = views_of(data);
  CacheModel l2;
  GridFold fold(launch, 1, l2);
  simt::Grid blocks({}, threads);
  const View<int, P> view{data.data(), std::int64_t(data.size()), 0};
  blocks.launch(
      {"test", grid, block, 0}, [=] { kernel(view); }, &fold, [] { return true; });
  Left left;
  append(left.bytes, data);
  append(left.bytes, launch.trace.events);
  append(left.bytes, launch.trace.l2_sectors), append(left.bytes, launch.trace.hbm_sectors);
  for (const Touch& t : fold.take_touches()) {
    append(left.bytes, t.writer_block), append(left.bytes, t.reader_block), append(left.bytes, t.reads);
    append(left.bytes, t.writer_thread), append(left.bytes, t.reader_thread);
    append(left.bytes, t.writer_line), append(left.bytes, t.reader_line);
  }
  append(left.bytes,
         std::vector<std::uint64_t>{fold.accesses(), fold.l2_load_sectors(), fold.l2_store_sectors(),
                                    l2.fetched_bytes(), l2.written_bytes(), blocks.most_events()});
  left.printed = blocks.told().printed();
  left.findings = blocks.told().findings(), left.findings_dropped = blocks.told().findings_dropped();
  left.counts = fold.counts();
  left.seen_write = fold.seen_write(), left.ran_in_order = blocks.ran_in_order();
  return left;
}

std::vector<int> numbers(int n) {
  std::vector<int> data(std::size_t(n), 0);
  std::iota(data.begin(), data.end(), 1);
  return data;
}

// The same by 1, 2, 3 and 8 threads; returns what 8 left.
template <class Kernel>
Left same_for_all(Kernel kernel, Extents grid, Extents block, const std::vector<int>& data) {
  const Left in_order = left_by(kernel, grid, block, data, 1);
  Left last;
  for (const int threads : {2, 3, 8}) {
    CAPTURE(threads);
    last = left_by(kernel, grid, block, data, threads);
    CHECK(last == in_order);
  }
  return last;
}

int int_at(const Left& left, std::size_t i) {
  int x;
  std::memcpy(&x, left.bytes.data() + 4 * i, 4);
  return x;
}

}  // namespace

TEST_CASE("blocks that write for themselves leave the same for any number of threads, and share the work") {
  const auto reversed = [](View<int, P> data) {
    SHARED(int, tile, 64);
    tile[threadIdx.x] = data[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    data[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
  };
  const Left left = same_for_all(reversed, {100}, {64}, numbers(6400));
  CHECK(left.ran_in_order == 0);
  CHECK_FALSE(left.seen_write);
  CHECK(int_at(left, 64) == 128);
}

TEST_CASE(
    "a block that reads what the one before it wrote gets what it gets in order, and the fold says so") {
  const auto chain = [](View<int, P> data) {
    if (threadIdx.x == 0 && blockIdx.x > 0) data[blockIdx.x] = data[blockIdx.x - 1] + 2;
  };
  const Left left = same_for_all(chain, {200}, {32}, std::vector<int>(200, 5));
  CHECK(left.ran_in_order == 1);
  for (std::size_t b = 0; b < 200; ++b) CHECK(int_at(left, b) == 5 + 2 * int(b));
  REQUIRE(left.seen_write);
  CHECK(left.seen_write->reader_block == 2);
  CHECK(left.seen_write->writer_block == 1);
}

TEST_CASE("blocks far apart that meet in one byte, late in the grid, leave the same") {
  const auto meets_late = [](View<int, P> data) {
    const int block = blockIdx.x;
    if (threadIdx.x == 0) data[block] = block;
    if (block >= 150 && threadIdx.x == 1) data[200 + block] = data[block - 3];
  };
  same_for_all(meets_late, {200}, {32}, numbers(400));
}

TEST_CASE("what several blocks write to one place is what the last of them wrote") {
  const auto last_wins = [](View<int, P> data) { data[threadIdx.x] = int(blockIdx.x * 100 + threadIdx.x); };
  const Left left = same_for_all(last_wins, {90}, {32}, numbers(32));
  CHECK(left.ran_in_order == 0);
  CHECK(int_at(left, 3) == 8903);
}

TEST_CASE("a block reads its own writes, in part and through wider elements, before they are in place") {
  const auto own = [](View<int, P> data) {
    const int first = int(blockIdx.x) * 128 + int(threadIdx.x) * 4;
    data[first + 1] = first;
    const auto wide = as<int4>(data);
    int4 x = wide[first / 4];  // three as they were, one new
    x.x = x.y + x.z;
    wide[first / 4] = x;
    data[first + 2] += data[first];
  };
  const Left left = same_for_all(own, {64}, {32}, numbers(64 * 128));
  CHECK(left.ran_in_order == 0);
  CHECK(int_at(left, 128) == 128 + 131);
  CHECK(int_at(left, 130) == 131 + 128 + 131);
}

TEST_CASE("atomics whose result nobody uses need no order; those whose result is used keep it") {
  const auto histogram = [](View<int, P> data) {
    atomicAdd(&data[threadIdx.x % 4], int(blockIdx.x));
    atomicMax(&data[4], int(blockIdx.x * 32 + threadIdx.x));
  };
  const Left counted = same_for_all(histogram, {100}, {32}, std::vector<int>(8, 0));
  CHECK(counted.ran_in_order == 0);
  CHECK(int_at(counted, 1) == 8 * 99 * 100 / 2);
  CHECK(int_at(counted, 4) == 3199);
  const auto tickets = [](View<int, P> data) {
    if (threadIdx.x == 0) {
      const int ticket = atomicAdd(&data[0], 1);
      data[1 + ticket] = int(blockIdx.x);
    }
  };
  const Left drawn = same_for_all(tickets, {100}, {32}, std::vector<int>(101, 0));
  CHECK(drawn.ran_in_order == 1);
  for (int b = 0; b < 100; ++b) CHECK(int_at(drawn, std::size_t(1 + b)) == b);
}

TEST_CASE("floats added by reductions of many blocks are rounded in the order of the blocks") {
  const auto sum = [](View<int, P> data) {
    const auto floats = as<float>(data);
    atomicAdd(&floats[0], 1.0f / float(1 + blockIdx.x * 32 + threadIdx.x));
  };
  CHECK(same_for_all(sum, {100}, {32}, std::vector<int>(4, 0)).ran_in_order == 0);
}

TEST_CASE("a block that waits for an earlier one's flag goes on when its turn has come") {
  const auto look_back = [](View<int, P> data) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x > 0)
      while (atomicAdd(&data[blockIdx.x - 1], 0) == 0) {
      }
    atomicExch(&data[blockIdx.x], 1);
  };
  CHECK(same_for_all(look_back, {6}, {32}, std::vector<int>(6, 0)).ran_in_order <= 1);
}

TEST_CASE("findings, dropped ones and printed text come in the order of the blocks") {
  const auto wrong = [](View<int, P> data) {
    data[100000 + blockIdx.x] = 1;
    if (threadIdx.x == 0 && blockIdx.x % 7 == 3) printf("block %d\n", int(blockIdx.x));
    SHARED(int, tile, 32);
    tile[threadIdx.x / 2] = int(threadIdx.x);
    const int x = tile[(threadIdx.x + 1) % 16];
    (void)x;
  };
  const Left left = same_for_all(wrong, {50}, {32}, numbers(32));
  CHECK(left.printed.starts_with("block 3\nblock 10\n"));
  CHECK(left.findings.size() >= 2);
}

TEST_CASE("arrays that only some blocks declare leave each block the L1 that it has in order") {
  const auto some = [](View<int, P> data) {
    int x = 0;
    if (blockIdx.x == 9) {
      SHARED(int, rare, 32, 256);
      rare[threadIdx.x][0] = 1;
      x = rare[threadIdx.x][0];
    }
    SHARED(int, often, 32);
    often[threadIdx.x] = x;
    for (int k = 0; k < 256; ++k) x += data[k % 128 * 32 + threadIdx.x];  // 16 KB, twice
    data[4096 + blockIdx.x * 32 + threadIdx.x] = x + often[threadIdx.x];
  };
  const Left left = same_for_all(some, {300}, {32}, numbers(4096 + 300 * 32));
  CHECK(left.ran_in_order == 0);
}

TEST_CASE("a block that waits for all others is refused by name, after the blocks before it") {
  Launch launch;
  launch.grid = {50, 1, 1}, launch.block = {32, 1, 1};
  for (const int threads : {1, 4}) {
    std::vector<int> data(64, 0);
    CacheModel l2;
    GridFold fold(launch, 0, l2);
    simt::Grid grid({}, threads);
    const View<int, P> view{data.data(), 64, 0};
    const auto kernel = [=] {
      if (blockIdx.x == 20) simt::machine->refuse_waiting("this_grid().sync()");
      view[blockIdx.x] = 1;
    };
    CHECK_FALSE(grid.launch({"test", {50}, {32}, 0}, kernel, &fold, [] { return true; }));
    CHECK(grid.refused() == "this_grid().sync()");
    CHECK(std::accumulate(data.begin(), data.end(), 0) == 20);
  }
}

TEST_CASE("an atomic is counted where it is done, by whether its result is used") {
  const auto counted = [](View<int, P> data) {
    atomicAdd(&data[threadIdx.x], 1);                    // 4 sectors
    const int old = atomicAdd(&data[32], 1);             // 1 sector
    if (atomicExch(&data[threadIdx.x * 8], 7) == 12345)  // 32 sectors
      data[40] = old;
    SHARED(int, sum, 1);
    atomicAdd(&sum[0], 1);
    if (threadIdx.x < 16) atomicMax(&sum[0], 3);
  };
  const Left left = same_for_all(counted, {2}, {32}, std::vector<int>(256, 0));
  CHECK(left.counts.global_reduction_sectors == 2 * 4);
  CHECK(left.counts.global_atomic_sectors == 2 * (1 + 32));
  CHECK(left.counts.shared_atomic_instructions == 2 * 2);
  CHECK(left.counts.global_load_sectors == 0);
}
