// What the emulator finds. Each kernel is small and wrong in one way.
#include <doctest/doctest.h>

#include "kernels/lab.cuh"
#include "kernels/simt/machine.hpp"

using namespace lab;
using lockstep::Access;
using lockstep::Finding;
namespace simt = lockstep::simt;

namespace {

using P = Emulated;

template <class Kernel>
std::vector<Finding> findings_of(Kernel kernel, Extents block, Extents grid = {}) {
  simt::Machine machine({});
  machine.launch({"test", grid, block, 0}, kernel, [](auto...) { return true; });
  return machine.findings();
}

int line_of_write, line_of_read;

// Thread t writes its element, then reads its neighbour's.
template <bool kBarrier>
void neighbours(View<float, P> out) {
  SHARED(float, tile, 64);
  line_of_write = __LINE__ + 1;
  tile[threadIdx.x] = float(threadIdx.x);
  if (kBarrier) __syncthreads();
  line_of_read = __LINE__ + 1;
  out[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
}

}  // namespace

TEST_CASE("without __syncthreads() the race names both threads and both lines; with it there is none") {
  std::vector<float> out(64);
  const View<float, P> view{out.data(), 64, 0};
  const auto races = findings_of([=] { neighbours<false>(view); }, {64});
  REQUIRE_FALSE(races.empty());
  bool write_after_read = false;
  for (const Finding& f : races)
    if (f.kind == "race") {
      write_after_read = true;
      CHECK(f.thread >= 0);
      CHECK(f.other_thread >= 0);
      CHECK(f.thread != f.other_thread);
      CHECK(f.line + f.other_line == line_of_write + line_of_read);
      const std::string text = f.what.text();
      CHECK(text.find("line " + std::to_string(f.line)) != std::string::npos);
      CHECK(text.find("line " + std::to_string(f.other_line)) != std::string::npos);
    }
  CHECK(write_after_read);
  CHECK(findings_of([=] { neighbours<true>(view); }, {64}).empty());
  for (int i = 0; i < 64; ++i) CHECK(out[i] == float((i + 1) % 64));
}

TEST_CASE(
    "reading an element and writing it in the same interval by another thread is a race, whoever comes "
    "first") {
  std::vector<float> out(2);
  const View<float, P> view{out.data(), 2, 0};
  for (bool writer_first : {true, false}) {
    const auto found = findings_of(
        [=] {
          SHARED(float, cell, 1);
          if (threadIdx.x == 0) cell[0] = 1;
          __syncthreads();
          if ((threadIdx.x == 0) == writer_first)
            cell[0] = 2;
          else
            view[0] = cell[0];
        },
        {2});
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == "race");
  }
}

TEST_CASE("shared memory that nobody wrote is found, and reads as NaN") {
  std::vector<float> out(32);
  const View<float, P> view{out.data(), 32, 0};
  const auto found = findings_of(
      [=] {
        SHARED(float, tile, 32);
        if (threadIdx.x < 31) tile[threadIdx.x] = 1;
        __syncthreads();
        view[threadIdx.x] = tile[threadIdx.x];
      },
      {32});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "uninitialised");
  CHECK(found[0].thread == 31);
  CHECK(out[31] != out[31]);
}

TEST_CASE("what a block wrote is gone in the next block") {
  const auto found = findings_of(
      [] {
        SHARED(float, tile, 1);
        if (blockIdx.x == 0)
          tile[0] = 1;
        else
          tile[0] += 1;
      },
      {1}, {2});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "uninitialised");
  CHECK(found[0].block == 1);
}

TEST_CASE("an index outside a view or a tile is found and not carried out") {
  std::vector<float> out{1, 2, 3, 4};
  const View<float, P> view{out.data(), 3, 0};
  auto found = findings_of([=] { view[3] = 9; }, {1});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "out_of_bounds");
  CHECK(out[3] == 4);
  found = findings_of([=] { view[int(threadIdx.x) - 1] = 9; }, {1});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "out_of_bounds");
  found = findings_of(
      [] {
        SHARED(float, tile, 2, 2);
        tile[2][0] = 1;
      },
      {1});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "out_of_bounds");
}

TEST_CASE("a wide access at an odd address is found") {
  alignas(16) float data[8] = {};
  const View<float, P> odd{data + 1, 7, 0};
  const auto found = findings_of([=] { as<float4>(odd)[0] = make_float4(1, 2, 3, 4); }, {1});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "misaligned");
  CHECK(data[1] == 0);
}

TEST_CASE("a barrier that not all threads reach is found with both threads") {
  auto found = findings_of(
      [] {
        if (threadIdx.x < 40) __syncthreads();
      },
      {64});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "barrier_divergence");
  CHECK(found[0].thread < 40);
  CHECK(found[0].other_thread >= 40);
  found = findings_of(
      [] {
        if (threadIdx.x < 32)
          __syncthreads();
        else
          __syncthreads();
      },
      {64});
  REQUIRE(found.size() == 1);
  CHECK(found[0].line != found[0].other_line);
}

TEST_CASE("an asynchronous copy arrives at its wait: a missing wait is found") {
  alignas(16) float in[64], out[64];
  for (int i = 0; i < 64; ++i) in[i] = float(i);
  const View<const float, P> source{in, 64, 0};
  const View<float, P> target{out, 64, 1};
  const auto kernel = [=](bool wait) {
    SHARED(float4, tile, 16);
    copy_async(tile[threadIdx.x], as<const float4>(source)[threadIdx.x]);
    copy_async_commit();
    if (wait) copy_async_wait<0>();
    as<float4>(target)[threadIdx.x] = tile[threadIdx.x];
  };
  CHECK(findings_of([=] { kernel(true); }, {16}).empty());
  for (int i = 0; i < 64; ++i) CHECK(out[i] == in[i]);
  const auto found = findings_of([=] { kernel(false); }, {16});
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == "copy_not_awaited");
}

TEST_CASE("waiting for all but one group leaves the last copy in flight") {
  alignas(16) float in[2] = {1, 2};
  float out[2];
  const View<const float, P> source{in, 2, 0};
  const View<float, P> target{out, 2, 1};
  const auto found = findings_of(
      [=] {
        SHARED(float, tile, 2);
        for (int i = 0; i < 2; ++i) {
          copy_async(tile[i], source[i]);
          copy_async_commit();
        }
        copy_async_wait<1>();
        target[0] = tile[0];
        target[1] = tile[1];
      },
      {1});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "copy_not_awaited");
  CHECK(out[0] == 1);
}

TEST_CASE("copies are events: issued, committed, awaited, with both addresses") {
  alignas(16) float in[4] = {1, 2, 3, 4};
  const View<const float, P> source{in, 4, 7};
  simt::Machine machine({});
  std::vector<lockstep::Copy> copies;
  std::vector<Access> events;
  machine.launch(
      {"test", {}, {1}, 0},
      [=] {
        SHARED(float4, tile, 1);
        copy_async(tile[0], as<const float4>(source)[0]);
        copy_async_commit();
        copy_async_wait<0>();
      },
      [&](std::int64_t, auto threads, auto copy_streams) {
        events.assign(threads[0].begin(), threads[0].end());
        copies.assign(copy_streams[0].begin(), copy_streams[0].end());
        return true;
      });
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].bytes == 16);
  CHECK(copies[0].source_view == 7);
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == lockstep::Kind::copy_issue);
  CHECK(events[1].kind == lockstep::Kind::copy_target);
  CHECK(events[1].view == copies[0].target_view);
}

TEST_CASE("grids and blocks reach to three dimensions, in the order x, y, z") {
  std::vector<int> out(2 * 3 * 4 * 4 * 3 * 2, -1);
  const View<int, P> view{out.data(), std::int64_t(out.size()), 0};
  const auto found = findings_of(
      [=] {
        const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        view[block * 24 + thread] = block * 100 + thread;
      },
      {4, 3, 2}, {2, 3, 4});
  CHECK(found.empty());
  for (int i = 0; i < int(out.size()); ++i) CHECK(out[i] == i / 24 * 100 + i % 24);
}

TEST_CASE("dynamic shared memory holds what the launch gave, and not more") {
  for (const std::int64_t bytes : {256, 128}) {
    simt::Machine machine({});
    machine.launch(
        {"test", {}, {64}, bytes},
        [] {
          DYNAMIC_SHARED(float, tile, 2, 32, 0);
          tile[threadIdx.x / 32][threadIdx.x % 32] = 1;
        },
        [](auto...) { return true; });
    CHECK(machine.findings().empty() == (bytes == 256));
  }
}

TEST_CASE("a swizzled tile stores element (r, c) in column c ^ r and gives it back") {
  simt::Machine machine({});
  std::vector<Access> events;
  float got = 0;
  machine.launch(
      {"test", {}, {1}, 0},
      [&] {
        SHARED(float, tile, 32, 32, XorSwizzle<31>);
        tile[5][9] = 3;
        got = tile[5][9];
      },
      [&](std::int64_t, auto threads, auto) {
        events.assign(threads[0].begin(), threads[0].end());
        return true;
      });
  CHECK(got == 3);
  REQUIRE(events.size() == 2);
  CHECK(events[0].offset == (5 * 32 + (9 ^ 5)) * 4);
}

TEST_CASE("views of rows index like a matrix; the line of each index is the line it stands in") {
  std::vector<float> data(12);
  const View2<float, P> matrix{{data.data(), 12, 3}, 4};
  simt::Machine machine({});
  std::vector<Access> events;
  int line = 0;
  machine.launch(
      {"test", {}, {1}, 0},
      [&] {
        line = __LINE__ + 1;
        matrix[2][1] = 5;
        matrix[0][0] += matrix[2][1];
      },
      [&](std::int64_t, auto threads, auto) {
        events.assign(threads[0].begin(), threads[0].end());
        return true;
      });
  CHECK(data[9] == 5);
  CHECK(data[0] == 5);
  REQUIRE(events.size() == 4);
  CHECK(events[0].line == line);
  CHECK(events[0].offset == 36);
  CHECK(events[0].view == 3);
}

TEST_CASE("two runs of one kernel give the same events") {
  const auto events_of = [] {
    simt::Machine machine({});
    std::vector<Access> events;
    std::vector<float> out(64);
    const View<float, P> view{out.data(), 64, 0};
    machine.launch(
        {"test", {2}, {32}, 0},
        [=] {
          SHARED(float, tile, 32);
          tile[31 - threadIdx.x] = float(threadIdx.x);
          __syncthreads();
          view[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
        },
        [&](std::int64_t, auto threads, auto) {
          for (auto& s : threads) events.insert(events.end(), s.begin(), s.end());
          return true;
        });
    return events;
  };
  CHECK(events_of() == events_of());
}

TEST_CASE("a launch that no GPU takes is refused with its numbers") {
  const auto found = findings_of([] {}, {1025});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "launch");
  CHECK(found[0].what.text().find("1025") != std::string::npos);
}
