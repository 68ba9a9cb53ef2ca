// Every rung of every ladder on the emulator: right results, and the counts that make the rung's point.
#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

struct Outcome {
  simt::Emulation emulation;
  Check check;
};

Outcome run(const std::string& rung, std::int64_t n, std::int64_t followed = 0) {
  const Ladder& ladder = *find_ladder("transpose");
  const Params params{{"n", n}};
  simt::ProblemBuffers buffers(ladder, params, rung);
  simt::EmulationOptions options;
  options.followed_block = followed;
  const auto& info = ladder.info.rungs.at(std::size_t(ladder.info.rung_index(rung)));
  Outcome o{simt::emulate(ladder, info.file, params, buffers.spans(), options), {}};
  o.check = ladder.check(params, rung, buffers.contents());
  return o;
}

Counts counts(const std::string& rung, std::int64_t n) { return run(rung, n).emulation.counts; }

}  // namespace

TEST_CASE("every rung is right for any n, edge tiles included, and the emulator finds nothing") {
  for (const RungInfo& rung : find_ladder("transpose")->info.rungs)
    for (std::int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 100, 256}) {
      CAPTURE(rung.slug);
      CAPTURE(n);
      const Outcome o = run(rung.slug, n);
      CHECK(o.check.pass);
      CHECK(o.check.max_error == 0);
      CHECK(o.emulation.findings.empty());
    }
}

TEST_CASE("an output that was not written, or written wrong, fails the check") {
  const Ladder& ladder = *find_ladder("transpose");
  const Params params{{"n", std::int64_t{33}}};
  simt::ProblemBuffers buffers(ladder, params, "naive");
  CHECK_FALSE(ladder.check(params, "naive", buffers.contents()).pass);
  simt::emulate(ladder, "transpose/02_naive.cuh", params, buffers.spans(), {});
  CHECK(ladder.check(params, "naive", buffers.contents()).pass);
  CHECK_FALSE(ladder.check(params, "copy", buffers.contents()).pass);
  reinterpret_cast<float*>(buffers.spans()[1].data())[40] += 1;
  CHECK_FALSE(ladder.check(params, "naive", buffers.contents()).pass);
}

TEST_CASE("n = 256: the counts that the H200's counters gave for the prototype") {
  const Counts naive = counts("naive", 256), tiled = counts("tiled", 256), padded = counts("padded", 256);
  CHECK(naive.global_load_sectors == 8192);
  CHECK(naive.global_store_sectors == 65536);
  CHECK(tiled.shared_load_wavefronts == 65536);
  CHECK(tiled.shared_store_wavefronts == 2048);
  CHECK(padded.shared_load_wavefronts == 2048);
  CHECK(padded.shared_store_wavefronts == 2048);
  CHECK(tiled.global_load_sectors == 8192);
  CHECK(tiled.global_store_sectors == 8192);
}

TEST_CASE("padding and swizzling remove every conflict of the column read") {
  CHECK(counts("tiled", 128).shared_load_conflicts > 0);
  for (const char* rung : {"padded", "swizzled", "vectorized", "ordered"}) {
    const Counts c = counts(rung, 128);
    CHECK(c.shared_load_conflicts == 0);
    CHECK(c.shared_store_conflicts == 0);
  }
}

TEST_CASE("16-byte accesses move the same sectors with a quarter of the requests") {
  const Counts narrow = counts("padded", 256), wide = counts("vectorized", 256);
  CHECK(wide.global_load_sectors == narrow.global_load_sectors);
  CHECK(4 * wide.global_load_requests == narrow.global_load_requests);
}

TEST_CASE(
    "ordered: the block after the first writes beside it, vectorized: below it; else they do the same") {
  const auto first_of_block = [](const std::string& rung, std::size_t view) {
    const auto touches = run(rung, 256).emulation.touches;
    const auto& block = view == 0 ? touches.at(0).reader_block : touches.at(1).writer_block;
    const auto e = std::size_t(std::find(block.begin(), block.end(), 1u) - block.begin());
    return std::pair(e / 256, e % 256);
  };
  using Place = std::pair<std::size_t, std::size_t>;
  CHECK(first_of_block("ordered", 1) == Place(0, 64));
  CHECK(first_of_block("ordered", 0) == Place(64, 0));
  CHECK(first_of_block("vectorized", 1) == Place(64, 0));
  CHECK(first_of_block("vectorized", 0) == Place(0, 64));
  CHECK(counts("ordered", 256) == counts("vectorized", 256));
}

TEST_CASE("every warp passes one barrier per tile") {
  CHECK(counts("tiled", 64).barriers == 4 * 8);
  CHECK(counts("copy", 64).barriers == 0);
}

TEST_CASE("the cache model moves each matrix once while it fits the L2") {
  const auto e = run("padded", 256).emulation;
  CHECK(e.hbm_load_bytes == 256 * 256 * 4);
  CHECK(e.hbm_store_bytes == 256 * 256 * 4);
}

TEST_CASE("the followed block is the one that was asked for") {
  const auto e = run("naive", 128, 5).emulation;
  REQUIRE(e.launches.size() == 1);
  CHECK(e.launches[0].trace.block == 5);
  CHECK(e.launches[0].trace.begin.size() == 257);
  CHECK(e.launches[0].trace.events.front().offset == (32 * 128 + 32) * 4);  // block (1, 1)
}
