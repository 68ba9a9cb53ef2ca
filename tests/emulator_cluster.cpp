// Blocks of a cluster that read each other's shared memory, as the emulator runs them: right where the kernel
// is, and what a GPU would leave to chance is named.
#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "kernels/groups.cuh"
#include "kernels/simt/grid.hpp"

using namespace lab;
namespace simt = lockstep::simt;

namespace {

enum class Mistake {
  none,
  no_sync_before,  // reads what the other block may not have written, and which may not have begun
  block_barrier,   // __syncthreads() in place of the cluster's barrier
  no_sync_behind,  // ends while it may still be read
  writes_on,       // writes what the other one reads
  writes_first,    // and this one before it is read
  beyond,          // asks for a block that the cluster does not have
  past_the_end,    // an element that the array does not have
  half_written,    // reads what nobody has written
};

constexpr int kThreads = 64;

// out[i] = what the thread of the same rank of the next block of the cluster holds.
template <Mistake kWrong>
void neighbour(GlobalView<int> out) {
  SHARED(int, tile, 2 * kThreads);
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks(), me = threadIdx.x;
  if (kWrong != Mistake::half_written || me < 32) tile[me] = int(blockIdx.x * 1000 + me);
  tile[kThreads + me] = 0;
  if constexpr (kWrong == Mistake::block_barrier)
    __syncthreads();
  else if constexpr (kWrong != Mistake::no_sync_before)
    cluster.sync();
  if constexpr (kWrong == Mistake::writes_first) tile[me] = 7;
  const auto far = cluster.map_shared_rank(tile, kWrong == Mistake::beyond ? cluster.num_blocks() : next);
  out[blockIdx.x * kThreads + me] = far[kWrong == Mistake::past_the_end ? 2 * kThreads + me : me];
  if constexpr (kWrong == Mistake::writes_on) tile[me] = 7;
  if constexpr (kWrong != Mistake::no_sync_behind) cluster.sync();
}

struct Outcome {
  bool ran = false;
  std::vector<int> out;
  std::set<std::string> kinds;
  std::vector<lockstep::Finding> findings;
};

template <Mistake kWrong>
Outcome run(int blocks, int cluster, int threads = 1) {
  Outcome all;
  all.out.assign(std::size_t(blocks) * kThreads, -5);
  const GlobalView<int> out{all.out.data(), std::int64_t(all.out.size()), 0};
  simt::Grid grid({}, threads);
  simt::Config config{"neighbour", {blocks}, {kThreads}};
  config.cluster = cluster;
  all.ran = grid.launch(
      config, [&] { neighbour<kWrong>(out); }, nullptr, [] { return true; });
  all.findings = grid.told().findings();
  for (const auto& finding : all.findings) all.kinds.insert(finding.kind);
  return all;
}

using Kinds = std::set<std::string>;

}  // namespace

TEST_CASE("clusters: each block reads the next one's shared memory, for any number of blocks in them") {
  for (const int cluster : {1, 2, 4, 8})
    for (const int clusters : {1, 3, 9}) {
      CAPTURE(cluster);
      CAPTURE(clusters);
      const Outcome o = run<Mistake::none>(cluster * clusters, cluster);
      CHECK(o.ran);
      CHECK(o.kinds == Kinds{});
      for (int b = 0; b < cluster * clusters; ++b)
        for (int t = 0; t < kThreads; ++t)
          CHECK(o.out[std::size_t(b * kThreads + t)] ==
                (b / cluster * cluster + (b + 1) % cluster) * 1000 + t);
    }
}

TEST_CASE("clusters: the grid is a multiple of them, and they are no larger than every GPU can have") {
  for (const auto& [blocks, cluster] : {std::pair{3, 2}, {16, 16}, {2, 0}}) {
    const Outcome o = run<Mistake::none>(blocks, cluster);
    CHECK_FALSE(o.ran);
    REQUIRE(o.findings.size() == 1);
    CHECK(o.findings[0].kind == "launch");
  }
}

TEST_CASE("clusters: what is left to chance is found, and named with its line") {
  CHECK(run<Mistake::no_sync_before>(2, 2).kinds == Kinds{"block_not_begun"});
  CHECK(run<Mistake::block_barrier>(2, 2).kinds == Kinds{"block_not_begun"});
  CHECK(run<Mistake::no_sync_behind>(2, 2).kinds == Kinds{"block_ended"});
  CHECK(run<Mistake::writes_on>(2, 2).kinds == Kinds{"race"});
  CHECK(run<Mistake::writes_first>(2, 2).kinds == Kinds{"race"});
  CHECK(run<Mistake::beyond>(2, 2).kinds == Kinds{"cluster_rank"});
  CHECK(run<Mistake::past_the_end>(2, 2).kinds == Kinds{"out_of_bounds"});
  CHECK(run<Mistake::half_written>(2, 2).kinds == Kinds{"uninitialised"});
  for (const auto& finding : run<Mistake::writes_on>(4, 2).findings) {
    CHECK(finding.line > 0);
    CHECK(finding.other_line > 0);
    CHECK(finding.line != finding.other_line);
  }
}
