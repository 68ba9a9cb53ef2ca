// Sums and scans on the emulator: right at every size, and what the numbers on the way say.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/model/marks.hpp"
#include "app/model/portable.hpp"
#include "kernels/ladder.hpp"
#include "kernels/shuffle/sizes.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& shuffle() { return *find_ladder("shuffle"); }

struct Outcome {
  simt::Emulation emulation;
  Check check;
};

Outcome run(const std::string& rung, const Params& given, std::int64_t block = 0) {
  const Params params = *complete_params(shuffle().info, rung, given);
  simt::ProblemBuffers buffers(shuffle(), params, rung);
  const RungInfo& info = shuffle().info.rungs.at(std::size_t(shuffle().info.rung_index(rung)));
  simt::EmulationOptions options;
  options.followed_block = block;
  Outcome o{simt::emulate(shuffle(), info.file, params, buffers.spans(), options), {}};
  o.check = shuffle().check(params, rung, buffers.contents());
  return o;
}

Params sized(const RungInfo& rung, std::int64_t n, std::int64_t threads, const char* values = "digits") {
  Params params{{"n", n}, {"values", std::string(values)}};
  if (rung.slug != "many") params["threads"] = threads;
  return params;
}

void check_right(const RungInfo& rung, const Params& params) {
  CAPTURE(rung.slug);
  for (const auto& [name, value] : params) {
    const std::string setting = name + " = " + to_string(value);
    INFO(setting);
  }
  const Outcome o = run(rung.slug, params);
  CHECK(o.check.pass);
  CHECK(o.emulation.findings.empty());
  CHECK(o.emulation.refused.empty());
  CHECK_FALSE(o.emulation.seen_write);  // blocks that read of each other drew a number, and asked
}

bool looks_back(const std::string& rung) { return rung == "look_back" || rung == "window" || rung == "many"; }

// What thread 0 to 31 of the followed block showed as "x", step by step; only steps in which all did.
std::vector<std::vector<int>> shown(const Outcome& o, std::size_t launch = 0) {
  const MarkedAxis axis({o.emulation.launches.at(launch)});
  std::vector<std::vector<int>> rows;
  for (int s = 0; s < axis.count(); ++s) {
    std::vector<int> row;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if (const auto* e = axis.shown.entry(name_id("x"), lane, s); e && e->step == s)
        row.push_back(bit_cast<std::int32_t>(e->value));
    if (row.size() == 32) rows.push_back(row);
  }
  return rows;
}

// Tiles that the followed block asked, with what they had told.
struct Told {
  std::map<std::int64_t, std::pair<int, int>> tiles;  // 1: its own sum; 2: up to it
  std::int64_t own = -1;                              // the block's tile
};
Told told(const Outcome& o, std::int64_t each) {
  const Launch& launch = o.emulation.launches.at(1);
  const MarkedAxis axis({launch});
  Told all;
  for (const Access& a : launch.trace.events)
    if (a.kind == Kind::load && a.view == 0) {
      all.own = a.offset / 4 / each;
      break;
    }
  for (int s = 0; s < axis.count(); ++s)
    for (std::int64_t t = 0; t < launch.blocks(); ++t) {
      const auto* what = axis.shown.entry(name_id("what"), std::uint32_t(t), s);
      const auto* sum = axis.shown.entry(name_id("sum"), std::uint32_t(t), s);
      if (what && sum && what->step == s)
        all.tiles[t] = {bit_cast<std::int32_t>(what->value), bit_cast<std::int32_t>(sum->value)};
    }
  return all;
}

}  // namespace

TEST_CASE("shuffle: every rung is right at every size, and nothing is found") {
  for (const RungInfo& rung : shuffle().info.rungs) {
    for (const std::int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 1000, 4096, 4097, 4099})
      check_right(rung, sized(rung, n, 64));
    for (const std::int64_t threads : {32, 128, 256, 512, 1024})
      check_right(rung, sized(rung, 3001, threads, "ones"));
  }
}

TEST_CASE("shuffle: 131,089 elements too" * doctest::test_suite("slow")) {
  for (const RungInfo& rung : shuffle().info.rungs) check_right(rung, sized(rung, (1 << 17) + 17, 256));
}

TEST_CASE("shuffle: each round every lane holds the sum that its shuffle says") {
  const auto check = [](const char* rung, auto from) {
    CAPTURE(rung);
    const auto rows = shown(run(rung, {{"n", std::int64_t{64}}}));
    REQUIRE(rows.size() >= 6);
    for (std::size_t r = 1; r <= 5; ++r)
      for (int lane = 0; lane < 32; ++lane) {
        CAPTURE(r);
        CAPTURE(lane);
        const int source = from(r, lane);
        const int came = source < 0 ? 0 : rows[r - 1][std::size_t(source)];
        CHECK(rows[r][std::size_t(lane)] == rows[r - 1][std::size_t(lane)] + came);
      }
  };
  const auto halving = [](std::size_t r) { return 32 >> int(r); };
  const auto doubling = [](std::size_t r) { return 1 << (int(r) - 1); };
  // Beyond the warp's end a lane gets its own number.
  check("down", [&](std::size_t r, int l) { return l + halving(r) < 32 ? l + halving(r) : l; });
  check("butterfly", [&](std::size_t r, int l) { return l ^ halving(r); });
  check("shared", [&](std::size_t r, int l) { return l < halving(r) ? l + halving(r) : -1; });
  check("scan", [&](std::size_t r, int l) { return l - doubling(r); });
  check("scan_shared", [&](std::size_t r, int l) { return l - doubling(r); });
}

TEST_CASE("shuffle: out of registers no shared memory is touched; in it a warp takes its wavefronts") {
  const auto counts = [](const char* rung) { return run(rung, {{"n", std::int64_t{64}}}).emulation.counts; };
  for (const char* rung : {"down", "butterfly", "scan"}) {
    CAPTURE(rung);
    CHECK(counts(rung).shared_load_wavefronts == 0);
    CHECK(counts(rung).shared_store_wavefronts == 0);
    CHECK(counts(rung).barriers == 0);
  }
  CHECK(counts("shared").shared_load_wavefronts == 2 * 6);  // of two warps: five rounds, and the sum
  CHECK(counts("shared").shared_store_wavefronts == 2 * 6);
  CHECK(counts("scan_shared").shared_load_wavefronts == 2 * 5);
}

TEST_CASE("shuffle: three launches read twice what one pass reads once") {
  const std::int64_t n = 1 << 16;
  const auto sectors = [&](const char* rung) {
    return run(rung, {{"n", n}, {"threads", std::int64_t{256}}}).emulation.counts.global_load_sectors;
  };
  CHECK(sectors("three_launches") >= 2 * n * 4 / 32);
  CHECK(sectors("window") < n * 4 / 32 + 256 * 32);
}

TEST_CASE("shuffle: a block looks back until one tile knows the sum up to itself, and no further") {
  std::set<std::size_t> looked;
  for (std::int64_t block = 0; block < 16; ++block) {
    CAPTURE(block);
    const Outcome o = run("look_back", {}, block);
    const Told all = told(o, 64);
    looked.insert(all.tiles.size());
    if (all.own == 0) {
      CHECK(all.tiles.empty());
      continue;
    }
    std::int64_t expected = all.own - 1;
    for (auto tile = all.tiles.rbegin(); tile != all.tiles.rend(); ++tile, --expected) {
      CHECK(tile->first == expected);  // none is left out
      const bool last = std::next(tile) == all.tiles.rend();
      CHECK(tile->second.first == (last ? 2 : 1));
    }
  }
  CHECK(looked.size() > 3);  // some had to look further than others
  CHECK(*looked.rbegin() > 4);
}

TEST_CASE("shuffle: what the tiles tell adds up to what stands before") {
  const Params params = *complete_params(shuffle().info, "window", {});
  simt::ProblemBuffers buffers(shuffle(), params, "window");
  const auto* in = reinterpret_cast<const std::int32_t*>(buffers.spans()[0].data());
  for (const std::int64_t block : {0, 16, 34, 36, 50}) {
    CAPTURE(block);
    const Told all = told(run("window", {}, block), 64);
    if (all.own == 0) continue;
    CHECK(std::int64_t(all.tiles.size()) == std::min<std::int64_t>(32, all.own));  // one look of a warp
    int before = 0, expected = 0;
    for (auto tile = all.tiles.rbegin(); tile != all.tiles.rend(); ++tile) {
      before += tile->second.second;
      if (tile->second.first == 2) break;
    }
    for (std::int64_t i = 0; i < all.own * 64; ++i) expected += in[i];
    CHECK(before == expected);
  }
}

TEST_CASE("shuffle: each tile is drawn once, whatever the order of the blocks") {
  for (const RungInfo& rung : shuffle().info.rungs) {
    if (!looks_back(rung.slug)) continue;
    CAPTURE(rung.slug);
    std::set<std::int64_t> tiles;
    const std::int64_t each = rung.slug == "many" ? kManyTile : 64;
    const std::int64_t blocks = run(rung.slug, {}).emulation.launches.at(1).blocks();
    bool in_order = true;
    for (std::int64_t block = 0; block < std::min<std::int64_t>(blocks, 20); ++block) {
      const std::int64_t tile = told(run(rung.slug, {}, block), each).own;
      in_order &= tile == block;
      tiles.insert(tile);
    }
    CHECK(std::int64_t(tiles.size()) == std::min<std::int64_t>(blocks, 20));
    CHECK_FALSE(in_order);
  }
}
