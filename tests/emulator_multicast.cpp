// Boxes that the copy engine puts into the shared memory of several blocks of a cluster, and arrivals at each
// other's barriers, as the emulator runs them: right where the kernel is, and what is missing is named.
#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "kernels/bulk.cuh"
#include "kernels/groups.cuh"
#include "kernels/simt/grid.hpp"

using namespace lab;
namespace simt = lockstep::simt;

namespace {

enum class Mistake {
  none,
  no_sync_before,      // the other block's barriers may not be there yet
  no_sync_behind,      // ends while the other one may still send and arrive
  releases_own_alone,  // tells only its own producer that a buffer is used up
  releases_unread,     // before it has read it
  no_releases,         // nobody tells anybody
  half_expected,       // waits for the bytes of its own half alone
  beyond,              // arrives in a block that the cluster does not have
};

constexpr int kRounds = 5, kConsumers = 64, kRows = 64;
constexpr unsigned kBoth = 3;

// Each of two blocks brings half of a tile of 64 x 64 to both, kRounds times; out gets an element of each
// row.
template <Mistake kWrong>
void share(BoxedView<const bf16> in, GlobalView<int> out) {
  DYNAMIC_BOXES(bf16, tile, kRows, 0);
  SHARED_BARRIERS(full, 1);
  SHARED_BARRIERS(empty, 1);
  const auto cluster = cooperative_groups::this_cluster();
  const int tid = int(threadIdx.x), rank = int(cluster.block_rank()), half = rank * kRows / 2;
  if (tid == 0) {
    init_barrier(full[0], 1);
    init_barrier(empty[0], kConsumers * (kWrong == Mistake::releases_own_alone ? 1 : 2));
    publish_barriers();
  }
  if constexpr (kWrong == Mistake::no_sync_before)
    __syncthreads();
  else
    cluster.sync();
  const auto release = [&] {
    if constexpr (kWrong == Mistake::no_releases) return;
    arrive(empty[0], unsigned(rank));
    if constexpr (kWrong != Mistake::releases_own_alone)
      arrive(empty[0], kWrong == Mistake::beyond ? 2u : unsigned(1 - rank));
  };
  for (int round = 0; round < kRounds; ++round) {
    if (tid == kConsumers) {
      wait_phase(empty[0], unsigned(round & 1) ^ 1);
      arrive_expecting(full[0], (kWrong == Mistake::half_expected ? kRows / 2 : kRows) * 128);
      copy_box(tile[half][0], in, round * kRows + half, 0, full[0], kBoth);
    } else if (tid < kConsumers) {
      wait_phase(full[0], unsigned(round & 1));
      if constexpr (kWrong == Mistake::releases_unread) release();
      out[(round * 2 + rank) * kConsumers + tid] =
          int(bf16(tile[tid][(tid % 8) * 8]));  // unit tid % 8 of the row
      if constexpr (kWrong != Mistake::releases_unread) release();
    }
  }
  if constexpr (kWrong != Mistake::no_sync_behind) cluster.sync();
}

struct Outcome {
  bool ran = false;
  std::vector<int> out;
  std::set<std::string> kinds;
  std::vector<lockstep::Finding> findings;
};

template <Mistake kWrong>
Outcome run(int clusters = 1, int threads = 1) {
  Outcome all;
  std::vector<bf16> in(std::size_t(kRounds) * kRows * 64);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = bf16(i / 64);  // the row
  all.out.assign(std::size_t(kRounds) * 2 * kConsumers, -5);
  const GlobalView<const bf16> view{in.data(), std::int64_t(in.size()), 0};
  const auto boxed = boxes(view, kRounds * kRows, 64, kRows / 2);
  const GlobalView<int> out{all.out.data(), std::int64_t(all.out.size()), 1};
  simt::Grid grid({}, threads);
  simt::Config config{"share", {2 * clusters}, {kConsumers + 32}, kRows * 128};
  config.cluster = 2;
  all.ran = grid.launch(
      config, [&] { share<kWrong>(boxed, out); }, nullptr, [] { return true; });
  all.findings = grid.told().findings();
  for (const auto& finding : all.findings) all.kinds.insert(finding.kind);
  return all;
}

using Kinds = std::set<std::string>;

}  // namespace

TEST_CASE("multicast: both blocks find the whole tile, round after round, with nothing found") {
  const Outcome o = run<Mistake::none>();
  for (const auto& finding : o.findings) MESSAGE(finding.kind << ": " << finding.what.text());
  CHECK(o.ran);
  CHECK(o.kinds == Kinds{});
  for (int round = 0; round < kRounds; ++round)
    for (int rank = 0; rank < 2; ++rank)
      for (int t = 0; t < kConsumers; ++t)
        CHECK(o.out[std::size_t((round * 2 + rank) * kConsumers + t)] == round * kRows + t);
}

TEST_CASE("multicast: what blocks owe each other is named where it is missing") {
  const auto named = [](const Outcome& o, const char* kind) {
    for (const auto& finding : o.findings) CHECK(finding.line > 0);
    return o.kinds.contains(kind);
  };
  CHECK(named(run<Mistake::no_sync_before>(), "block_not_begun"));
  CHECK(named(run<Mistake::no_sync_behind>(), "block_ended"));
  CHECK(named(run<Mistake::releases_own_alone>(), "released_early"));
  CHECK(named(run<Mistake::releases_unread>(), "released_early"));
  CHECK(named(run<Mistake::no_releases>(), "deadlock"));
  CHECK(named(run<Mistake::half_expected>(), "uninitialised"));  // of the other half when its own has come
  CHECK(named(run<Mistake::beyond>(), "cluster_rank"));
}
