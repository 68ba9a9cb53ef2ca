// The gemm lab where the TMA unit brings the tiles: who waits for whom, what comes for which tile of C, and
// whose sums leave in a box.
#include <algorithm>

#include "labs_gemm.hpp"

using namespace lockstep;
using namespace lockstep::test::gemm;

TEST_CASE(
    "pipelined: a tile is asked for as soon as its buffer is given back, and the groups wait for it alone") {
  const Shown s(emulated("pipelined"));
  CHECK(s.titles(13) ==
        "all warps wait at the barrier\n"
        "ask for k = 0..63\n"
        "ask for k = 64..127\n"
        "ask for k = 128..191\n"
        "ask for k = 192..255\n"
        "wait until k = 0..63 is there\n"
        "multiply k = 0..63, copying k = 64..255\n"
        "wait until k = 64..127 is there\n"
        "multiply k = 64..127, copying k = 128..255\n"
        "the buffer of k = 0..63 is free\n"
        "ask for k = 256..319\n"
        "wait until k = 128..191 is there\n"
        "multiply k = 128..191, copying k = 192..319\n");
  CHECK(s.title(s.last()) == "store C");
  // Two boxes of 64 x 64 numbers of two bytes; one product reads 64 x 16 of A and 16 x 64 of B.
  const Traffic asked = traffic_of(s.axis, 1), used = traffic_of(s.axis, 6);
  CHECK(asked.load.lane_bytes == 2 * 64 * 64 * 2);
  CHECK(asked.shared_copy.lane_bytes == 2 * 64 * 64 * 2);
  CHECK(asked.load.sectors == 2 * 64 * 64 * 2 / 32);
  CHECK(used.shared_load.lane_bytes == 4 * (64 * 16 + 16 * 64) * 2);
  CHECK(used.load.lane_bytes == 0);
  CHECK(s.scene.run().counts->products == 4 * 6 * 4);       // blocks, tiles, products per tile
  CHECK(s.scene.run().counts->box_sectors == 4 * 6 * 512);  // all inside
}

TEST_CASE("wgmma and tma: one barrier of the block per tile, and what is asked for behind it") {
  CHECK(Shown(emulated("wgmma")).titles(10) ==
        "ask for k = 0..63\n"
        "ask for k = 64..127\n"
        "ask for k = 128..191\n"
        "ask for k = 192..255\n"
        "all warps wait at the barrier\n"
        "wait until k = 0..63 is there\n"
        "multiply k = 0..63, copying k = 64..255\n"
        "wait until all have used k = 0..63\n"
        "ask for k = 256..319\n"
        "wait until k = 64..127 is there\n");
  CHECK(Shown(emulated("tma")).titles(8) ==
        "ask for k = 0..63\n"
        "ask for k = 64..127\n"
        "all warps wait at the barrier\n"
        "wait until k = 0..63 is there\n"
        "all warps wait at the barrier\n"
        "ask for k = 128..191\n"
        "multiply k = 0..63, copying k = 64..191\n"
        "wait until k = 64..127 is there\n");
}

TEST_CASE(
    "every tile that the copy engine brings is waited for before it is multiplied, and C is the block's") {
  for (const char* rung : {"tma", "wgmma", "pipelined", "specialized", "persistent"}) {
    CAPTURE(rung);
    const Shown s(
        emulated(rung, {{"m", std::int64_t{130}}, {"n", std::int64_t{72}}, {"k", std::int64_t{200}}}, 1));
    CHECK(s.scene.run().check.pass);
    REQUIRE(s.axis.trips.size() == 4);
    for (std::size_t t = 0; t < 4; ++t) {
      const Trip& trip = s.axis.trips[t];
      CHECK(trip.k == Span{std::int64_t(t) * 64, t < 3 ? 64 : 8});
      CHECK(trip.load_step >= 0);
      CHECK(trip.load_step < trip.arrival_step);
      CHECK(trip.arrival_step < trip.multiply_step);
    }
    CHECK(s.title(s.last()) == "store C");
    CHECK(k_done(s.axis, s.last()) == 200);
    for (std::int64_t row = s.scene.tiles[0].rows.first; row <= s.scene.tiles[0].rows.last(); ++row)
      CHECK(s.scene.tiles[0].owners.of(row, s.scene.tiles[0].cols.first) >= 0);
  }
}

TEST_CASE("fp8: B stands column by column, and is shown as k x n all the same") {
  constexpr std::int64_t kN = 72, kK = 208;
  const Shown s(emulated("fp8", {{"m", std::int64_t{130}}, {"n", kN}, {"k", kK}}, 1));
  CHECK(s.scene.run().check.pass);
  REQUIRE(s.axis.trips.size() == 2);
  CHECK(s.axis.trips[0].k == Span{0, 128});
  CHECK(s.axis.trips[1].k == Span{128, kK - 128});
  CHECK(s.scene.tensor_cores);
  const Buffer* const b = buffer_of(s.scene.run(), s.scene.b->id);
  const Buffer* const a = buffer_of(s.scene.run(), s.scene.a->id);
  const Buffer* const c = buffer_of(s.scene.run(), s.scene.c->id);
  REQUIRE(a);
  REQUIRE(b);
  REQUIRE(c);
  for (const std::int64_t row : {s.scene.tiles[0].rows.first, s.scene.tiles[0].rows.last()})
    for (std::int64_t col = s.scene.tiles[0].cols.first; col <= s.scene.tiles[0].cols.last(); ++col) {
      double sum = 0;
      for (std::int64_t p = 0; p < kK; ++p)
        sum += element(*s.scene.a, *a, std::uint64_t(row * kK + p)) *
               element(*s.scene.b, *b, s.scene.element_of_b(p, col));
      CHECK(element(*s.scene.c, *c, std::uint64_t(row * kN + col)) == doctest::Approx(sum));
      CHECK(s.scene.tiles[0].sums.at(s.last(), row, col) == doctest::Approx(sum));
    }
  const StageInput in = s.at(s.last());
  const auto shown = gemm_picture(s.scene, in);
  REQUIRE(shown);
  const ProductPicture picture = product_picture(*shown, {400, 400});
  CHECK(picture.matrix[1].all_rows == kK);
  CHECK(picture.matrix[1].all_cols == kN);
}

TEST_CASE(
    "box_stores: a sum belongs to the lane that put it into the box, as where lanes store it themselves") {
  for (const char* rung : {"box_stores", "cluster"}) {
    CAPTURE(rung);
    const Params odd{{"m", std::int64_t{130}}, {"n", std::int64_t{72}}, {"k", std::int64_t{72}}};
    // Of 2 x 2 tiles block 1 makes the lower left one, in a cluster and by itself.
    const Shown boxes(emulated(rung, odd, 1)), threads(emulated("persistent", odd, 1));
    CHECK(boxes.scene.tiles[0].rows == threads.scene.tiles[0].rows);
    CHECK(boxes.scene.tiles[0].cols == threads.scene.tiles[0].cols);
    CHECK(boxes.scene.tiles[0].owners.thread == threads.scene.tiles[0].owners.thread);
    for (const std::int32_t owner : boxes.scene.tiles[0].owners.thread)
      CHECK(owner >= 128);  // no thread of the producer
    CHECK(boxes.title(boxes.last()) == "store C");
    const Traffic all = boxes.scene.progress.traffic_until(boxes.last());
    CHECK(all.sent_bytes == all.store.lane_bytes);
    CHECK(all.sent_bytes == boxes.scene.tiles[0].rows.count * boxes.scene.tiles[0].cols.count * 4);
    CHECK(all.product_bytes == all.shared_load.lane_bytes);  // nobody else reads shared memory into registers
  }
}

TEST_CASE("cluster: a block's boxes bring half of B's rows, and that half is outlined") {
  const Shown s(
      emulated("cluster", {{"m", std::int64_t{256}}, {"n", std::int64_t{64}}, {"k", std::int64_t{128}}}, 1));
  int loads = 0;
  for (int step = 0; step <= s.last(); ++step) {
    if (s.scene.group(step)->role != Role::load) continue;
    const Span k = s.scene.trip(s.scene.group(step)->trip)->k;
    const StageInput in = s.at(step);
    const auto shown = gemm_picture(s.scene, in);
    REQUIRE(shown);
    const ProductPicture picture = product_picture(*shown, {400, 400});
    const auto rows_of_b = [&](Color color) {
      const auto found = std::find_if(picture.boxes.begin(), picture.boxes.end(), [&](const ProductBox& box) {
        return box.matrix == 1 && box.color == color;
      });
      return found == picture.boxes.end() ? Span{} : found->rows;
    };
    CHECK(rows_of_b(color::current) == Span{k.first + 32, 32});  // block 1 asks for the lower half
    CHECK(rows_of_b(color::barrier) == Span{k.first, 32});       // and block 0 for the other one
    ++loads;
  }
  CHECK(loads == 2);
}

// 2 x 67 tiles of C for 132 blocks: the first two have two each.
const Params kTwoTilesPerBlock{
    {"m", std::int64_t{256}}, {"n", std::int64_t{67 * 64}}, {"k", std::int64_t{128}}};

TEST_CASE("persistent: a block's tiles of C are followed one behind the other, each with its own sums") {
  for (const char* rung : {"persistent", "box_stores"}) {
    CAPTURE(rung);
    const Shown s(emulated(rung, kTwoTilesPerBlock));
    CHECK(s.scene.run().check.pass);
    REQUIRE(s.axis.tiles_of_c() == 2);
    REQUIRE(s.axis.trips.size() == 4);
    for (int t = 0; t < 4; ++t) {
      CHECK(s.axis.trips[std::size_t(t)].tile_of_c == t / 2);
      CHECK(s.axis.trips[std::size_t(t)].k == Span{t % 2 * 64, 64});
    }
    const int stored = s.scene.tiles[0].owners.step;
    CHECK(s.title(stored) == "store tile 1 of C");
    CHECK(s.scene.sentence({stored}).text().find("k = 0..127 of the next tile") != std::string::npos);
    CHECK(s.title(s.last()) == "store tile 2 of C");
    CHECK(k_done(s.axis, stored) == 128);
    CHECK(k_done(s.axis, stored + 1) == 0);
    CHECK(k_done(s.axis, s.last()) == 128);
    // What the next tile needs has been asked for before the sums of this one are stored.
    for (int t = 2; t < 4; ++t) {
      CHECK(s.axis.trips[std::size_t(t)].load_step < stored);
      CHECK(s.axis.trips[std::size_t(t)].arrival_step > stored);
    }
    CHECK(s.title(s.axis.trips[2].load_step) == "ask for k = 0..63 of the next tile");
    // Tile 132 is the last one: behind the 67th column of the two rows of tiles.
    const BlockTile &first = s.scene.tiles[0], &second = s.scene.tiles[1];
    CHECK(first.rows == Span{0, 128});
    CHECK(first.cols == Span{0, 64});
    CHECK(second.rows == Span{0, 128});
    CHECK(second.cols == Span{66 * 64, 64});
    const Buffer *const a = buffer_of(s.scene.run(), s.scene.a->id), *const b = buffer_of(s.scene.run(),
                                                                                          s.scene.b->id);
    REQUIRE(a);
    REQUIRE(b);
    for (const BlockTile* tile : {&first, &second})
      for (const std::int64_t row : {tile->rows.first, tile->rows.last()})
        for (const std::int64_t col : {tile->cols.first, tile->cols.last()}) {
          CHECK(tile->owners.of(row, col) >= 128);
          double sum = 0;
          for (std::int64_t p = 0; p < 128; ++p)
            sum += element(*s.scene.a, *a, std::uint64_t(row * 128 + p)) *
                   element(*s.scene.b, *b, s.scene.element_of_b(p, col));
          CHECK(tile->sums.at(s.last(), row, col) == doctest::Approx(sum));
          CHECK((tile->sums.at(stored, row, col) == 0) == (tile == &second));
        }
    CHECK(s.scene.flop_until(stored) == 2.0 * 128 * 64 * 128);
    CHECK(s.scene.flop_until(s.last()) == 2 * s.scene.flop_until(stored));
    // The card of an element of the other tile says where it is made.
    const StageInput in = s.at(0);
    const auto shown = gemm_picture(s.scene, in);
    REQUIRE(shown);
    const Card card = element_card(*shown, 0, 66 * 64);
    REQUIRE(card.lines.size() == 1);
    CHECK(card.lines[0].find("in tile 2 of this block") == 0);
  }
}
