#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "app/model/cache.hpp"
#include "app/model/fold.hpp"
#include "app/model/grid_fold.hpp"
#include "app/model/progress.hpp"
#include "app/model/source_hash.hpp"

using namespace lockstep;

namespace {

Access load(int line, std::uint32_t offset, std::uint16_t view = 0) {
  return {offset, 0, 0, 9, std::uint16_t(line), view, 4, Kind::load};
}
Access store(int line, std::uint32_t offset, std::uint16_t view = 0) {
  return {offset, 0, 0, 9, std::uint16_t(line), view, 4, Kind::store};
}
Access barrier(int line) { return {0, 0, 0, 9, std::uint16_t(line), 0, 0, Kind::barrier}; }
Access iteration(std::uint32_t k) { return {k, 0, 0, 0, 0, 0, 0, Kind::iteration}; }

BlockTrace block_of(const std::vector<std::vector<Access>>& threads) {
  BlockTrace t;
  t.begin.push_back(0);
  for (const auto& stream : threads) {
    t.events.insert(t.events.end(), stream.begin(), stream.end());
    t.begin.push_back(t.events.size());
  }
  return t;
}

Launch launch_of(BlockTrace trace) {
  Launch l;
  l.block = {std::int64_t(trace.begin.size()) - 1, 1, 1};
  l.trace = std::move(trace);
  return l;
}

// The axis as text: "interval line kind visit warp lanes".
std::string text_of(const MemoryAxis& axis) {
  std::string out;
  for (const Step& s : axis.steps) {
    const auto& i = s.instruction;
    char row[96];
    std::snprintf(row, sizeof row, "%u line %d %s visit %u warp %u lanes %08x\n", s.interval, i.line,
                  s.barrier              ? "barrier"
                  : i.kind == Kind::load ? "load"
                                         : "store",
                  i.visit, i.warp, i.lanes);
    out += row;
  }
  return out;
}

std::vector<std::vector<Access>> two_warps() {
  std::vector<std::vector<Access>> threads(64);
  for (unsigned t = 0; t < 64; ++t)
    threads[t] = {load(3, t * 4), store(3, t * 4, 300), load(3, 256 + t * 4), store(3, 256 + t * 4, 300),
                  barrier(5),     load(7, t * 4, 300)};
  return threads;
}

}  // namespace

TEST_CASE("the canonical order is interval, site, visit, warp") {
  CHECK(text_of(MemoryAxis({launch_of(block_of(two_warps()))})) ==
        "0 line 3 load visit 0 warp 0 lanes ffffffff\n"
        "0 line 3 load visit 0 warp 1 lanes ffffffff\n"
        "0 line 3 load visit 1 warp 0 lanes ffffffff\n"
        "0 line 3 load visit 1 warp 1 lanes ffffffff\n"
        "0 line 3 store visit 0 warp 0 lanes ffffffff\n"
        "0 line 3 store visit 0 warp 1 lanes ffffffff\n"
        "0 line 3 store visit 1 warp 0 lanes ffffffff\n"
        "0 line 3 store visit 1 warp 1 lanes ffffffff\n"
        "0 line 5 barrier visit 0 warp 0 lanes ffffffff\n"
        "1 line 7 load visit 0 warp 0 lanes ffffffff\n"
        "1 line 7 load visit 0 warp 1 lanes ffffffff\n");
}

TEST_CASE("phases are stretches of one site in one interval") {
  const MemoryAxis axis({launch_of(block_of(two_warps()))});
  std::vector<int> counts;
  for (const Phase& p : axis.phases()) counts.push_back(p.count);
  CHECK(counts == std::vector<int>{4, 4, 1, 2});
}

TEST_CASE("lanes that skip an access are not taken together with lanes that make it") {
  std::vector<std::vector<Access>> threads(32);
  for (unsigned t = 0; t < 32; ++t)
    threads[t] = t < 8 ? std::vector<Access>{load(3, t * 4)} : std::vector<Access>{load(4, t * 4)};
  CHECK(text_of(MemoryAxis({launch_of(block_of(threads))})) ==
        "0 line 3 load visit 0 warp 0 lanes 000000ff\n0 line 4 load visit 0 warp 0 lanes ffffff00\n");
}

TEST_CASE("with marked iterations a lane that skips one agrees again on the next") {
  std::vector<std::vector<Access>> threads(32);
  for (unsigned t = 0; t < 32; ++t) {
    threads[t] = {iteration(0)};
    if (t != 5) threads[t].push_back(load(3, t * 4));
    threads[t].push_back(iteration(1));
    threads[t].push_back(load(3, t * 4));
  }
  const MemoryAxis axis({launch_of(block_of(threads))});
  REQUIRE(axis.steps.size() == 2);
  CHECK(axis.steps[0].instruction.lanes == 0xffffffdf);
  CHECK(axis.steps[1].instruction.lanes == 0xffffffff);
}

TEST_CASE("iterations that come again are visits of their own, also where a lane does something else, too") {
  // Two tiles, each with iterations 0 and 1; lane 0 has an access of its own between them.
  std::vector<std::vector<Access>> threads(32);
  for (unsigned t = 0; t < 32; ++t)
    for (unsigned tile = 0; tile < 2; ++tile) {
      for (unsigned k = 0; k < 2; ++k) {
        threads[t].push_back(iteration(k));
        threads[t].push_back(store(3, 1024 * (2 * tile + k) + t * 4));
      }
      if (t == 0) threads[t].push_back(load(4, tile * 4));
    }
  const MemoryAxis axis({launch_of(block_of(threads))});
  std::vector<std::uint32_t> stored;
  for (const Step& step : axis.steps) {
    const WarpInstruction& i = step.instruction;
    if (i.line != 3) continue;
    CHECK(i.lanes == ~0u);
    for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(i.offset[lane] == i.offset[0] + 4 * lane);
    stored.push_back(i.offset[0]);
  }
  std::sort(stored.begin(), stored.end());
  CHECK(stored == std::vector<std::uint32_t>{0, 1024, 2048, 3072});
}

TEST_CASE("both ways of folding give the same instructions") {
  auto threads = two_warps();
  const auto fast = canonical_instructions(block_of(threads));
  threads[63].push_back(load(9, 0));  // one more access sends warp 1 through the general fold
  auto slow = canonical_instructions(block_of(threads));
  REQUIRE(slow.size() == fast.size() + 1);
  slow.pop_back();
  for (std::size_t i = 0; i < fast.size(); ++i) {
    CHECK(slow[i].lanes == fast[i].lanes);
    CHECK(slow[i].offset == fast[i].offset);
    CHECK(slow[i].visit == fast[i].visit);
  }
}

TEST_CASE("streams are equal when only the order of operands differs, and not when an address does") {
  std::vector<std::vector<Access>> a(1), b(1);
  a[0] = {load(3, 0, 0), load(3, 8, 1), store(4, 0)};
  b[0] = {load(3, 8, 1), load(3, 0, 0), store(4, 0)};
  b[0][0].clock = 77, b[0][1].mask = 1;
  CHECK(stream_difference(block_of(a), block_of(b)) == "");
  b[0][2].offset = 4;
  CHECK(stream_difference(block_of(a), block_of(b)) != "");
  b[0].pop_back();
  CHECK(stream_difference(block_of(a), block_of(b)) != "");
}

TEST_CASE("an access does not move across a barrier unnoticed") {
  std::vector<std::vector<Access>> a(1), b(1);
  a[0] = {load(3, 0), barrier(4), load(5, 0)};
  b[0] = {load(3, 0), load(5, 0), barrier(4)};
  CHECK(stream_difference(block_of(a), block_of(b)) != "");
}

TEST_CASE(
    "the cache model fetches a sector once, writes a dirty one once, and forgets the least recently used") {
  CacheModel small({512, 4});            // one set of four lines
  CHECK(small.load(0, 0, 0b0001) == 2);  // HBM gives two sectors at a time
  CHECK(small.load(0, 0, 0b0001) == 0);
  CHECK(small.load(0, 0, 0b0010) == 0);  // which came along
  CHECK(small.store(0, 0, 0b0100) == 1);
  CHECK(small.store(0, 0, 0b0100) == 0);
  CHECK(small.load(0, 0, 0b0100) == 0);  // just written, so it is there
  CHECK(small.load(0, 0, 0b1000) == 1);  // its neighbour is there already
  for (std::uint32_t line = 1; line <= 4; ++line) small.load(0, line, 0b0001);
  CHECK(small.load(0, 0, 0b0001) == 2);  // pushed out
  CHECK(small.fetched_bytes() == 32 * 13);
  CHECK(small.written_bytes() == 32);
}

TEST_CASE("traffic and element states are functions of the step") {
  const MemoryAxis axis({launch_of(block_of(two_warps()))});
  CHECK(BlockProgress(axis).traffic_until(-1).load.instructions == 0);
  CHECK(BlockProgress(axis).traffic_until(3).load.sectors == 16);
  CHECK(BlockProgress(axis).traffic_until(7).shared_store.wavefronts == 4);
  CHECK(BlockProgress(axis).traffic_until(10).shared_load.instructions == 2);
  ViewInfo view{0, "in", Space::global, "float", 4, {4, 32}, 0};
  const Region region = BlockProgress(axis).region_touched(0, view);
  CHECK(region.rows == 4);
  CHECK(region.cols == 32);
  const auto state = BlockProgress(axis).elements_until(1, view, region);
  CHECK(state[0].reads == 1);
  CHECK(state[32].now == ElementState::Now::reads);
  CHECK(state[64].reads == 0);
  CHECK(reader_of(axis, 0, 4, 33).thread == 33);
  CHECK(reader_of(axis, 0, 4, 33).step == 1);
  CHECK(writer_of(axis, 0, 4, 33).step == -1);
  CHECK(writer_of(axis, 300, 4, 65).step == 6);
}

TEST_CASE("of a region that is too large for a picture the first rows and columns are shown") {
  const MemoryAxis axis({launch_of(block_of({{load(3, 0), load(4, 0xfffffffcu)}}))});
  const ViewInfo view{0, "in", Space::global, "float", 4, {1 << 15, 1 << 15}, 0};
  const Region region = BlockProgress(axis).region_touched(0, view);
  CHECK(region.rows == kMostShown);
  CHECK(region.cols == kMostShown);
  CHECK(BlockProgress(axis).elements_until(0, view, region)[0].reads == 1);
}

TEST_CASE("a grid's touches name block, thread and line of writer and first reader") {
  Launch launch;
  launch.views = {{0, "in", Space::global, "float", 4, {8, 8}, 0},
                  {1, "out", Space::global, "float", 4, {8, 8}, 0}};
  CacheModel cache;
  GridFold fold(launch, 1, cache);
  for (int block : {0, 1}) {
    std::vector<std::vector<Access>> threads(32);
    std::vector<std::span<const Access>> streams;
    for (unsigned t = 0; t < 32; ++t)
      threads[t] = {load(3, (block * 32 + t) * 4, 0), store(4, (block * 32 + t) * 4, 1)};
    for (auto& s : threads) streams.emplace_back(s);
    fold.add_block(block, streams);
  }
  const auto touches = fold.take_touches();
  REQUIRE(touches.size() == 2);
  CHECK(touches[0].reader_block[40] == 1);
  CHECK(touches[0].reader_thread[40] == 8);
  CHECK(touches[0].writer_block[40] == Touch::kNobody);
  CHECK(touches[1].writer_line[40] == 4);
  CHECK(fold.counts().global_load_sectors == 8);
  CHECK(launch.trace.hbm_sectors == std::vector<std::uint32_t>{4, 4});
}

TEST_CASE("a comment does not change the source hash, a statement does, a quote does not end one") {
  const std::string code = "int a = 1; // one\n/* two\n lines */\nchar q = '\"'; // \"\n";
  CHECK(strip_comments(code) == "int a = 1;\nchar q = '\"';\n");
  CHECK(source_hash_of(code) == source_hash_of("\nint a = 1;\n  char q = '\"';\n"));
  CHECK(source_hash_of(code) != source_hash_of("int a = 2;\nchar q = '\"';\n"));
}

TEST_CASE("settings: legal values are taken, others are refused with value and range") {
  Parameter p;
  p.name = "n", p.min = 4, p.max = 64, p.multiple = 4, p.default_value = std::int64_t{8};
  LabInfo lab{"lab", "", "", "", {{"a", "", "a.cuh"}}, {p}};
  CHECK(std::get<std::int64_t>(parse_setting(lab, "n=12")->second) == 12);
  for (const char* bad :
       {"n=", "n=13", "n=0", "n=1e3", "n=12x", "n=99999999999999999999", "n=-4", "n= 8", "n=nan", "n=+8"}) {
    const auto result = parse_setting(lab, bad);
    CAPTURE(bad);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().text().find("4 to 64, multiples of 4") != std::string::npos);
  }
  CHECK_FALSE(parse_setting(lab, "m=8").ok());
  CHECK_FALSE(parse_setting(lab, "n").ok());
  CHECK(std::get<std::int64_t>(complete_params(lab, "a", {})->at("n")) == 8);
}

TEST_CASE("numbered arguments are put in, missing ones stay visible") {
  CHECK(expand("{1} before {0}", {"a", "b"}) == "b before a");
  CHECK(expand("{0} {2} {x} {", {"a"}) == "a {2} {x} {");
}

TEST_CASE("the longest provenance prefix wins, at whole names only") {
  Run run;
  run.provenance = {{"metrics", "emulated"}, {"metrics.models", "modelled"}};
  CHECK(provenance_of(run, "metrics.accesses") == "emulated");
  CHECK(provenance_of(run, "metrics.models.hbm") == "modelled");
  CHECK(provenance_of(run, "metricsx") == "");
}
