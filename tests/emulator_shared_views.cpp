// Which view a shared array is: by the file and the line of its declaration.
#include <doctest/doctest.h>

#include "kernels/lab.cuh"
#include "kernels/simt/grid.hpp"

using namespace lab;
using namespace lockstep;
namespace simt = lockstep::simt;

namespace {

using P = Emulated;

// As if they stood in two files, on lines of the same number.
// clang-format off
#line 100 "some/left.cuh"
void with_left(int* got) { SHARED(int, small, 8); small[threadIdx.x % 8] = 7; *got += int(small[threadIdx.x % 8]); }
#line 100 "some/right.cuh"
void with_right(int* got) { SHARED(int, large, 64); large[threadIdx.x] = 5; *got += int(large[threadIdx.x]); }
#line 26 "emulator_shared_views.cpp"
// clang-format on

}  // namespace

TEST_CASE("two files that declare SHARED on lines of the same number have two arrays") {
  simt::Machine machine({});
  int got = 0;
  std::vector<std::uint16_t> views;
  machine.launch(
      {"test", {}, {8}, 0},
      [&] {
        with_left(&got);
        __syncthreads();
        with_right(&got);
      },
      [&](std::int64_t, auto threads, auto) {
        for (const Access& a : threads[0])
          if (moves_data(a.kind)) views.push_back(a.view);
        return true;
      });
  CHECK(machine.findings().empty());
  CHECK(got == 8 * (7 + 5));
  const auto& described = machine.shared_views().described();
  REQUIRE(described.size() == 2);
  CHECK(described[0].name == "small");
  CHECK(described[0].id == kFirstSharedView + 100);  // as in recordings
  CHECK(described[1].name == "large");
  CHECK(described[1].shape == std::vector<std::uint64_t>{64});
  CHECK(described[1].id != described[0].id);
  CHECK(views == std::vector{described[0].id, described[0].id, described[1].id, described[1].id});
}

TEST_CASE("what the second file's array is called on the GPU is told apart from what its line says") {
  simt::SharedViews views;
  CHECK(views.id_of(1, 40) == kFirstSharedView + 40);
  CHECK(views.renamed().empty());
  const std::uint16_t other = views.id_of(2, 40);
  CHECK(other != kFirstSharedView + 40);
  CHECK(views.id_of(2, 40) == other);
  CHECK(views.id_of(3, 40) != other);
  REQUIRE(views.renamed().size() == 2);
  CHECK(views.renamed()[0].file == 2);
  CHECK(views.renamed()[0].id == other);
}

TEST_CASE("the ids of shared arrays last from launch to launch, also where others come in between") {
  simt::Machine machine({});
  int got = 0;
  const auto run = [&](void (*body)(int*)) {
    machine.launch(
        {"test", {}, {8}, 0}, [&, body] { body(&got); }, [](auto...) { return true; });
  };
  run(with_right), run(with_left), run(with_right);
  CHECK(machine.findings().empty());
  REQUIRE(machine.shared_views().described().size() == 2);
  CHECK(machine.shared_views().described()[0].name == "large");
  CHECK(machine.shared_views().described()[0].id == kFirstSharedView + 100);
}
