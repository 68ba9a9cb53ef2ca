// Messages on graphs on the emulator: right on every graph, and the atomics and sectors that the rungs are
// about.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/model/fold.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& scatter() { return *find_ladder("scatter"); }

struct Outcome {
  simt::Emulation emulation;
  Check check;
  Params params;
};

Outcome run(const std::string& rung, const Params& given) {
  Params own;
  for (const Parameter& p : scatter().info.parameters)
    if (given.contains(p.name) &&
        (p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung) != p.rungs.end()))
      own[p.name] = given.at(p.name);
  const Params params = *complete_params(scatter().info, rung, own);
  simt::ProblemBuffers buffers(scatter(), params, rung);
  const RungInfo& info = scatter().info.rungs.at(std::size_t(scatter().info.rung_index(rung)));
  Outcome o{simt::emulate(scatter(), info.file, params, buffers.spans(), {}), {}, params};
  o.check = scatter().check(params, rung, buffers.contents());
  return o;
}

Params graph(const char* kind, std::int64_t nodes, std::int64_t degree, std::int64_t width) {
  return {{"graph", std::string(kind)}, {"nodes", nodes}, {"degree", degree}, {"width", width}};
}

// The ends of its edges, as the rung has them.
std::vector<std::int32_t> ends(const std::string& rung, Params params, std::int64_t seed) {
  params["seed"] = seed;
  params = *complete_params(scatter().info, rung, params);
  simt::ProblemBuffers buffers(scatter(), params, rung);
  std::vector<std::int32_t> all;
  for (const std::size_t buffer : {2, 3}) {
    const auto bytes = buffers.contents()[buffer];
    const auto* first = reinterpret_cast<const std::int32_t*>(bytes.data());
    all.insert(all.end(), first, first + bytes.size() / sizeof(std::int32_t));
  }
  return all;
}

constexpr const char* kKinds[] = {"ring", "star", "grid", "random", "power_law"};

WarpInstruction reduction(std::initializer_list<std::uint32_t> offsets) {
  WarpInstruction i;
  i.kind = Kind::reduction, i.width = 4;
  std::size_t lane = 0;
  for (const std::uint32_t offset : offsets) i.lanes |= 1u << lane, i.offset[lane++] = offset;
  return i;
}

}  // namespace

TEST_CASE("scatter: every rung is right on every graph, and nothing is found") {
  for (const RungInfo& rung : scatter().info.rungs)
    for (const char* kind : kKinds)
      for (const std::int64_t nodes : {1, 2, 5, 31, 33, 1000}) {
        CAPTURE(rung.slug);
        CAPTURE(kind);
        CAPTURE(nodes);
        Params params = graph(kind, nodes, 3, nodes < 100 ? 8 : 2);
        params["run"] = std::int64_t{nodes < 10 ? 1 : 7};
        const Outcome o = run(rung.slug, params);
        CHECK(o.check.pass);
        CHECK(o.check.tolerance < 1e-3);
        CHECK(o.emulation.findings.empty());
      }
}

TEST_CASE("scatter: one seed is one graph, another seed another, and every rung is right on it") {
  for (const RungInfo& rung : scatter().info.rungs)
    for (const char* kind : {"random", "power_law"}) {
      CAPTURE(rung.slug);
      CAPTURE(kind);
      const Params params = graph(kind, 33, 3, 4);
      CHECK(ends(rung.slug, params, 2) == ends(rung.slug, params, 2));
      CHECK(ends(rung.slug, params, 2) != ends(rung.slug, params, 1));
      CHECK(ends(rung.slug, params, 3) != ends(rung.slug, params, 2));
      for (const std::int64_t seed : {1, 2, 3})
        for (const std::int64_t nodes : {1, 31, 33, 1000}) {
          CAPTURE(seed);
          CAPTURE(nodes);
          Params own = graph(kind, nodes, 3, 4);
          own["seed"] = seed;
          const Outcome o = run(rung.slug, own);
          CHECK(o.check.pass);
          CHECK(o.emulation.findings.empty());
        }
    }
}

// A ring is a ring; only the order of its edges is drawn, and sorted ones have none.
TEST_CASE("scatter: of other graphs a seed draws the order alone") {
  const Params ring = graph("ring", 33, 3, 4);
  CHECK(ends("gather", ring, 1) == ends("gather", ring, 2));
  std::vector<std::int32_t> one = ends("lanes", ring, 1), two = ends("lanes", ring, 2);
  CHECK(one != two);
  std::sort(one.begin(), one.end()), std::sort(two.begin(), two.end());
  CHECK(one == two);
}

// What recordings without a seed hold: the sources of the first edges as they were drawn before there was
// one.
TEST_CASE("scatter: without a seed the graph is the first one") {
  const Params bare = *complete_params(scatter().info, "lanes", graph("power_law", 16, 3, 8));
  CHECK(std::get<std::int64_t>(bare.at("seed")) == 1);
  const auto edges = ends("lanes", graph("power_law", 16, 3, 8), 1);
  const std::vector<std::int32_t> known{3, 15, 0, 10, 6, 5, 0, 2,  13, 5, 0, 11,
                                        2, 1,  9, 3,  9, 6, 1, 12, 11, 5, 2, 5};
  CHECK(std::vector(edges.begin(), edges.begin() + std::ptrdiff_t(known.size())) == known);
}

TEST_CASE("scatter: 131,089 nodes too" * doctest::test_suite("slow")) {
  Params params = graph("random", (1 << 17) + 17, 1, 1);
  params["graphs"] = std::int64_t{1};
  for (const RungInfo& rung : scatter().info.rungs) {
    CAPTURE(rung.slug);
    CHECK(run(rung.slug, params).check.pass);
  }
}

TEST_CASE("scatter: a graph with more numbers than an int counts is refused, the largest below it is not") {
  const auto fits = [](const char* rung, std::int64_t nodes, std::int64_t degree, std::int64_t width) {
    return bool(complete_params(scatter().info, rung, graph("random", nodes, degree, width)));
  };
  CHECK(fits("lanes", 1 << 21, 8, 64));
  CHECK_FALSE(fits("lanes", 1 << 21, 8, 128));
  Params graphs = graph("random", 1 << 21, 1, 1);
  graphs["graphs"] = std::int64_t{1023};
  CHECK(complete_params(scatter().info, "batch", graphs));
  graphs["graphs"] = std::int64_t{1024};
  CHECK_FALSE(complete_params(scatter().info, "batch", graphs));
}

TEST_CASE("scatter: a message that is not added is seen") {
  const Params params = *complete_params(scatter().info, "lanes", graph("power_law", 16, 3, 8));
  simt::ProblemBuffers buffers(scatter(), params, "lanes");
  simt::emulate(scatter(), "scatter/02_lanes.cuh", params, buffers.spans(), {});
  REQUIRE(scatter().check(params, "lanes", buffers.contents()).pass);
  auto* out = reinterpret_cast<float*>(buffers.spans()[1].data());
  out[3] += 0.01f;
  CHECK_FALSE(scatter().check(params, "lanes", buffers.contents()).pass);
}

TEST_CASE("scatter: sorted edges need no atomics, shared out they need one per change of target") {
  const auto atomics = [](const char* rung, std::int64_t run_length) {
    Params params = graph("power_law", 1000, 8, 32);
    params["run"] = run_length;
    return run(rung, params).emulation.counts.global_reduction_sectors;
  };
  CHECK(atomics("gather", 1) == 0);
  CHECK(atomics("lanes", 1) == 8000 * 4);  // a row of 32 numbers lies in four sectors
  CHECK(atomics("segments", 1) == 8000 * 4);
  CHECK(atomics("segments", 32) < atomics("lanes", 1) / 4);
}

TEST_CASE("scatter: lanes side by side ask for a fifth of the sectors, indices and all") {
  const auto loads = [](const char* rung) {
    return run(rung, graph("random", 1000, 4, 32)).emulation.counts.global_load_sectors;
  };
  CHECK(loads("edges") > 5 * loads("lanes"));
}

TEST_CASE("sectors of atomics: as many turns as the busiest address of a sector takes, in whatever order") {
  CHECK(requested_sectors(reduction({0, 4, 8, 28})) == 1);
  CHECK(requested_sectors(reduction({0, 0, 0})) == 3);
  CHECK(requested_sectors(reduction({0, 4, 0, 4})) == 2);
  CHECK(requested_sectors(reduction({0, 0, 4, 4})) == 2);
  CHECK(requested_sectors(reduction({4, 0, 4, 0, 4})) == 3);
  CHECK(requested_sectors(reduction({0, 32, 0, 64})) == 4);
}

// Two edges end in each of a ring's 295 nodes; sorted, their degrees lie in 37 sectors.
TEST_CASE("scatter: counting the degrees of a sorted ring takes two turns per sector") {
  Params params = graph("ring", 295, 3, 16);
  params["threads"] = std::int64_t{1024};
  CHECK(run("normalized", params).emulation.counts.global_reduction_sectors == 2 * 37);
}
