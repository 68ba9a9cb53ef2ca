// The gemm ladder on the emulator: right at every size that a rung accepts, and counts worked out by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& gemm() { return *find_ladder("gemm"); }

struct Outcome {
  simt::Emulation emulation;
  Check check;
};

Outcome run(const RungInfo& rung, const Params& params, std::int64_t followed = 0) {
  simt::ProblemBuffers buffers(gemm(), params, rung.slug);
  simt::EmulationOptions options;
  options.followed_block = followed;
  Outcome o{simt::emulate(gemm(), rung.file, params, buffers.spans(), options), {}};
  o.check = gemm().check(params, rung.slug, buffers.contents());
  return o;
}

Params size(std::int64_t m, std::int64_t n, std::int64_t k) { return {{"m", m}, {"n", n}, {"k", k}}; }

const RungInfo& rung(const std::string& slug) {
  return gemm().info.rungs.at(std::size_t(gemm().info.rung_index(slug)));
}

Counts counts(const std::string& slug, const Params& given) {
  const Outcome o = run(rung(slug), *complete_params(gemm().info, slug, given));
  CHECK(o.check.pass);
  return o.emulation.counts;
}

}  // namespace

TEST_CASE("every rung and tile shape is right at every size that it accepts, and the emulator finds nothing" *
          doctest::test_suite("slow")) {
  for (const RungInfo& r : gemm().info.rungs) {
    std::vector<Params> sets{{}};
    if (const auto own = gemm().info.sets.find(r.slug); own != gemm().info.sets.end()) sets = own->second;
    for (Params set : sets)
      for (const Params& edges :
           {size(1, 1, 1), size(16, 16, 16), size(33, 65, 17), size(64, 96, 40), size(128, 128, 128),
            size(40, 72, 8), size(5, 24, 200), size(130, 72, 208)}) {
        for (const auto& [name, value] : edges) set[name] = value;
        const auto params = complete_params(gemm().info, r.slug, set);
        if (!params) continue;  // not a multiple that this rung takes: the next case
        CAPTURE(r.slug);
        std::string text;
        for (const auto& [name, value] : *params) text += name + "=" + to_string(value) + " ";
        CAPTURE(text);
        const Outcome o = run(r, *params);
        CHECK(o.check.pass);
        CHECK(o.check.max_error <= o.check.tolerance);
        CHECK(o.emulation.findings.empty());
      }
  }
}

TEST_CASE("a rung asks for no more than the alignment of its accesses, and names the nearest sizes") {
  const auto multiple = [](const std::string& slug, const Params& p) {
    return complete_params(gemm().info, slug, p).ok();
  };
  for (const char* slug : {"naive", "coalesced", "shared", "reg1d", "reg2d"})
    CHECK(multiple(slug, size(33, 65, 17)));
  for (const char* slug : {"vectorized", "async", "warptile"}) {
    CHECK(multiple(slug, size(33, 68, 20)));
    CHECK_FALSE(multiple(slug, size(33, 65, 20)));
    CHECK_FALSE(multiple(slug, size(33, 68, 17)));
  }
  for (const auto& slug : gemm().tensor_rungs) {
    CHECK(multiple(slug, size(33, 72, 48)));
    CHECK_FALSE(multiple(slug, size(33, 68, 48)));
    CHECK(multiple(slug, size(33, 72, 24)) ==
          (slug != "fp8"));  // a row of the copy engine has 16 bytes at least
  }
  CHECK(complete_params(gemm().info, "mma", size(33, 65, 24)).error().text() ==
        "n = 65 is not possible for gemm/mma: n takes 1 to 16384, multiples of 8; the nearest are 64 "
        "and 72");
  CHECK(complete_params(gemm().info, "mma", size(33, 1, 24)).error().text().find("the nearest is 8") !=
        std::string::npos);
}

TEST_CASE("tile shapes come together, and the missing ones are filled in") {
  const auto complete = complete_params(gemm().info, "reg2d", {{"bm", std::int64_t{128}}});
  REQUIRE(complete.ok());
  CHECK(int_param(*complete, "bn") == 128);
  CHECK(int_param(*complete, "bk") == 8);
  const auto refused =
      complete_params(gemm().info, "reg2d", {{"bm", std::int64_t{128}}, {"bn", std::int64_t{64}}});
  REQUIRE(!refused.ok());
  CHECK(refused.error().text() ==
        "bm=128 bn=64 is not compiled for gemm/reg2d: it has bk=8 bm=32 bn=32, bk=8 bm=64 bn=64, bk=8 bm=128 "
        "bn=128");
  CHECK(choices_in(gemm().info, "shared", gemm().info.parameters[3]) == std::vector<std::string>{"16", "32"});
  Params moved =
      snapped(gemm().info, "reg2d",
              {{"bm", std::int64_t{128}}, {"bn", std::int64_t{64}}, {"bk", std::int64_t{8}}}, "bm");
  CHECK(int_param(moved, "bn") == 128);
}

TEST_CASE("fp8 fetches half the sectors of bf16, and its emulated sums are those of exact numbers") {
  const Params wide = size(256, 256, 512);
  const auto loaded = [&](const char* rung) { return counts(rung, wide).box_sectors; };
  CHECK(loaded("fp8") > 0);
  CHECK(2 * loaded("fp8") == loaded("persistent"));
  const auto rung = std::find_if(gemm().info.rungs.begin(), gemm().info.rungs.end(),
                                 [](const RungInfo& r) { return r.slug == "fp8"; });
  const auto params = complete_params(gemm().info, "fp8", wide);
  REQUIRE(params.ok());
  CHECK(run(*rung, *params).check.max_error <
        1e-6);  // the hardware's are shorter: see the ladder's tolerance
}

TEST_CASE("naive 64^3: sectors by hand") {
  // 16 blocks of 32 x 8 threads: 2 x 8 of them, 8 warps each, one column of 32 rows per warp: 128 warps. Per
  // k, a warp reads 32 floats of A in 32 rows (32 sectors) and one of B (1 sector); at the end it writes 32
  // rows (32 sectors).
  const Counts c = counts("naive", size(64, 64, 64));
  CHECK(c.global_load_requests == 128 * 64 * 2);
  CHECK(c.global_load_sectors == 128 * 64 * (32 + 1));
  CHECK(c.global_store_requests == 128);
  CHECK(c.global_store_sectors == 128 * 32);
  CHECK(c.shared_load_wavefronts == 0);
}

TEST_CASE("shared 64^3 with 16 x 16 tiles: sectors and wavefronts by hand") {
  // 16 blocks, 8 warps, 4 trips. A warp is 2 rows of 16 lanes: per trip it reads 2 x 16 floats of A and of B
  // (4 sectors each), stores them (1 wavefront each), and then, 16 times, 2 floats of A (1 wavefront) and 16
  // of B (1 wavefront).
  const Counts c = counts("shared", size(64, 64, 64));
  const std::int64_t warp_trips = 16 * 8 * 4;
  CHECK(c.global_load_sectors == warp_trips * 8);
  CHECK(c.global_store_sectors == 16 * 8 * 4);
  CHECK(c.shared_store_wavefronts == warp_trips * 2);
  CHECK(c.shared_load_wavefronts == warp_trips * 16 * 2);
  CHECK(c.shared_load_wavefronts == 16384);  // as H200.md says of the source of this very product
  CHECK(c.barriers == warp_trips * 2);
}

TEST_CASE("the async rungs fill their tiles past the registers: no shared store, async wavefronts instead") {
  for (const char* slug : {"async", "warptile", "mma", "swizzle", "ldmatrix", "stages"}) {
    CAPTURE(slug);
    const Counts c = counts(slug, size(64, 64, 64));
    CHECK(c.shared_store_wavefronts == 0);
    CHECK(c.shared_async_wavefronts > 0);
    CHECK(c.shared_load_conflicts == 0);
  }
  CHECK(counts("vectorized", size(64, 64, 64)).shared_store_wavefronts > 0);
}

TEST_CASE("ldmatrix reads a 16 x 16 piece of A in four wavefronts, as one load") {
  // 4 blocks of 2 warps, 4 trips: a warp reads one x4 of A (16 x 16) and two of B (16 x 32); one trip more,
  // and the difference is theirs.
  const auto wavefronts = [](std::int64_t k) {
    return counts("ldmatrix", size(64, 64, k)).shared_load_wavefronts;
  };
  CHECK(wavefronts(80) - wavefronts(64) == 4 * 2 * (4 + 8));
}

TEST_CASE("stores: C goes through shared memory without a conflict, and on in whole lines") {
  // 4 blocks of 2 warps with 16 x 32 sums each. In: 4 x 2 stores of 8 bytes per lane, 2 wavefronts each. Out:
  // 4 loads of 16 bytes per lane, 4 wavefronts each. To C: 4 stores of 4 rows of 128 bytes; the rung
  // before makes 8 of 8 rows of 32.
  const Counts c = counts("stores", size(64, 64, 64)), before = counts("stages", size(64, 64, 64));
  CHECK(c.shared_store_wavefronts == 4 * 2 * 8 * 2);
  CHECK(c.shared_load_wavefronts == 4 * 2 * (4 * (4 + 8) + 4 * 4));
  CHECK(c.shared_store_conflicts + c.shared_load_conflicts == 0);
  CHECK(c.global_store_requests == 4 * 2 * 4);
  CHECK(before.global_store_requests == 4 * 2 * 8);
  CHECK(c.global_store_sectors == 64 * 64 * 4 / 32);
  CHECK(c.barriers == 4 * 2 * (4 + 1));  // one per trip, and one before C

  // One block of 4 warps with 64 x 64 sums each: 4 times 8 x 2 stores, 8 loads, 8 stores of 2 rows of 256
  // bytes.
  Params large = size(128, 128, 128);
  large["bm"] = std::int64_t{128};
  const Counts l = counts("stores", large);
  CHECK(l.shared_store_wavefronts == 4 * 4 * 16 * 2);
  CHECK(l.shared_store_conflicts + l.shared_load_conflicts == 0);
  CHECK(l.global_store_requests == 4 * 4 * 8);
  CHECK(l.global_store_sectors == 128 * 128 * 4 / 32);
}

TEST_CASE("swizzle: what mma pads for needs no byte: no conflict, and smaller tiles") {
  for (const Params& tile : gemm().info.sets.at("swizzle")) {
    Params given = size(128, 128, 128);
    for (const auto& [name, value] : tile) given[name] = value;
    const Params params = *complete_params(gemm().info, "swizzle", given);
    const Outcome padded = run(rung("mma"), params), swizzled = run(rung("swizzle"), params);
    const Counts &a = padded.emulation.counts, &b = swizzled.emulation.counts;
    CHECK(a.shared_load_conflicts + b.shared_load_conflicts == 0);
    CHECK(a.shared_load_wavefronts == b.shared_load_wavefronts);
    CHECK(b.shared_async_wavefronts <= a.shared_async_wavefronts);
    const auto bytes = [](const Outcome& o) {
      std::uint64_t sum = 0;
      for (const ViewInfo& view : o.emulation.launches.at(0).views)
        if (view.id >= kFirstSharedView) sum += view.element_bytes * view.shape.at(0) * view.shape.at(1);
      return sum;
    };
    CHECK(bytes(swizzled) < bytes(padded));
  }
}

TEST_CASE("ldmatrix and stages load each fragment in the fewest wavefronts: one per 8 x 8 matrix") {
  Params large = size(128, 128, 128);
  large["bm"] = std::int64_t{128};
  // One block, 8 steps of 16: a warp's 64 x 32 takes 4 pieces of A and 2 of B of 4 matrices each, its 64 x 64
  // 4 and 4, and there are 8 warps, then 4.
  CHECK(counts("ldmatrix", large).shared_load_wavefronts == 8 * 8 * (4 + 2) * 4);
  CHECK(counts("stages", large).shared_load_wavefronts == 4 * 8 * (4 + 4) * 4);
  CHECK(counts("ldmatrix", large).barriers == 8 * 4 * 2);
  CHECK(counts("stages", large).barriers == 4 * 4);
}

TEST_CASE("a wrong, missing or swapped product fails the check") {
  const Params params = size(33, 65, 17);
  simt::ProblemBuffers buffers(gemm(), params, "naive");
  CHECK_FALSE(gemm().check(params, "naive", buffers.contents()).pass);  // poison
  simt::emulate(gemm(), "gemm/01_naive.cuh", params, buffers.spans(), {});
  CHECK(gemm().check(params, "naive", buffers.contents()).pass);
  auto* c = reinterpret_cast<float*>(buffers.spans()[2].data());
  c[40] += 1e-3f;
  CHECK_FALSE(gemm().check(params, "naive", buffers.contents()).pass);
}
