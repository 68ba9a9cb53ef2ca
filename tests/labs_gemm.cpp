// The gemm lab on the emulator's runs: what its steps are, and the bytes on its tower worked out by hand.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/number_text.hpp"
#include "labs_gemm.hpp"

using namespace lockstep;
using namespace lockstep::test::gemm;

namespace {

// "down/up" of the link between two levels, counted from the top.
std::string link_text(const GemmPicture& shown, int from, int to) {
  for (const TowerLink& link : gemm_links(shown))
    if (link.from == from && link.to == to) return link.down + "/" + link.up;
  return "none";
}
constexpr int kMath = 0, kRegisters = 1, kShared = 2, kL1 = 3, kL2 = 4, kHbm = 5;

}  // namespace

TEST_CASE("naive: every k is a step") {
  const Shown s(emulated("naive"));
  CHECK(s.last() + 1 == 65);
  CHECK(s.titles(3) == "multiply k = 0\nmultiply k = 1\nmultiply k = 2\n");
  CHECK(s.title(63) == "multiply k = 63");
  CHECK(s.title(64) == "store C");
}

TEST_CASE("shared: load, wait, multiply, wait") {
  CHECK(Shown(emulated("shared")).titles(10) ==
        "load k = 0..15\n"
        "wait until k = 0..15 is there\n"
        "multiply k = 0..15\n"
        "wait until all have used k = 0..15\n"
        "load k = 16..31\n"
        "wait until k = 16..31 is there\n"
        "multiply k = 16..31\n"
        "wait until all have used k = 16..31\n"
        "load k = 32..47\n"
        "wait until k = 32..47 is there\n");
}

TEST_CASE("async: the next tile is copied while this one is multiplied") {
  const Shown s(emulated("async"));
  CHECK(s.titles(10) ==
        "start to copy k = 0..7\n"
        "start to copy k = 8..15\n"
        "wait until k = 0..7 is there\n"
        "multiply k = 0..7, copying k = 8..15\n"
        "wait until all have used k = 0..7\n"
        "start to copy k = 16..23\n"
        "wait until k = 8..15 is there\n"
        "multiply k = 8..15, copying k = 16..23\n"
        "wait until all have used k = 8..15\n"
        "start to copy k = 24..31\n");
  CHECK(s.title(s.last() - 2) == "multiply k = 56..63");
  CHECK(s.title(s.last()) == "store C");
}

TEST_CASE("stages: two copies are on their way, and one barrier per tile is enough") {
  CHECK(Shown(emulated("stages")).titles(10) ==
        "start to copy k = 0..15\n"
        "start to copy k = 16..31\n"
        "wait until k = 0..15 is there\n"
        "start to copy k = 32..47\n"
        "multiply k = 0..15, copying k = 16..47\n"
        "wait until k = 16..31 is there\n"
        "start to copy k = 48..63\n"
        "multiply k = 16..31, copying k = 32..63\n"
        "wait until k = 32..47 is there\n"
        "multiply k = 32..47, copying k = 48..63\n");
}

TEST_CASE(
    "stores: when all have used the last tile, C passes through shared memory in the step that stores it") {
  for (const std::int64_t k : {64, 24, 8}) {
    CAPTURE(k);
    const Shown s(emulated("stores", {{"k", k}}));
    const Span last = s.axis.trips.back().k;
    CHECK(std::int64_t(s.axis.trips.size()) == (k + 15) / 16);
    CHECK(s.axis.trips.back().multiply_step == s.last() - 2);
    CHECK(s.title(s.last() - 2) == "multiply k = " + k_text(last));
    CHECK(s.title(s.last() - 1) == "wait until all have used k = " + k_text(last));
    CHECK(s.title(s.last()) == "store C");
    CHECK(s.axis.steps.back().instruction.view == 2);  // it goes by the line that writes C
    const Traffic t = traffic_of(s.axis, s.last());
    CHECK(t.shared_store.lane_bytes == 32 * 32 * 4);
    CHECK(t.shared_load.lane_bytes == 32 * 32 * 4);
    CHECK(t.store.lane_bytes == 32 * 32 * 4);
    const Message said = s.scene.sentence({s.last()});
    CHECK(expand(said.id, said.args)
              .find("in shared memory and writes them to C in whole rows, 4.0 KB in 128") !=
          std::string::npos);
    const StageInput in = s.at(s.last());
    const auto shown = gemm_picture(s.scene, in);
    REQUIRE(shown);
    CHECK(shown->scene.tiles[0].owners.of(0, 3) == 0);  // four neighbours in a row, eight lanes to a row
    CHECK(shown->scene.tiles[0].owners.of(0, 4) == 1);
    CHECK(shown->scene.tiles[0].owners.of(5, 31) == 15);
    CHECK(shown->scene.tiles[0].owners.of(16, 0) == 32);
    CHECK(gemm_levels(*shown)[kShared].parts.size() == std::min<std::size_t>(3, s.axis.trips.size()));
  }
}

TEST_CASE("ldmatrix: beside every step stand loads of A or of B, never those of C on its way out") {
  for (const char* rung : {"ldmatrix", "stages", "stores"}) {
    const Shown s(emulated(rung));
    for (int step = 0; step <= s.last(); ++step) {
      SvgCanvas canvas(1100, 900, light_theme().ground);
      StageEvents events;
      s.scene.stage(canvas, {{step}, {0, 0, 1100, 900}, light_theme()}, events);
      int loads = 0;
      for (const auto& t : canvas.texts()) {
        loads += t.text.find("ldmatrix.x4 of warp 0 in a_tile") == 0;
        CHECK(t.text.find("in c_tile") == std::string::npos);
      }
      CAPTURE(rung);
      CAPTURE(step);
      CHECK(loads == 1);
    }
  }
}

TEST_CASE("naive 64^3: the bytes on the tower by hand") {
  // A block of 8 warps makes 32 x 8 sums. Per k a warp reads 32 floats of A in 32 rows (32 sectors) and one
  // of B by all lanes (1 sector); at the end each of its lanes writes a row of its own (32 sectors).
  const Shown s(emulated("naive"));
  const StageInput in = s.at(s.last());
  const auto shown = gemm_picture(s.scene, in);
  REQUIRE(shown);
  const Traffic t = s.scene.progress.traffic_until(s.last());
  CHECK(t.load.sector_bytes() == 8 * 64 * 33 * 32);
  CHECK(t.load.lane_bytes == 8 * 64 * 2 * 128);
  CHECK(t.store.sector_bytes() == 8 * 32 * 32);
  CHECK(link_text(*shown, kRegisters, kL1) == "1.0 KB/128 KB");
  CHECK(link_text(*shown, kL1, kL2) == "8.0 KB/10.0 KB");  // 32 x 64 floats of A, 64 x 8 of B, once each
  CHECK(link_text(*shown, kRegisters, kShared) == "none");
  const auto levels = gemm_levels(*shown);
  CHECK(levels[kMath].figure + levels[kMath].unit == "32.8 kFLOP");  // 2 x 32 x 8 x 64
  CHECK(levels[kL1].figure == "0.06");                               // 32,768 / 540,672
  CHECK(levels[kL2].figure == "3.20");                               // 32,768 / 10,240
}

TEST_CASE("shared 64^3 with tiles of 16: the bytes on the tower by hand") {
  // 8 warps, 4 trips. Per trip every thread loads an element of A and one of B (4 sectors per warp and
  // matrix), stores both, and then reads 16 of each from shared memory.
  const Shown s(emulated("shared"));
  const StageInput in = s.at(s.last());
  const auto shown = gemm_picture(s.scene, in);
  REQUIRE(shown);
  const Traffic t = s.scene.progress.traffic_until(s.last());
  CHECK(t.load.sector_bytes() == 8 * 4 * 8 * 32);
  CHECK(t.shared_store.lane_bytes == 256 * 4 * 2 * 4);
  CHECK(t.shared_load.lane_bytes == 256 * 4 * 32 * 4);
  CHECK(link_text(*shown, kRegisters, kShared) == "8.0 KB/128 KB");
  CHECK(link_text(*shown, kRegisters, kL1) == "1.0 KB/8.0 KB");
  CHECK(link_text(*shown, kL1, kL2) == "1.0 KB/8.0 KB");
  const auto levels = gemm_levels(*shown);
  CHECK(levels[kMath].figure + levels[kMath].unit == "32.8 kFLOP");
  CHECK(levels[kShared].figure == "0.25");
  CHECK(levels[kL2].figure == "4.00");  // 32,768 / 8,192: 16 times the 0.25 of a product from global memory
  CHECK(levels[kHbm].figure == "4.00");
}

TEST_CASE("FLOP are those of the sums that the block has at the edge") {
  const Shown s(
      emulated("shared", {{"m", std::int64_t{33}}, {"n", std::int64_t{65}}, {"k", std::int64_t{17}}}, 14));
  const StageInput in = s.at(s.last());  // the last block has one sum
  const TowerLevel math = gemm_levels(*gemm_picture(s.scene, in))[kMath];
  CHECK(math.figure + math.unit == "34 FLOP");
}

TEST_CASE("async, step 7: one buffer is in use while the other is filled") {
  const Shown s(emulated("async"));
  const StageInput in = s.at(7);
  const auto shown = gemm_picture(s.scene, in);
  REQUIRE(shown);
  const auto parts = gemm_levels(*shown)[kShared].parts;
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].text == "k = 16..23 filling");
  CHECK(parts[1].text == "k = 8..15 in use");
  const ProductPicture p = product_picture(*shown, {600, 600});
  const auto a = [&](int row, int col) { return p.matrix[0].cells[std::size_t(row * 64 + col)]; };
  CHECK(a(0, 7) == ProductCell::used);
  CHECK(a(31, 8) == ProductCell::in_use);
  CHECK(a(0, 23) == ProductCell::loading);
  CHECK(a(0, 24) == ProductCell::idle);
  CHECK(a(32, 8) == ProductCell::idle);  // another block's row
}

// What the picture says of A and B, strip by strip, is what the events say of their elements.
TEST_CASE("the strips hold exactly the elements that the block has read") {
  for (const char* rung : {"naive", "coalesced", "shared", "reg2d", "async", "warptile", "mma", "swizzle",
                           "ldmatrix", "stages", "stores"}) {
    const Shown s(
        emulated(rung, {{"m", std::int64_t{40}}, {"n", std::int64_t{72}}, {"k", std::int64_t{24}}}, 1));
    CAPTURE(rung);
    for (int step = 0; step <= s.last(); ++step) {
      const StageInput in = s.at(step);
      const auto shown = gemm_picture(s.scene, in);
      REQUIRE(shown);
      const ProductPicture p = product_picture(*shown, {600, 600});
      for (std::size_t m : {std::size_t(0), std::size_t(1)}) {
        const ViewInfo& view = m == 0 ? *s.scene.a : *s.scene.b;
        const ProductMatrix& part = p.matrix[m];
        const auto state = s.scene.progress.elements_until(
            step, view, {part.rows.first, part.cols.first, part.rows.count, part.cols.count});
        int differ = 0;
        for (std::size_t e = 0; e < state.size(); ++e)
          differ += (state[e].reads > 0) != (p.matrix[m].cells[e] != ProductCell::idle);
        CAPTURE(step);
        CHECK(differ == 0);
      }
    }
  }
}

TEST_CASE("who owns an element of C comes from the stores") {
  const Shown s(emulated("async"));
  const StageInput in = s.at(7);
  const auto shown = gemm_picture(s.scene, in);
  CHECK(shown->scene.tiles[0].owners.of(0, 0) == 0);
  CHECK(shown->scene.tiles[0].owners.of(31, 31) == 63);
  CHECK(shown->scene.tiles[0].owners.elements_of_thread(17) == 16);
  CHECK(shown->scene.tiles[0].owners.of(32, 0) == -1);
  StageInput pinned = in;
  pinned.view.pinned = {std::uint16_t{2}, std::uint64_t(20 * 64 + 30)};
  const auto told = gemm_picture(s.scene, pinned);
  CHECK(told->element == std::pair<std::int64_t, std::int64_t>{20, 30});
  CHECK(told->warp == 1);
  const Card card = element_card(*told, 20, 30);
  CHECK(card.lines.front() == "block (0, 0) · warp 1 · lane 15");
  CHECK(element_card(*told, 60, 60).lines.front().find("block (1, 1)") == 0);
}

TEST_CASE("a run that is no product has no picture") {
  Run run = emulated("naive");
  run.launches.front().views[1].shape = {3, 3};
  const Shown other(run);
  CHECK_FALSE(gemm_picture(other.scene, other.at(0)));
  run.launches.front().views.clear();
  const Shown none(run);
  CHECK_FALSE(gemm_picture(none.scene, none.at(0)));
}

TEST_CASE("of a product too large for a cell per element the part around the block is shown") {
  const ProductWindow all = product_window({600, 600}, {64, 64, 64}, {0, 32}, {32, 32}, 8, 0);
  CHECK(all.m == Span{0, 64});
  CHECK(all.k == Span{0, 64});
  const ProductWindow w = product_window({600, 600}, {4096, 4096, 4096}, {1024, 128}, {128, 128}, 8, 777);
  CHECK(w.m.first <= 1024);
  CHECK(w.m.last() >= 1151);
  CHECK(w.n.first <= 128);
  CHECK(w.n.last() >= 255);
  CHECK(w.k.holds(777));
  CHECK(w.k.holds(777 + 2 * 8));
  const ProductWindow end = product_window({600, 600}, {4096, 4096, 4096}, {3968, 128}, {3968, 128}, 8, 4095);
  CHECK(end.m.last() == 4095);
  CHECK(end.k.last() == 4095);
}

TEST_CASE("an edge that runs through a warp does not mix the copies of two tiles") {
  const Params edges{{"m", std::int64_t{42}}, {"n", std::int64_t{64}}, {"k", std::int64_t{24}}};
  const Shown s(emulated("async", edges, 2));
  CHECK(s.title(0) == "start to copy k = 0..7");
  CHECK(s.title(1) == "start to copy k = 8..15");
}

namespace {

const Buffer& buffer_with(const Run& run, std::uint16_t view) {
  for (const Buffer& buffer : run.buffers)
    if (buffer.view == view) return buffer;
  throw std::runtime_error("no such buffer");
}

// The first `products` products of an element of C, one by one.
double brute_force(const GemmScene& scene, std::int64_t row, std::int64_t col, std::int64_t products) {
  const std::uint64_t k = scene.a->shape[1], n = scene.b->shape[1];
  double sum = 0;
  for (std::uint64_t p = 0; p < std::uint64_t(products); ++p)
    sum += element(*scene.a, buffer_with(scene.run(), 0), std::uint64_t(row) * k + p) *
           element(*scene.b, buffer_with(scene.run(), 1), p * n + std::uint64_t(col));
  return sum;
}

}  // namespace

TEST_CASE("a sum is shown as it is at this step: at every step the brute-force partial product") {
  const Params odd{{"m", std::int64_t{40}}, {"n", std::int64_t{72}}, {"k", std::int64_t{24}}};
  for (const char* rung : {"naive", "shared", "reg2d", "async", "mma", "stages"}) {
    const Shown s(emulated(rung, odd, 1));
    CAPTURE(rung);
    REQUIRE(s.scene.tiles[0].sums.known());
    for (int step = 0; step <= s.last(); ++step) {
      CAPTURE(step);
      const std::int64_t products = k_done(s.axis, step);
      for (const std::int64_t row : {s.scene.tiles[0].rows.first, s.scene.tiles[0].rows.last()})
        for (const std::int64_t col : {s.scene.tiles[0].cols.first, s.scene.tiles[0].cols.last()})
          CHECK(s.scene.tiles[0].sums.at(step, row, col) ==
                doctest::Approx(brute_force(s.scene, row, col, products)).epsilon(1e-5));
    }
    CHECK(k_done(s.axis, 0) < 24);
    CHECK(k_done(s.axis, s.last()) == 24);
    const auto e = std::uint64_t(s.scene.tiles[0].rows.first * 72 + s.scene.tiles[0].cols.first);
    CHECK(s.scene.tiles[0].sums.at(s.last(), s.scene.tiles[0].rows.first, s.scene.tiles[0].cols.first) ==
          doctest::Approx(element(*s.scene.c, buffer_with(s.scene.run(), 2), e)).epsilon(1e-4));
  }
}

TEST_CASE("the card says the sum so far until it is written, and the cells grow with it") {
  const Shown s(emulated("naive"));
  const auto title = [&](int step) {
    const StageInput in = s.at(step);
    return element_card(*gemm_picture(s.scene, in), 15, 0).title;
  };
  CHECK(title(26) == "c[15][0] = " + figure_text(float(brute_force(s.scene, 15, 0, 27))));
  CHECK(title(26) != title(27));
  CHECK(title(s.last()) != title(26));
  const auto total = [&](int step) {
    const StageInput in = s.at(step);
    const ProductMatrix c = product_picture(*gemm_picture(s.scene, in), {600, 600}).matrix[2];
    double sum = 0;
    for (const float x : c.sums) sum += double(x);
    return sum;
  };
  CHECK(total(0) < total(20));
  CHECK(total(20) < total(63));
}

TEST_CASE("while a step is taken its warps have their turns: sum by sum from what it was to what it is") {
  const Shown s(emulated("shared"));
  int multiply = 0;
  while (s.axis.groups[std::size_t(multiply)].role != Role::multiply) ++multiply;
  const auto cells = [&](float motion) {
    StageInput in = s.at(multiply);
    in.motion = motion;
    return product_picture(*gemm_picture(s.scene, in), {600, 600}).matrix[2];
  };
  const ProductMatrix begun = cells(0), half = cells(0.5f), done = cells(1);
  const std::int64_t warps = s.scene.launch->threads() / kWarpSize;
  REQUIRE(warps % 2 == 0);
  for (std::int64_t row = s.scene.tiles[0].rows.first; row <= s.scene.tiles[0].rows.last(); ++row)
    for (std::int64_t col = s.scene.tiles[0].cols.first; col <= s.scene.tiles[0].cols.last(); ++col) {
      const auto at = std::size_t((row - done.rows.first) * done.cols.count + col - done.cols.first);
      const bool had_its_turn = s.scene.tiles[0].owners.of(row, col) / kWarpSize < warps / 2;
      CHECK(begun.sums[at] == 0);
      CHECK(half.sums[at] == (had_its_turn ? done.sums[at] : 0));
    }
}

TEST_CASE(
    "while a step is taken every element that it reads is reached by a lane, and none when it is done") {
  for (const char* rung : {"naive", "coalesced", "shared", "async", "mma"}) {
    const Shown s(emulated(rung));
    CAPTURE(rung);
    std::set<std::pair<std::int64_t, std::int64_t>> reached;  // of A
    for (float motion = 0; motion < 1; motion += 1 / 2048.f) {
      StageInput in = s.at(0);
      in.motion = motion;
      for (const ProductLane& lane : lanes_at_their_turn(*gemm_picture(s.scene, in)))
        for (std::int64_t i = 0; lane.matrix == 0 && i < lane.cols.count; ++i)
          reached.insert({lane.rows.first, lane.cols.first + i});
    }
    const Span k = s.axis.trips.front().k;
    CHECK(std::int64_t(reached.size()) == s.scene.tiles[0].rows.count * k.count);
    for (const auto& [row, col] : reached) CHECK((s.scene.tiles[0].rows.holds(row) && k.holds(col)));
    const StageInput in = s.at(0);
    CHECK(lanes_at_their_turn(*gemm_picture(s.scene, in)).empty());
  }
}

TEST_CASE("headline: bytes that a step fetches and those that would do, by hand") {
  const auto text = [](const HeadFigure& f) { return f.value + " " + f.unit; };
  const Shown naive(emulated("naive"));  // 33 sectors per warp and k; 32 + 8 floats are needed
  const auto one = naive.scene.headline({7});
  REQUIRE(one.size() == 2);
  CHECK(text(one[0]) == "8.2 KB fetched");  // 8 x 33 x 32 bytes
  CHECK(text(one[1]) == "160 B would do");
  CHECK(one[0].trouble);
  CHECK(naive.scene.opening_step(0) == 7);
  const Shown shared(emulated("shared"));
  const auto load = shared.scene.headline({0});  // 16 x 16 of C: 16 rows and 16 columns, 16 k
  CHECK(text(load[0]) == "2.0 KB fetched");
  CHECK(text(load[1]) == "2.0 KB would do");
  CHECK_FALSE(load[0].trouble);
  CHECK(text(shared.scene.headline({2})[0]) == "0.25 FLOP per byte");
  for (const char* rung : {"naive", "async", "mma", "stores"}) {
    const Shown s(emulated(rung));
    CAPTURE(rung);
    for (int step = 0; step <= s.last(); ++step) CHECK(s.scene.headline({step}).size() == 2);
  }
}
