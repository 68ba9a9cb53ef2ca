// The models of L1 and L2, and the order in which a block's accesses reach them.
#include <doctest/doctest.h>

#include "app/model/grid_fold.hpp"
#include "app/model/progress.hpp"

using namespace lockstep;

namespace {

constexpr std::array<std::uint32_t, 4> kAllBytes{~0u, ~0u, ~0u, ~0u};
constexpr unsigned kAll = 0b1111;
constexpr std::int64_t KB = 1024;

using Streams = std::vector<std::vector<Access>>;

Access word(int line, std::uint32_t element, Kind kind = Kind::load, std::uint16_t view = 0) {
  return {element * 4, 0, 0, 9, std::uint16_t(line), view, 4, kind};
}
Access barrier() { return {0, 0, 0, 9, 99, 0, 0, Kind::barrier}; }

// Every lane of `warps` warps goes on with what `of(thread)` says.
template <class F>
Streams threads_of(int warps, F&& of) {
  Streams streams;
  for (int t = 0; t < warps * 32; ++t) streams.push_back(of(std::uint32_t(t)));
  return streams;
}

struct Moved {
  std::uint64_t loads, stores, fetched;
  Launch launch;
};
Moved folded(const Streams& threads, bool follow, const Gpu& gpu = {}, std::int64_t shared_bytes = 0) {
  Launch launch;
  launch.block = {std::int64_t(threads.size()), 1, 1};
  CacheModel l2;
  GridFold fold(launch, follow ? 0 : -1, l2, 0, kMaxFollowedEvents, gpu);
  fold.set_shared_bytes(shared_bytes);
  fold.add_block(0, std::vector<std::span<const Access>>(threads.begin(), threads.end()));
  return {fold.l2_load_sectors(), fold.l2_store_sectors(), l2.fetched_bytes(), launch};
}

// An SM whose L1 has room for `lines` lines in one set.
Gpu with_l1_lines(int lines) {
  Gpu gpu;
  gpu.l1_shared_bytes = lines * 128, gpu.l1_ways = lines;
  gpu.shared_capacities = {0};
  return gpu;
}

}  // namespace

TEST_CASE("L1 fetches the sectors that are missing and no others") {
  L1Model l1({1024, 8});
  CHECK(l1.load(0, 5, 0b0011) == 0b0011);
  CHECK(l1.load(0, 5, 0b0111) == 0b0100);
  CHECK(l1.load(0, 5, kAll) == 0b1000);
  CHECK(l1.load(0, 5, kAll) == 0);
  CHECK(l1.load(1, 5, kAll) == kAll);  // another buffer
  l1.clear();
  CHECK(l1.load(0, 5, kAll) == kAll);  // the next block finds it empty
}

TEST_CASE("L1 forgets the line that was used least recently") {
  L1Model l1({512, 4});  // one set of four lines
  for (std::uint32_t line = 0; line < 4; ++line) l1.load(0, line, kAll);
  l1.load(0, 0, kAll);
  l1.load(0, 9, kAll);  // pushes out line 1
  CHECK(l1.load(0, 0, kAll) == 0);
  CHECK(l1.load(0, 1, kAll) == kAll);
}

TEST_CASE("what stores have filled is there for loads, a sector filled in part is fetched (as on an H200)") {
  L1Model l1({1024, 8});
  l1.store(0, 0, kAllBytes);
  CHECK(l1.load(0, 0, kAll) == 0);  // store_load of l1.json: no sector read
  l1.store(0, 1, {0x0000ffff, 0, 0, 0});
  l1.store(0, 1, {0xffff0000, 0, 0, 0});
  CHECK(l1.load(0, 1, 0b0001) == 0);  // halves_load
  l1.store(0, 2, {0x0000000f, 0, 0, 0});
  CHECK(l1.load(0, 2, 0b0001) == 0b0001);  // word_load
  l1.load(0, 3, kAll);
  l1.store(0, 3, {0x0000000f, 0, 0, 0});
  CHECK(l1.load(0, 3, kAll) == 0);  // load_store_load
}

TEST_CASE("after an atomic the L1 has to ask the L2 again") {
  L1Model l1({1024, 8});
  l1.load(0, 0, kAll);
  l1.forget(0, 0, 0b0010);
  CHECK(l1.load(0, 0, kAll) == 0b0010);
}

TEST_CASE("a block's share of L1 is what shared memory leaves, divided by the blocks on the SM") {
  const Gpu h200;
  // 1024 threads: two blocks of 1 KB reserved; 8 KB can be set aside (an H200 does so).
  CHECK(l1_share(h200, 1024, 0, 132).bytes == std::uint64_t(248 * KB));
  CHECK(l1_share(h200, 1024, 0, 1320).bytes == std::uint64_t(124 * KB));
  // 32 KB: six blocks and their reserved KB take 198 of the 228 KB that are set aside (an H200 does so).
  CHECK(l1_share(h200, 256, 32 * KB, 132).bytes == std::uint64_t(28 * KB));
  CHECK(l1_share(h200, 256, 227 * KB, 1).bytes == std::uint64_t(28 * KB));
}

TEST_CASE(
    "a word that every warp reads comes from L2 once, and what each lane stores goes there every time") {
  const Moved moved = folded(threads_of(8,
                                        [](std::uint32_t) {
                                          return std::vector{word(1, 0), word(2, 0, Kind::store, 1)};
                                        }),
                             false);
  CHECK(moved.loads == 1);
  CHECK(moved.stores == 8);
  CHECK(moved.fetched == 64);  // the word's sector and its neighbour
}

TEST_CASE("warps advance together: a small L1 serves all of them where one after another it would not") {
  // Each warp walks over 64 lines, the same for all; the L1 holds four.
  const Streams walk = threads_of(8, [](std::uint32_t t) {
    std::vector<Access> stream;
    for (std::uint32_t k = 0; k < 64; ++k) stream.push_back(word(1, k * 32 + t % 32));
    return stream;
  });
  CHECK(folded(walk, false, with_l1_lines(4)).loads == 64 * 4);
  CHECK(folded(walk, true, with_l1_lines(4)).loads == 64 * 4);  // the followed block as well
}

TEST_CASE("a warp does not run ahead over a barrier") {
  // Line 0 is read, then one warp alone walks over 8 lines, then after the barrier all read line 0 again.
  const Streams threads = threads_of(2, [](std::uint32_t t) {
    std::vector<Access> stream{word(1, t % 32)};
    for (std::uint32_t k = 1; k <= 8 && t < 32; ++k) stream.push_back(word(2, k * 32 + t));
    stream.push_back(barrier());
    stream.push_back(word(3, t % 32));
    return stream;
  });
  CHECK(folded(threads, false, with_l1_lines(4)).loads == 4 * (1 + 8 + 1));
}

TEST_CASE("each step of the followed block knows its sectors from L2 and from HBM") {
  const Moved moved =
      folded(threads_of(2,
                        [](std::uint32_t t) {
                          return std::vector{word(1, t % 32), word(2, t % 32), word(3, t, Kind::store, 1)};
                        }),
             true);
  CHECK(moved.launch.trace.l2_sectors == std::vector<std::uint32_t>{4, 0, 0, 0, 4, 4});
  CHECK(moved.launch.trace.hbm_sectors == std::vector<std::uint32_t>{4, 0, 0, 0, 4, 4});
  const MemoryAxis axis({moved.launch});
  const Traffic all = BlockProgress(axis).traffic_until(int(axis.steps.size()) - 1);
  CHECK(all.load.sector_bytes() == 4 * 4 * 32);  // asked of L1
  CHECK(all.load.l2_bytes() == 4 * 32);
  CHECK(all.store.l2_bytes() == 8 * 32);
  CHECK(all.load.l2_sectors == std::int64_t(moved.loads));
}

TEST_CASE(
    "atomics go to the L2, and what they give comes back past the L1's lines; those without a result bring "
    "nothing back") {
  const Moved moved =
      folded(threads_of(1,
                        [](std::uint32_t t) {
                          return std::vector{word(1, t), word(2, t, Kind::atomic), word(3, t)};
                        }),
             true);
  CHECK(moved.launch.trace.l2_sectors == std::vector<std::uint32_t>{4, 4, 4});
  CHECK(moved.loads == 12);
  const Moved unasked =
      folded(threads_of(1,
                        [](std::uint32_t t) {
                          return std::vector{word(1, t), word(2, t, Kind::reduction), word(3, t)};
                        }),
             true);
  CHECK(unasked.launch.trace.l2_sectors == std::vector<std::uint32_t>{4, 4, 4});
  CHECK(unasked.loads == 8);
}

TEST_CASE("an asynchronous copy goes through L1 as a load does") {
  const Moved moved = folded(
      threads_of(2, [](std::uint32_t t) { return std::vector{word(1, t % 32, Kind::copy_issue)}; }), false);
  CHECK(moved.loads == 4);
}

TEST_CASE("a load that goes around the L1 is asked of the L2 each time, and leaves nothing behind") {
  const auto again = [](Kind first, Kind second) {
    return folded(threads_of(1,
                             [=](std::uint32_t t) {
                               return std::vector{word(1, t, first), word(2, t, second)};
                             }),
                  true)
        .launch.trace.l2_sectors;
  };
  CHECK(again(Kind::load, Kind::load) == std::vector<std::uint32_t>{4, 0});
  CHECK(again(Kind::load_l2, Kind::load_l2) == std::vector<std::uint32_t>{4, 4});
  CHECK(again(Kind::load, Kind::load_l2) == std::vector<std::uint32_t>{4, 4});
  CHECK(again(Kind::load_l2, Kind::load) == std::vector<std::uint32_t>{4, 4});
}

TEST_CASE("what lies in the host's memory passes the L2 and never HBM") {
  CacheModel l2;
  l2.set_in_host(3);
  CHECK(l2.load(3, 0, kAll) == 0);
  CHECK(l2.store(3, 1, kAll) == 0);
  CHECK(l2.fetched_bytes() == 0);
  CHECK(l2.load(2, 0, kAll) == 4);
  CHECK(l2.fetched_bytes() == 128);
}

TEST_CASE("a run file without the L2 column shows what was asked of L1") {
  Moved moved = folded(threads_of(2, [](std::uint32_t t) { return std::vector{word(1, t % 32)}; }), true);
  moved.launch.trace.l2_sectors.clear();
  const MemoryAxis axis({moved.launch});
  CHECK(BlockProgress(axis).traffic_until(1).load.l2_sectors == 8);
}
