// Coarse steps: load, wait, multiply and store of a tiled product, from threads' streams written by hand.
#include <doctest/doctest.h>

#include <set>

#include "app/model/groups.hpp"
#include "app/model/units.hpp"

using namespace lockstep;

namespace {

constexpr std::uint16_t kA = 0, kB = 1, kC = 2, kTile = 300;
constexpr std::uint32_t kK = 8;  // A is 32 x 8, B 8 x 32, C 32 x 32; a tile is 2 wide

using Stream = std::vector<Access>;

Access access(int line, std::uint16_t view, std::uint32_t element, Kind kind) {
  return {element * 4, 0, 0, 9, std::uint16_t(line), view, 4, kind};
}

// One warp of a block, thread t for row t: it copies its row of a tile of A and an element of B.
struct Builder {
  std::vector<Stream> threads = std::vector<Stream>(32);
  std::vector<std::vector<Copy>> copies = std::vector<std::vector<Copy>>(32);
  std::uint32_t group = 0;

  void load(int line, std::uint32_t k) {
    for (std::uint32_t t = 0; t < 32; ++t)
      for (std::uint32_t p = 0; p < 2; ++p) {
        threads[t].push_back(access(line, kA, t * kK + k + p, Kind::load));
        threads[t].push_back(access(line, kTile, t * 2 + p, Kind::store));
        threads[t].push_back(access(line + 1, kB, (k + p) * 32 + t, Kind::load));
      }
  }
  void copy(int line, std::uint32_t k, std::uint32_t buffer) {
    for (std::uint32_t t = 0; t < 32; ++t)
      for (std::uint32_t p = 0; p < 2; ++p) {
        Copy c;
        c.group = group, c.issue = std::uint32_t(threads[t].size());
        copies[t].push_back(c);
        threads[t].push_back(access(line, kA, t * kK + k + p, Kind::copy_issue));
        threads[t].push_back(access(line, kTile, buffer * 64 + t * 2 + p, Kind::copy_target));
      }
    ++group;
  }
  void wait(std::uint32_t newest) {  // leaves the `newest` groups in flight
    for (std::uint32_t t = 0; t < 32; ++t)
      for (Copy& c : copies[t])
        if (!c.wait && c.group + newest < group) c.wait = std::uint32_t(threads[t].size());
  }
  void barrier(int line) {
    for (Stream& s : threads) s.push_back(access(line, 0, 0, Kind::barrier));
  }
  void multiply(int line, std::uint32_t buffer = 0) {
    for (std::uint32_t t = 0; t < 32; ++t)
      for (std::uint32_t p = 0; p < 2; ++p)
        threads[t].push_back(access(line, kTile, buffer * 64 + t * 2 + p, Kind::load));
  }
  void store(int line) {
    for (std::uint32_t t = 0; t < 32; ++t)
      for (std::uint32_t col = 0; col < 32; ++col)
        threads[t].push_back(access(line, kC, t * 32 + col, Kind::store));
  }
  std::vector<Launch> launches() const {
    Launch l;
    l.block = {32, 1, 1};
    l.views = {{kA, "a", Space::global, "float", 4, {32, kK}, 0},
               {kB, "b", Space::global, "float", 4, {kK, 32}, 0},
               {kC, "c", Space::global, "float", 4, {32, 32}, 0},
               {kTile, "tile", Space::shared, "float", 4, {64, 2}, 2}};
    l.trace.begin = l.trace.copy_begin = {0};
    for (std::size_t t = 0; t < 32; ++t) {
      l.trace.events.insert(l.trace.events.end(), threads[t].begin(), threads[t].end());
      l.trace.begin.push_back(l.trace.events.size());
      l.trace.copies.insert(l.trace.copies.end(), copies[t].begin(), copies[t].end());
      l.trace.copy_begin.push_back(l.trace.copies.size());
    }
    return {l};
  }
  LoopAxis axis() const { return LoopAxis(launches()); }
};

// "load k 0..1 | flying k 2..3 | lines 3 4 | parts 6"
std::string text_of(const LoopAxis& axis) {
  const char* const names[] = {"load", "wait", "multiply", "store"};
  const auto range = [](std::int64_t first, std::int64_t last) {
    return std::to_string(first) + ".." + std::to_string(last);
  };
  std::string out;
  for (std::size_t s = 0; s < axis.steps.size(); ++s) {
    const StepGroup& g = axis.groups[s];
    out += names[int(g.role)];
    if (g.trip >= 0) {
      const Span k = axis.trips[std::size_t(g.trip)].k;
      out += " k " + range(k.first, k.last());
    }
    if (g.in_flight.count)
      out += " | flying k " + range(axis.trips[std::size_t(g.in_flight.first)].k.first,
                                    axis.trips[std::size_t(g.in_flight.last())].k.last());
    out += " | lines";
    for (int line : g.lines) out += " " + std::to_string(line);
    out += " | parts " + std::to_string(axis.steps[s].part_count) + "\n";
  }
  return out;
}

Builder one_buffer() {
  Builder b;
  for (std::uint32_t k = 0; k < kK; k += 2) b.load(3, k), b.barrier(5), b.multiply(7), b.barrier(9);
  b.store(11);
  return b;
}

// The copy of the next tile is issued first, then this one is waited for.
Builder two_buffers() {
  Builder b;
  b.copy(3, 0, 0);
  for (std::uint32_t k = 0, use = 0; k < kK; k += 2, use ^= 1) {
    if (k + 2 < kK)
      b.copy(3, k + 2, use ^ 1);
    else
      ++b.group;
    b.wait(1), b.barrier(5), b.multiply(7, use), b.barrier(9);
  }
  b.store(11);
  return b;
}

// Waits for everything; then the next copy is issued and this tile multiplied, with one barrier per trip.
Builder one_barrier() {
  Builder b;
  b.copy(3, 0, 0);
  for (std::uint32_t k = 0, use = 0; k < kK; k += 2, use ^= 1) {
    b.wait(0), b.barrier(5);
    if (k + 2 < kK) b.copy(3, k + 2, use ^ 1);
    b.multiply(7, use);
  }
  b.store(11);
  return b;
}

}  // namespace

TEST_CASE("loads with the stores that keep them are one step, and so are the loads from shared memory") {
  CHECK(text_of(one_buffer().axis()) ==
        "load k 0..1 | lines 3 4 | parts 6\n"
        "wait k 0..1 | lines 5 | parts 1\n"
        "multiply k 0..1 | lines 7 | parts 2\n"
        "wait | lines 9 | parts 1\n"
        "load k 2..3 | lines 3 4 | parts 6\n"
        "wait k 2..3 | lines 5 | parts 1\n"
        "multiply k 2..3 | lines 7 | parts 2\n"
        "wait | lines 9 | parts 1\n"
        "load k 4..5 | lines 3 4 | parts 6\n"
        "wait k 4..5 | lines 5 | parts 1\n"
        "multiply k 4..5 | lines 7 | parts 2\n"
        "wait | lines 9 | parts 1\n"
        "load k 6..7 | lines 3 4 | parts 6\n"
        "wait k 6..7 | lines 5 | parts 1\n"
        "multiply k 6..7 | lines 7 | parts 2\n"
        "wait | lines 9 | parts 1\n"
        "store | lines 11 | parts 32\n");
}

TEST_CASE("two copies of one interval are two steps, and each flies until it is waited for") {
  CHECK(text_of(two_buffers().axis()) ==
        "load k 0..1 | flying k 0..1 | lines 3 | parts 4\n"
        "load k 2..3 | flying k 0..3 | lines 3 | parts 4\n"
        "wait k 0..1 | flying k 2..3 | lines 5 | parts 1\n"
        "multiply k 0..1 | flying k 2..3 | lines 7 | parts 2\n"
        "wait | flying k 2..3 | lines 9 | parts 1\n"
        "load k 4..5 | flying k 2..5 | lines 3 | parts 4\n"
        "wait k 2..3 | flying k 4..5 | lines 5 | parts 1\n"
        "multiply k 2..3 | flying k 4..5 | lines 7 | parts 2\n"
        "wait | flying k 4..5 | lines 9 | parts 1\n"
        "load k 6..7 | flying k 4..7 | lines 3 | parts 4\n"
        "wait k 4..5 | flying k 6..7 | lines 5 | parts 1\n"
        "multiply k 4..5 | flying k 6..7 | lines 7 | parts 2\n"
        "wait | flying k 6..7 | lines 9 | parts 1\n"
        "wait k 6..7 | lines 5 | parts 1\n"
        "multiply k 6..7 | lines 7 | parts 2\n"
        "wait | lines 9 | parts 1\n"
        "store | lines 11 | parts 32\n");
}

TEST_CASE("in an interval that copies and multiplies, the steps stand as in the program") {
  CHECK(text_of(one_barrier().axis()) ==
        "load k 0..1 | flying k 0..1 | lines 3 | parts 4\n"
        "wait k 0..1 | lines 5 | parts 1\n"
        "load k 2..3 | flying k 2..3 | lines 3 | parts 4\n"
        "multiply k 0..1 | flying k 2..3 | lines 7 | parts 2\n"
        "wait k 2..3 | lines 5 | parts 1\n"
        "load k 4..5 | flying k 4..5 | lines 3 | parts 4\n"
        "multiply k 2..3 | flying k 4..5 | lines 7 | parts 2\n"
        "wait k 4..5 | lines 5 | parts 1\n"
        "load k 6..7 | flying k 6..7 | lines 3 | parts 4\n"
        "multiply k 4..5 | flying k 6..7 | lines 7 | parts 2\n"
        "wait k 6..7 | lines 5 | parts 1\n"
        "multiply k 6..7 | lines 7 | parts 2\n"
        "store | lines 11 | parts 32\n");
}

TEST_CASE("without shared memory every trip around the loop is a step") {
  Builder b;
  for (std::uint32_t k = 0; k < 3; ++k)
    for (std::uint32_t t = 0; t < 32; ++t) {
      b.threads[t].push_back(access(4, kA, t * kK + k, Kind::load));
      b.threads[t].push_back(access(4, kB, k * 32 + t, Kind::load));
    }
  b.store(6);
  CHECK(text_of(b.axis()) ==
        "multiply k 0..0 | lines 4 | parts 2\n"
        "multiply k 1..1 | lines 4 | parts 2\n"
        "multiply k 2..2 | lines 4 | parts 2\n"
        "store | lines 6 | parts 32\n");
}

TEST_CASE("a coarse axis answers as the fine one does at the end of each step") {
  const Builder b = two_buffers();
  const MemoryAxis fine(b.launches());
  const LoopAxis axis = b.axis();
  const BlockProgress progress(axis);
  REQUIRE(axis.parts.size() == fine.steps.size());
  const Traffic all = BlockProgress(fine).traffic_until(fine.count() - 1),
                last = progress.traffic_until(axis.count() - 1);
  CHECK(last.load.sectors == all.load.sectors);
  CHECK(last.shared_copy.lane_bytes == 32 * 8 * 4);
  CHECK(last.copied_bytes == 32 * 8 * 4);
  CHECK(last.shared_store.instructions == 0);
  CHECK(traffic_of(axis, 7).shared_load.lane_bytes == 32 * 2 * 4);
  CHECK(progress.traffic_until(1).copied_bytes == 32 * 4 * 4);
  std::int64_t sum = 0;
  for (int s = 0; s < axis.count(); ++s) {
    sum += traffic_of(axis, s).load.sectors;
    CHECK(progress.traffic_until(s).load.sectors == sum);
  }
  const ViewInfo a = b.launches()[0].views[0];
  const auto state = progress.elements_until(5, a, progress.region_touched(0, a));
  CHECK(state[0].reads == 1);
  CHECK(state[4].now == ElementState::Now::reads);
  CHECK(state[6].reads == 0);
  CHECK(reader_of(axis, kA, 4, 4).step == 5);
  CHECK(writer_of(axis, kC, 4, 33).step == 16);
  CHECK(writer_of(axis, kC, 4, 33).thread == 1);
}

TEST_CASE("trips, buffers and owners are functions of the step") {
  const LoopAxis axis = two_buffers().axis();
  CHECK(state_of(axis, axis.trips[1], 0) == TripState::ahead);
  CHECK(state_of(axis, axis.trips[1], 4) == TripState::loading);
  CHECK(state_of(axis, axis.trips[1], 6) == TripState::resident);
  CHECK(state_of(axis, axis.trips[1], 7) == TripState::in_use);
  CHECK(state_of(axis, axis.trips[1], 8) == TripState::used);
  const auto buffers = buffers_at(axis, 7);
  REQUIRE(buffers.size() == 2);
  CHECK(buffers[0].trip == 2);
  CHECK(buffers[1].trip == 1);
  CHECK(buffers[1].places.front() == Trip::Target{kTile, 256, 511});
  CHECK(buffers_at(one_buffer().axis(), 0).size() == 1);
  const Owners owners = owners_of(axis, BlockProgress(axis), two_buffers().launches()[0].views[2]);
  CHECK(owners.of(5, 7) == 5);
  CHECK(owners.of(5, 32) == -1);
  CHECK(owners.writes[0] == 1);
  CHECK(owners.elements_of_thread(3) == 32);
  CHECK(owners.step == 16);
}

TEST_CASE("another axis is met where as many k are in the sums, or at the same load or wait") {
  const LoopAxis two = two_buffers().axis(), one = one_buffer().axis();
  CHECK(k_done(two, 6) == 2);
  CHECK(k_done(two, 7) == 4);
  const auto aligned = [](const Axis& from, int step, const Axis& to) {
    return to_text(from.key(step)) + " -> " + to_text(to.key(aligned_step(from, step, to).step));
  };
  CHECK(aligned(two, 7, one) == "multiply 3 -> multiply 3");
  CHECK(aligned(two, 16, one) == "store -> store");
  CHECK(aligned(two, 8, one) == "barrier 3 -> barrier 3");
  CHECK(aligned(one, 4, two) == "load 2 -> load 2");
  CHECK(aligned(one, 5, two) == "wait 2 -> wait 2");
}

TEST_CASE("loops of other tiles meet at the first multiply that brings as many k, and at the end otherwise") {
  Builder whole;  // all of k in one trip
  for (std::uint32_t k = 0; k < kK; k += kK)
    for (std::size_t t = 0; t < 32; ++t)
      for (std::uint32_t i = k; i < k + kK; ++i) {
        whole.threads[t].push_back(access(4, kA, std::uint32_t(t) * kK + i, Kind::load));
        whole.threads[t].push_back(access(4, kB, i * 32 + std::uint32_t(t), Kind::load));
      }
  whole.store(6);
  const LoopAxis fine = whole.axis(), tiled = one_buffer().axis();
  CHECK(to_text(tiled.key(aligned_step(fine, 0, tiled).step)) == "multiply 1");
  CHECK(to_text(tiled.key(aligned_step(fine, 1, tiled).step)) == "multiply 1");
  CHECK(to_text(tiled.key(aligned_step(fine, 2, tiled).step)) == "multiply 3");
  const AlignedStep at_load = aligned_step(tiled, 4, fine);  // load 2: nothing is loaded apart there
  CHECK_FALSE(at_load.same);
  CHECK(to_text(fine.key(at_load.step)) == "multiply 1");
}

TEST_CASE("a box is 16 bytes per lane, four rows of 128 bytes at a time, swizzled where it lands") {
  UnitAccesses units;
  WarpInstruction source, target;
  source.kind = Kind::box_source, source.view = 0, source.lanes = 1, source.offset[0] = 640;
  source.gpu_mask = 400 / 16 << 12 | 5, source.width = 3;  // rows of 400 bytes, 5 inside, 48 bytes of each
  target.kind = Kind::box_target, target.view = kFirstSharedView, target.lanes = 1, target.offset[0] = 2048;
  target.gpu_mask = 8;
  std::vector<WarpInstruction> all;
  const auto keep = [&](const WarpInstruction& i) { all.push_back(i); };
  units.add(source, keep);
  CHECK(all.empty());
  units.add(target, keep);
  REQUIRE(all.size() == 4);  // rows 0 to 3, then row 4 of the source and rows 4 to 7 of the target
  CHECK(all[0].kind == Kind::box_source);
  CHECK(all[0].lanes == 0x07070707u);
  CHECK(all[0].offset[8] == 640 + 400);
  CHECK(all[0].offset[10] == 640 + 400 + 32);
  CHECK(all[1].kind == Kind::box_target);
  CHECK(all[1].lanes == ~0u);
  CHECK(all[1].offset[0] == 2048);
  CHECK(all[1].offset[8] == 2048 + 128 + 16);  // row 1: its first unit changes places with its second one
  CHECK(all[1].offset[9] == 2048 + 128);
  CHECK(all[2].lanes == 0x7u);
  CHECK(all[3].offset[24] == 2048 + 7 * 128 + 7 * 16);
  for (const WarpInstruction& i : all) CHECK(i.width == 16);
  // Of each row 48 bytes and 80 zeros: from 640 and 1440 on 2 + 3 sectors, from 1040 and 1840 on 2 + 3 as
  // well.
  CHECK(all[1].copy.requested == 4 * 5);
  CHECK(all[3].copy.requested == 5 + 3 * 4);
  all.clear();
  units.add(target, keep);  // a box that lies outside as a whole: zeros come, nothing is read
  CHECK(all.size() == 2);
}

TEST_CASE("a product reads 16 rows of A per warp and B once for the four warps") {
  for (const std::uint32_t warp : {4u, 5u}) {
    UnitAccesses units;
    WarpInstruction a, b;
    a.kind = Kind::product_a, a.view = kFirstSharedView, a.warp = warp, a.lanes = ~0u;
    b.kind = Kind::product_b, b.view = kFirstSharedView + 1, b.warp = warp, b.lanes = ~0u;
    b.width = 128 / 8, b.gpu_mask = 1 | 8192 << 1;  // 16 x 128, columns side by side
    a.offset.fill(32), b.offset.fill(4096);
    std::vector<WarpInstruction> all;
    const auto keep = [&](const WarpInstruction& i) { all.push_back(i); };
    units.add(a, keep), units.add(b, keep);
    REQUIRE(all.size() == (warp == 4 ? 9u : 1u));  // 512 bytes of A; 4096 of B
    CHECK(all[0].offset[0] == swizzled_128(warp % 4 * 16 * 128 + 32));
    CHECK(all[0].offset[3] == swizzled_128((warp % 4 * 16 + 1) * 128 + 48));
    if (warp != 4) continue;
    std::set<std::uint32_t> places;
    for (std::size_t i = 1; i < all.size(); ++i) places.insert(all[i].offset.begin(), all[i].offset.end());
    CHECK(places.size() == 256);
    CHECK(*places.begin() == 4096);
    CHECK(*places.rbegin() == 4096 + 8192 + 16 * 128 - 16);
  }
}

TEST_CASE("what a unit may touch is told for any fields of its events, also wrong ones") {
  Access source;
  source.kind = Kind::box_source, source.offset = 64, source.mask = 0xffffffffu, source.width = 255;
  const TouchedBytes most = touched_bytes(source);
  CHECK(most.first == 64);
  CHECK(most.bytes == 0xffeull * (0xfffffull * 16) + 128);
  source.mask = 0;
  CHECK(touched_bytes(source).bytes == 0);
  Access target;
  target.kind = Kind::box_target, target.mask = 0xffffffffu;
  CHECK(touched_bytes(target).bytes == 256 * 128);
}

// What a damaged or forged file may say; what it says need not make sense, but nothing may be read that is
// not there.
TEST_CASE("boxes: waits for what nobody brings, buffers that nobody filled, tiles of C far apart") {
  constexpr std::uint16_t kFull = kFirstSharedView + 1, kEmpty = kFirstSharedView + 2, kBox = kTile;
  const auto event = [](Kind kind, std::uint16_t view, std::uint32_t offset, std::uint32_t mask = 0,
                        std::uint8_t width = 8) { return Access{offset, mask, 0, 9, 1, view, width, kind}; };
  // The streams of thread 0, and of the first one of the second warp.
  const auto axis_of = [](Stream stream, std::uint64_t edge, const Stream& second = {}) {
    Launch launch;
    launch.block = {64, 1, 1};
    launch.views = {{kA, "a", Space::global, "float", 4, {edge, 8}, 0},
                    {kB, "b", Space::global, "float", 4, {8, edge}, 0},
                    {kC, "c", Space::global, "uint8", 1, {edge, edge}, 0}};
    launch.trace.begin.assign(33, stream.size()), launch.trace.begin.front() = 0;
    stream.insert(stream.end(), second.begin(), second.end());
    launch.trace.begin.resize(65, stream.size());
    launch.trace.events = std::move(stream);
    return std::pair{LoopAxis({launch}), launch.views[2]};
  };
  SUBCASE("a wait for a tile of which no piece is asked for") {
    const auto [axis, c] = axis_of({event(Kind::arrive, kFull, 0), event(Kind::box_target, kBox, 0, 0, 0),
                                    event(Kind::await_phase, kFull, 0)},
                                   16);
    for (const Trip& trip : axis.trips) CHECK(trip.load_step == -1);
    CHECK(k_done(axis, 0) == 0);
  }
  SUBCASE("a wait for a buffer whose tile nobody waits for") {
    Stream s;
    for (int ask = 0; ask < 3; ++ask) {
      if (ask == 2) s.push_back(event(Kind::await_phase, kEmpty, 0));
      s.push_back(event(Kind::arrive, kFull, 0)), s.push_back(event(Kind::box_target, kBox, 0, 0, 0));
    }
    const auto [axis, c] = axis_of(s, 16);
    for (const StepGroup& group : axis.groups) CHECK(group.freed < int(axis.trips.size()));
  }
  SUBCASE("tiles whose sums lie far apart, and more of them than are followed") {
    constexpr std::uint64_t kEdge = 60000;
    Stream asks, s;
    for (int tile = 0; tile < 40; ++tile) {
      asks.push_back(event(Kind::await_phase, kEmpty, 0)), asks.push_back(event(Kind::arrive, kFull, 0));
      asks.push_back(event(Kind::box_target, kBox, 0, 1, 0));
      s.push_back(event(Kind::await_phase, kFull, 0));
      s.push_back(event(Kind::load, kBox, 0, 0, 4));
      s.push_back(event(Kind::store, kC, std::uint32_t(tile), 0, 1));
      s.push_back(event(Kind::store, kC, std::uint32_t(kEdge * kEdge - 1 - std::uint64_t(tile)), 0, 1));
    }
    const auto [axis, c] = axis_of(asks, kEdge, s);
    CHECK(axis.tiles_of_c() == 16);
    const Owners owners = owners_of(axis, BlockProgress(axis), c, 3);
    CHECK(owners.region.rows <= kMostShown);
    CHECK(owners.region.cols <= kMostShown);
    CHECK(owners.thread.size() == std::size_t(owners.region.rows * owners.region.cols));
    CHECK(owners.of(0, 3) == 32);
  }
}
