// Where the lanes of a warp meet, and what the emulator finds where they do not.
#include <doctest/doctest.h>

#include <set>

#include "kernels/groups.cuh"
#include "kernels/lab.cuh"
#include "kernels/simt/machine.hpp"

using namespace lab;
namespace simt = lockstep::simt;

namespace {

using P = Emulated;

struct Outcome {
  std::set<std::string> kinds;
  std::string printed, refused;
  bool overflowed = false;
};

template <class Kernel>
Outcome run(Kernel kernel, Extents block = {32}, simt::Options options = {}) {
  simt::Machine machine(options);
  machine.launch({"test", {1}, block, 0}, kernel, [](auto...) { return true; });
  Outcome outcome{{}, machine.printed(), machine.refused(), machine.overflowed()};
  for (const auto& finding : machine.findings()) outcome.kinds.insert(finding.kind);
  return outcome;
}

using Kinds = std::set<std::string>;

// Each lane reads what its neighbour has written.
template <bool kSync>
void exchange(unsigned mask) {
  SHARED(int, tile, 32);
  const int lane = threadIdx.x;
  tile[lane] = lane;
  if (kSync) __syncwarp(mask);
  const int x = tile[lane ^ 1];
  CHECK((!kSync || x == (lane ^ 1)));
}

}  // namespace

TEST_CASE("__syncwarp orders what its lanes wrote; without it the exchange is a race") {
  CHECK(run([] { exchange<true>(~0u); }).kinds == Kinds{});
  CHECK(run([] { exchange<false>(~0u); }).kinds == Kinds{"race", "uninitialised"});
}

TEST_CASE("__syncwarp of half a warp orders that half alone") {
  const auto halves = [](int reach) {
    return [reach] {
      SHARED(int, tile, 32);
      const int lane = threadIdx.x;
      tile[lane] = lane;
      __syncwarp(lane < 16 ? 0xffffu : 0xffff0000u);
      const int x = tile[(lane + reach) % 32];
      (void)x;
    };
  };
  CHECK(run(halves(0)).kinds == Kinds{});
  CHECK(run(halves(16)).kinds.count("race") == 1);
}

TEST_CASE("what lane 2 learned from lane 1 it passes on to lane 3") {
  CHECK(run([] {
          SHARED(int, tile, 4);
          const int lane = threadIdx.x;
          if (lane == 1) tile[0] = 7;
          if (lane == 1 || lane == 2) __syncwarp(0b0110);
          if (lane == 2 || lane == 3) __syncwarp(0b1100);
          if (lane == 3) {
            const int x = tile[0];
            CHECK(x == 7);
          }
        }).kinds == Kinds{});
}

TEST_CASE("a collective that waits for a lane elsewhere is found, and the kernel still ends") {
  CHECK(run([] {
          if (threadIdx.x < 16) __syncwarp();
          __syncthreads();
        }).kinds == Kinds{"warp_divergence"});
  CHECK(run([] {
          if (threadIdx.x != 5) return;
          const int x = __shfl_sync(1u, 1, 0);
          (void)x;
        }).kinds == Kinds{"not_in_mask", "undefined_lane"});
  CHECK(run([] {
          const int x = __shfl_xor_sync(~0u, 1, 1, 12);
          (void)x;
        }).kinds == Kinds{"shuffle_width"});
}

TEST_CASE("lanes that have ended are not waited for, but reading one is undefined") {
  CHECK(run([] {
          if (threadIdx.x >= 16) return;
          const unsigned lanes = __ballot_sync(~0u, 1);
          CHECK(lanes == 0xffffu);
        }).kinds == Kinds{});
  CHECK(run([] {
          if (threadIdx.x >= 16) return;
          const int x = __shfl_sync(~0u, 1, 20);
          CHECK(x == -1);
        }).kinds == Kinds{"undefined_lane"});
}

TEST_CASE("a lane that is ahead of its warp meets the others before anybody can tell") {
  // Every lane reads its neighbours' value of the same round, far more rounds than lanes may be ahead.
  CHECK(run([] {
          int x = int(threadIdx.x), sum = 0;
          for (int i = 0; i < 100; ++i) {
            sum += __shfl_sync(~0u, x, i % 32);
            x = sum;
          }
          int want[32], sums[32] = {};
          for (int lane = 0; lane < 32; ++lane) want[lane] = lane;
          for (int i = 0; i < 100; ++i) {
            const int from = want[i % 32];
            for (int lane = 0; lane < 32; ++lane) sums[lane] += from;
            for (int lane = 0; lane < 32; ++lane) want[lane] = sums[lane];
          }
          CHECK(sum == want[threadIdx.x]);
        }).kinds == Kinds{});
  // printf is in the order of the lanes, though the upper half has its value first.
  const Outcome told = run([] {
    const int x = __shfl_down_sync(~0u, 1, 16);
    if (threadIdx.x % 8 == 0) printf("%d ", x * int(threadIdx.x));
  });
  CHECK(told.printed == "0 8 16 24 ");
  // So are atomics, in shared memory and in global memory.
  int drawn = 0;
  const GlobalView<int> numbers{&drawn, 1, 0};
  CHECK(run([&] {
          SHARED(int, count, 1);
          if (threadIdx.x == 0) count[0] = 0;
          __syncthreads();
          const int one = __shfl_down_sync(~0u, 1, 16);
          const int before = atomicAdd(&count[0], one);
          CHECK(before == int(threadIdx.x));
          const int same = __shfl_down_sync(~0u, 1, 16);
          const int number = atomicAdd(&numbers[0], same);
          CHECK(number == int(threadIdx.x));
        }).kinds == Kinds{});
}

TEST_CASE("a whole warp's shuffle that a lane leaves out is found though the others have gone on") {
  CHECK(run([] {
          if (threadIdx.x != 3) {
            const int x = __shfl_sync(~0u, 1, 0);
            (void)x;
          }
          __syncthreads();
        }).kinds == Kinds{"warp_divergence"});
  // The lane that came late takes part in the next one.
  CHECK(run([] {
          int x = 0;
          if (threadIdx.x != 3) x = __shfl_sync(~0u, 1, 0);
          __syncthreads();
          x = __shfl_sync(~0u, int(threadIdx.x), 3);
          CHECK(x == 3);
        }).kinds == Kinds{"warp_divergence"});
}

TEST_CASE("a block that is given up while a lane is ahead leaves nobody ahead in the next one") {
  bool gives_up = true;
  std::vector<int> out(32);
  const GlobalView<int> view{out.data(), 32, 0};
  simt::Options options;
  options.trace = options.checks = false;
  simt::Machine machine(options);
  const std::function<void()> kernel = [&] {
    if (gives_up) {
      const int x = __shfl_sync(~0u, 1, 31);  // lane 31 alone has its value at once
      if (x == 1 && threadIdx.x == 31) simt::machine->refuse_waiting("a test");
    }
    view[threadIdx.x] = int(threadIdx.x);
  };
  REQUIRE(machine.begin_launch({"test", {2}, {32}, 0}, kernel));
  CHECK(!machine.run(0));
  gives_up = false;
  CHECK(machine.run(1));
  for (int lane = 0; lane < 32; ++lane) CHECK(out[std::size_t(lane)] == lane);
}

TEST_CASE("atomics of many lanes on one cell are no race; an atomic and a plain access are") {
  CHECK(run(
            [] {
              SHARED(int, sum, 1);
              if (threadIdx.x == 0) sum[0] = 0;
              __syncthreads();
              atomicAdd(&sum[0], int(threadIdx.x));
              __syncthreads();
              const int x = sum[0];
              CHECK(x == 64 * 63 / 2);
            },
            {64})
            .kinds == Kinds{});
  CHECK(run([] {
          SHARED(int, sum, 1);
          if (threadIdx.x == 0) sum[0] = 0;
          __syncthreads();
          if (threadIdx.x == 1)
            sum[0] = 5;
          else
            atomicAdd(&sum[0], 1);
        }).kinds == Kinds{"race"});
}

TEST_CASE("one warp may write one value to one place at one line; two values, or two warps, are a race") {
  const auto store = [](int threads, bool alike) {
    return run(
               [=] {
                 SHARED(int, cell, 1);
                 cell[0] = alike ? 3 : int(threadIdx.x);
               },
               {threads})
        .kinds;
  };
  CHECK(store(32, true) == Kinds{});
  CHECK(store(32, false) == Kinds{"race"});
  CHECK(store(64, true) == Kinds{"race"});
}

TEST_CASE("a kernel that waits for the whole grid is refused by name, and the machine runs the next one") {
  simt::Machine machine({});
  const auto on_block = [](auto...) { return true; };
  CHECK(!machine.launch(
      {"waits", {2}, {32}, 0}, [] { cooperative_groups::this_grid().sync(); }, on_block));
  CHECK(machine.refused() == "this_grid().sync()");
  CHECK(run([] { __syncthreads(); }).kinds == Kinds{});
}

TEST_CASE("what a kernel prints is kept, thread after thread") {
  CHECK(run([] {
          if (threadIdx.x < 2) printf("lane %d of %s\n", int(threadIdx.x), "warp");
        }).printed == "lane 0 of warp\nlane 1 of warp\n");
}

TEST_CASE("a block that makes more events than the machine holds is stopped from growing and says so") {
  simt::Options options;
  options.max_block_events = 100'000;
  std::vector<int> data(32);
  const GlobalView<int> out{data.data(), 32, 0};
  const auto stores = [&](int n) {
    return [=] {
      for (int k = 0; k < n; ++k) out[threadIdx.x] = k;
    };
  };
  CHECK(!run(stores(1000), {32}, options).overflowed);
  CHECK(run(stores(10000), {32}, options).overflowed);
}
