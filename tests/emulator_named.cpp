// Named barriers and launches that overlap, as the emulator runs them: right where the kernel is, and what is
// wrong with those who come is named.
#include <algorithm>

#include "bulk_cases.hpp"
#include "tensor_kernels.cuh"
//
#include "emulated.hpp"

using namespace lab;
using namespace bulk_test;
using namespace emulated;
namespace simt = lockstep::simt;

namespace {

constexpr int kRounds = 7;

template <Named kWrong>
Kinds run(std::vector<int>& out, simt::Options options = {}) {
  out.assign(64 * kRounds, -5);
  const auto view = view_of<int>(out, 0);
  simt::Grid grid(options, 1);
  grid.launch(
      {"named", {1}, {128}}, [&] { named<kWrong, Emulated>(view, kRounds); }, nullptr, [] { return true; });
  Kinds kinds;
  for (const auto& finding : grid.told().findings()) {
    MESSAGE(finding.kind << ": " << finding.what.text());
    CHECK(finding.line > 0);
    kinds.insert(finding.kind);
  }
  return kinds;
}
template <Named kWrong>
Kinds run() {
  std::vector<int> out;
  return run<kWrong>(out);
}

}  // namespace

TEST_CASE("named barriers: two warps write, two read, round after round, as on an H200") {
  std::vector<int> out;
  CHECK(run<Named::right>(out) == Kinds{});
  CHECK(hash_of(std::vector<std::uint32_t>(out.begin(), out.end())) == kNamedOnH200);
  std::vector<int> unchecked;  // threads run one after another there, until one waits
  simt::Options options;
  options.trace = options.checks = false;
  CHECK(run<Named::right>(unchecked, options) == Kinds{});
  CHECK(unchecked == out);
}

TEST_CASE("named barriers: who comes wrongly, or not at all, is named with its line") {
  CHECK(run<Named::never_given_back>() == Kinds{"deadlock"});
  CHECK(run<Named::never_told>() == Kinds{"deadlock"});
  CHECK(run<Named::half_a_warp>() == Kinds{"deadlock"});
  CHECK(run<Named::half_the_count>().contains("barrier_count"));
  CHECK(run<Named::not_warps>().contains("barrier_count"));
  CHECK(run<Named::too_many>().contains("barrier_count"));
  CHECK(run<Named::number_16>().contains("barrier_number"));
  CHECK(run<Named::not_waited>().contains("race"));
  CHECK(run<Named::early>().contains("race"));
  // With those of one warp that come twice it is complete before the other warp has written.
  CHECK(run<Named::once_too_often>() == Kinds{"barrier_left", "race"});
  CHECK(run<Named::as_syncthreads>() == Kinds{"barrier_number"});
}

TEST_CASE("named barriers: threads that came, and for whom nobody waits, are named when the block ends") {
  CHECK(kinds_of({"kernel", {2}, {64}}, [] {
          if (threadIdx.x < 32) barrier_arrive(5, 64);
        }) == Kinds{"barrier_left"});
}

TEST_CASE("a deadlock at a named barrier says who waits for whom") {
  const auto text = [](auto kernel) {
    simt::Grid grid({}, 1);
    grid.launch({"kernel", {1}, {64}}, kernel, nullptr, [] { return true; });
    REQUIRE(grid.told().findings().size() == 1);
    const auto& finding = grid.told().findings()[0];
    CHECK(finding.kind == "deadlock");
    return finding;
  };
  const auto crossed = text([] { barrier_sync(threadIdx.x < 32 ? 1 : 2, 64); });
  CHECK(crossed.thread == 0);
  CHECK(crossed.what.text().find("Thread 0 waits at line " + std::to_string(crossed.line) +
                                 " for barrier 1, to which 32 of 64 threads have not come") !=
        std::string::npos);
  CHECK(crossed.what.text().find("thread 32 waits") != std::string::npos);
  CHECK(crossed.what.text().find("for barrier 2") != std::string::npos);
  const auto alone = text([] {
    if (threadIdx.x < 32) barrier_sync(3, 64);
  });
  const auto half = text([] {
    if (threadIdx.x < 48) barrier_sync(4, 64);
  });
  CHECK(half.what.text().find("only a part") == std::string::npos);  // the others have ended
  const auto split = text([] { barrier_sync(threadIdx.x % 32 < 16 ? 4 : 5, 64); });
  CHECK(split.what.text().find("of warp 0 only a part") != std::string::npos);
  CHECK(alone.what.text().find("all others have ended") != std::string::npos);
}

TEST_CASE("a launch that overlaps finds what the launch before has written, as on an H200") {
  constexpr int kCount = 128 * 1024;
  std::vector<int> data(kCount), out(kCount);
  const auto first = view_of<int>(data, 0);
  const auto read = view_of<const int>(data, 0);
  const auto second = view_of<int>(out, 1);
  CHECK(kinds_of({"writes_first", {kCount / 128}, {128}}, [&] { writes_first<Emulated>(first, kCount); }) ==
        Kinds{});
  CHECK(kinds_of({"reads_then", {kCount / 128}, {128}},
                 [&] { reads_then<Emulated>(read, second, kCount); }) == Kinds{});
  CHECK(hash_of(std::vector<std::uint32_t>(out.begin(), out.end())) == kDependentsOnH200);
}
