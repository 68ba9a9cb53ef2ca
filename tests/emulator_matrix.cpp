// mma.sync and ldmatrix as the emulator runs them, against the documented layouts (app/model/fragments.hpp),
// and copies that fill with zeros.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "app/model/fold.hpp"
#include "app/model/fragments.hpp"
#include "kernels/fast_math.cuh"
#include "kernels/lab.cuh"
#include "kernels/matrix.cuh"
#include "kernels/simt/machine.hpp"

using namespace lab;
namespace simt = lockstep::simt;
using lockstep::Fragment;

namespace {

std::set<std::string> run(
    const std::function<void()>& kernel, std::int64_t dynamic_bytes = 0,
    const simt::Machine::OnBlock& on_block = [](auto...) { return true; }) {
  simt::Machine machine{{}};
  machine.launch({"test", {1}, {32}, dynamic_bytes}, kernel, on_block);
  std::set<std::string> kinds;
  for (const auto& finding : machine.findings()) kinds.insert(finding.kind);
  return kinds;
}

// T is nv_bfloat16 or half.
template <class T>
void check_mma() {
  std::mt19937 random(3);
  float a[16][16], b[16][8], c[16][8], got[16][8];
  const auto fill = [&](auto& m) {
    for (auto& row : m)
      for (float& x : row) x = T(float(random() >> 8) * 0x1p-23f - 1);
  };
  fill(a), fill(b), fill(c);
  run([&] {
    const int lane = threadIdx.x;
    unsigned ra[4] = {}, rb[2] = {};
    float rc[4] = {};
    const auto load = [&](Fragment f, unsigned* r, auto& m) {
      for (int reg = 0; reg < lockstep::shape_of(f).registers; ++reg)
        for (int half = 0; half < 2; ++half) {
          const auto at = lockstep::element_in(f, {lane, reg, half});
          r[reg] |= unsigned(T(m[at.row][at.col]).bits) << (16 * half);
        }
    };
    load(Fragment::a, ra, a), load(Fragment::b, rb, b);
    for (int reg = 0; reg < 4; ++reg) {
      const auto at = lockstep::element_in(Fragment::c, {lane, reg, 0});
      rc[reg] = c[at.row][at.col];
    }
    mma_m16n8k16<T>(rc, ra, rb);
    for (int reg = 0; reg < 4; ++reg) {
      const auto at = lockstep::element_in(Fragment::c, {lane, reg, 0});
      got[at.row][at.col] = rc[reg];
    }
  });
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double want = c[i][j];
      for (int p = 0; p < 16; ++p) want += double(a[i][p]) * double(b[p][j]);
      CHECK(std::abs(got[i][j] - want) <= 1e-6);
    }
}

}  // namespace

TEST_CASE("mma.sync multiplies 16 x 16 by 16 x 8 and adds, each element where the PTX ISA says it lies") {
  check_mma<nv_bfloat16>();
  check_mma<half>();
}

TEST_CASE("mma.sync of bf16 is the one without a name, and fp16 numbers are not taken for bf16") {
  run([] {
    const unsigned one_bf16 = 0x3f803f80, one_half = 0x3c003c00;
    unsigned a[4] = {one_bf16, one_bf16, one_bf16, one_bf16}, b[2] = {one_bf16, one_bf16};
    float c[4] = {};
    mma_m16n8k16(c, a, b);
    CHECK(c[0] == 16);
    mma_m16n8k16<bf16>(c, a, b);
    CHECK(c[0] == 32);
    for (unsigned& r : a) r = one_half;
    for (unsigned& r : b) r = one_half;
    mma_m16n8k16<half>(c, a, b);
    CHECK(c[3] == 48);
  });
}

TEST_CASE("pack rounds two floats to nearest even, the first one to the lower half") {
  CHECK(pack<bf16>(1.f, -2.f) == 0xc0003f80);
  CHECK(pack<nv_bfloat16>(1.f, -2.f) == 0xc0003f80);
  CHECK(pack<half>(1.f, -2.f) == 0xc0003c00);
  // A tie goes to the even neighbour, anything above it up: bf16 has 7 bits behind the point of 1, fp16 10.
  CHECK(pack<bf16>(1 + 0x1p-8f, 1 + 0x3p-8f) == 0x3f823f80);
  CHECK(pack<bf16>(1 + 0x1p-8f + 0x1p-20f, 0) == 0x3f81);
  CHECK(pack<half>(1 + 0x1p-11f, 1 + 0x3p-11f) == 0x3c023c00);
  CHECK(pack<half>(1 + 0x1p-11f + 0x1p-20f, 0) == 0x3c01);
  CHECK(pack<half>(65520.f, 0x1p-24f) == 0x00017c00);  // beyond the largest: infinity; the smallest subnormal
  CHECK(pack<bf16>(INFINITY, -0.f) == 0x80007f80);
}

TEST_CASE("fast_exp2 is 2^x, and zero where that is no normal number") {
  for (float x : {0.f, 1.f, -1.f, 0.5f, -100.25f, 127.f, -126.f})
    CHECK(std::abs(fast_exp2(x) - std::exp2(double(x))) <= 0x1p-22 * std::exp2(double(x)));
  CHECK(fast_exp2(-126.5f) == 0);
  CHECK(fast_exp2(-INFINITY) == 0);
  CHECK(fast_exp2(128.f) == INFINITY);
  CHECK(std::isnan(fast_exp2(NAN)));
}

template <bool kTransposed>
void check_ldmatrix() {
  std::vector<unsigned> got(128);
  const auto kinds = run([&] {
    SHARED(uint4, tile, 32, 2);  // 32 rows of two units; matrix q is unit q % 2 of rows 8 q .. 8 q + 7
    const int lane = threadIdx.x;
    const auto word = [&](int pair) {
      return unsigned(lane * 100 + 2 * pair) | unsigned(lane * 100 + 2 * pair + 1) << 16;
    };
    tile[lane][lane / 8 % 2] = make_uint4(word(0), word(1), word(2), word(3));
    __syncthreads();
    unsigned r[4];
    if constexpr (kTransposed)
      load_matrix_x4_trans(r, tile[lane][lane / 8 % 2]);
    else
      load_matrix_x4(r, tile[lane][lane / 8 % 2]);
    for (int q = 0; q < 4; ++q) got[std::size_t(lane * 4 + q)] = r[q];
  });
  CHECK(kinds.empty());
  for (int lane = 0; lane < 32; ++lane)
    for (int q = 0; q < 4; ++q)
      for (int half = 0; half < 2; ++half) {
        const auto at = lockstep::loaded_element({lane, q, half}, kTransposed);
        CHECK((got[std::size_t(lane * 4 + q)] >> (16 * half) & 0xffff) ==
              unsigned((q * 8 + at.row) * 100 + at.col));
      }
}

TEST_CASE("ldmatrix.x4 gives every lane two neighbours of each matrix, .trans of each matrix turned over") {
  check_ldmatrix<false>();
  check_ldmatrix<true>();
}

TEST_CASE("ldmatrix is one load of 16 bytes per lane in the trace, mma none") {
  std::vector<int> loads;
  run(
      [] {
        SHARED(uint4, tile, 32, 1);
        tile[threadIdx.x][0] = make_uint4(0, 0, 0, 0);
        __syncthreads();
        unsigned r[4];
        load_matrix_x4(r, tile[threadIdx.x][0]);
        float c[4] = {};
        mma_m16n8k16(c, r, r);
      },
      0,
      [&](std::int64_t, auto threads, auto) {
        for (const auto& stream : threads)
          loads.push_back(int(std::count_if(stream.begin(), stream.end(),
                                            [](const lockstep::Access& x) {
                                              return x.kind == lockstep::Kind::load && x.width == 16;
                                            })) *
                              100 +
                          int(stream.size()));
        return true;
      });
  CHECK(loads == std::vector<int>(32, 103));  // a store, a barrier, the load
}

TEST_CASE("a matrix operation in divergent code is found") {
  CHECK(run([] {
          float c[4] = {};
          unsigned r[4] = {};
          if (threadIdx.x < 16) mma_m16n8k16(c, r, r);
        }) == std::set<std::string>{"warp_divergence"});
}

TEST_CASE("a copy whose condition is false writes zeros and reads nothing, not even beyond the end") {
  float data[4] = {1, 2, 3, 4};
  const GlobalView<const float> in{data, 4, 0};
  std::vector<float> got(32);
  const auto kinds = run([&] {
    SHARED(float, tile, 1, 32);
    const int lane = threadIdx.x;
    copy_async_if(lane < 4, tile[0][lane], in[lane]);
    copy_async_commit();
    copy_async_wait<0>();
    got[std::size_t(lane)] = tile[0][lane];
    got[std::size_t(lane)] += load_if(lane < 4, in[lane]);
  });
  CHECK(kinds.empty());
  for (int lane = 0; lane < 32; ++lane) CHECK(got[std::size_t(lane)] == (lane < 4 ? 2 * data[lane] : 0));
}

TEST_CASE("arrays in dynamic shared memory start where they say, and must fit") {
  const auto two_arrays = [] {
    DYNAMIC_SHARED(float, low, 1, 32, 0);
    DYNAMIC_SHARED(float, high, 1, 32, 128);
    low[0][threadIdx.x] = 1;
    high[0][31 - threadIdx.x] = 2;  // no race with what stands below
    const float x = low[0][threadIdx.x], y = high[0][31 - threadIdx.x];
    CHECK(x == 1);
    CHECK(y == 2);
  };
  CHECK(run(two_arrays, 256).empty());
  CHECK(run(
            [] {
              DYNAMIC_SHARED(float, high, 1, 32, 129 * 4);
              high[0][threadIdx.x] = 2;
            },
            256) == std::set<std::string>{"launch", "out_of_bounds"});
}

TEST_CASE(
    "cp.async of 16 bytes: a sector is fetched once for each 32-byte block of shared memory that it goes "
    "to") {
  // Lane i copies 16 bytes from 16 i to a row of 48 bytes per pair of lanes: every other row is off by half a
  // block.
  std::array<std::uint32_t, 32> source{}, padded{}, straight{};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    source[lane] = 16 * lane, padded[lane] = lane / 2 * 48 + lane % 2 * 16, straight[lane] = 16 * lane;
  CHECK(lockstep::copy_sectors(~0u, source, straight).fetched == 16);
  CHECK(lockstep::copy_sectors(~0u, source, straight).requested == 16);
  CHECK(lockstep::copy_sectors(~0u, source, padded).fetched == 24);
  CHECK(lockstep::copy_sectors(~0u, source, padded).requested == 24);
}

TEST_CASE("dynamic arrays may lie over each other: what one wrote the other reads, and races are found") {
  const auto overlapping = [](bool wait) {
    DYNAMIC_SHARED(float, low, 1, 32, 0);
    DYNAMIC_SHARED(float4, high, 1, 8, 64);
    low[0][threadIdx.x] = float(threadIdx.x);
    if (wait) __syncthreads();
    if (threadIdx.x < 4) {
      const float4 x = high[0][threadIdx.x];
      if (wait) CHECK(x.z == 18 + 4 * threadIdx.x);
      high[0][4 + threadIdx.x] = x;
    }
  };
  CHECK(run([=] { overlapping(true); }, 256).empty());
  CHECK(run([=] { overlapping(false); }, 256) == std::set<std::string>{"race", "uninitialised"});
}

TEST_CASE("what an asynchronous copy may still fill must not be written, under whichever name") {
  alignas(16) float data[32] = {};
  const View<const float, Emulated> in{data, 32, 0};
  const auto kernel = [=](bool wait) {
    DYNAMIC_SHARED(float, tile, 1, 32, 0);
    DYNAMIC_SHARED(float4, other, 1, 8, 0);
    copy_async(tile[0][threadIdx.x], in[threadIdx.x]);
    copy_async_commit();
    if (wait) copy_async_wait<0>();
    __syncthreads();
    if (threadIdx.x < 8) other[0][threadIdx.x] = make_float4(1, 2, 3, 4);
  };
  CHECK(run([=] { kernel(true); }, 128).empty());
  CHECK(run([=] { kernel(false); }, 128) == std::set<std::string>{"copy_not_awaited"});
}

TEST_CASE("dynamic arrays of narrow elements over each other, or crooked ones, are found") {
  const auto overlapping = [] {
    DYNAMIC_SHARED(float, low, 1, 32, 0);
    DYNAMIC_SHARED(std::uint16_t, high, 1, 32, 64);
    low[0][threadIdx.x] = 1;
    __syncthreads();
    high[0][threadIdx.x] = 2;
  };
  CHECK(run(overlapping, 256) == std::set<std::string>{"launch"});
  const auto crooked = [] {
    DYNAMIC_SHARED(float4, tile, 1, 8, 4);
    if (threadIdx.x < 8) tile[0][threadIdx.x] = make_float4(0, 0, 0, 0);
  };
  CHECK(run(crooked, 256) == std::set<std::string>{"launch"});
}
