// Numbers that count their own arithmetic, on the host and in an emulated kernel.
#include <doctest/doctest.h>

#include "kernels/lab.cuh"
#include "kernels/simt/counted.hpp"
#include "kernels/simt/machine.hpp"

using namespace lab;
namespace simt = lockstep::simt;

TEST_CASE("every operation of a counted number counts once, a fused multiply-add as two") {
  CountedWork work;
  {
    const Counting counting(work);
    Counted x = 3.0f, y = 2.0f;
    x += y, x = x - y, x = x * y, x /= y;
    CHECK(fma(x, y, x).value() == 9);
    CHECK(max(x, y).value() == 3);
    CHECK(min(x, y).value() == 2);
    CHECK((exp(Counted(0)) + sqrt(Counted(4))).value() == 3);
    CHECK((-x).value() == -3);
  }
  CHECK(work == CountedWork{4, 2, 1, 2, 2, 0, 0});
  CHECK(work.flop() == 11);
  Counted unseen = 1.0f;
  unseen += 1.0f;
  CHECK(work.flop() == 11);
}

TEST_CASE("an element in memory counts its bytes, each time that it is read or written") {
  float x = 1, y = 2;
  CountedWork work;
  const Counting counting(work);
  CountedElement a(x, 2), b(y, 2);
  b = Counted(a) + Counted(a);
  b = a;
  CHECK(y == 1);
  CHECK(work.bytes_read == 6);
  CHECK(work.bytes_written == 4);
  CHECK(work.flop() == 1);
}

TEST_CASE("an emulated kernel over counted numbers says its FLOP: a dot product of 32 has 64") {
  CountedWork work;
  const Counting counting(work);
  simt::Machine machine{simt::Options{}};
  float result = 0;
  machine.launch(
      {"test", {1}, {32}, 0},
      [&] {
        using P = Emulated;
        SHARED(Counted, row, 32);
        row[threadIdx.x] = Counted(float(threadIdx.x));
        __syncthreads();
        if (threadIdx.x != 0) return;
        Counted sum = 0;
        for (int k = 0; k < 32; ++k) {
          const Counted x = row[k];
          sum = fma(x, x, sum);
        }
        result = sum.value();
      },
      [](auto...) { return true; });
  CHECK(result == 31 * 32 * 63 / 6);
  CHECK(machine.findings().empty());
  CHECK(work == CountedWork{32, 32, 0, 0, 0, 0, 0});
}
