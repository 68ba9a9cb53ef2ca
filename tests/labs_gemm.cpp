// The gemm lab on the emulator's runs: what its steps are, and the bytes on its tower worked out by hand.
#include <doctest/doctest.h>

#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/gemm/picture.hpp"

using namespace lockstep;

namespace {

Run emulated(const std::string& rung, Params params = {}, std::int64_t block = 0) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "gemm", request.rung = rung, request.engine = EngineKind::emulator, request.block = block;
  request.params = *complete_params(find_lab("gemm")->info(), rung, params);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

struct Shown {
  explicit Shown(Run made) : run(std::move(made)), axis(find_lab("gemm")->steps(run)) {}
  int last() const { return int(axis.steps.size()) - 1; }
  StageInput at(int step) const { return {run, axis, step, {0, 0, 900, 700}, light_theme(), 1, {}, 0}; }
  std::string title(int step) const {
    const Message m = find_lab("gemm")->step_title(run, axis, step);
    return expand(m.id, m.args);
  }
  std::string titles(int count) const {
    std::string text;
    for (int s = 0; s < std::min(count, last() + 1); ++s) text += title(s) + "\n";
    return text;
  }
  Run run;
  StepAxis axis;
};

// "down/up" of the link between two levels, counted from the top.
std::string link_text(const GemmScene& scene, int from, int to) {
  for (const TowerLink& link : gemm_links(scene))
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

TEST_CASE("ldmatrix: two copies are on their way, and one barrier per tile is enough") {
  CHECK(Shown(emulated("ldmatrix")).titles(10) ==
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
    "ldmatrix: when all have used the last tile, C passes through shared memory in the step that stores it") {
  for (const std::int64_t k : {64, 24, 8}) {
    CAPTURE(k);
    const Shown s(emulated("ldmatrix", {{"k", k}}));
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
    const Message said = find_lab("gemm")->sentence(s.run, s.axis, s.last());
    CHECK(expand(said.id, said.args)
              .find("in shared memory and writes them to C in whole rows, 4.0 KB in 128") !=
          std::string::npos);
    const StageInput in = s.at(s.last());
    const auto scene = gemm_scene(in);
    REQUIRE(scene);
    CHECK(scene->owners.of(0, 3) == 0);  // four neighbours in a row, eight lanes to a row
    CHECK(scene->owners.of(0, 4) == 1);
    CHECK(scene->owners.of(5, 31) == 15);
    CHECK(scene->owners.of(16, 0) == 32);
    CHECK(gemm_levels(*scene)[kShared].parts.size() == std::min<std::size_t>(3, s.axis.trips.size()));
  }
}

TEST_CASE("ldmatrix: beside every step stand loads of A or of B, never those of C on its way out") {
  const Shown s(emulated("ldmatrix"));
  for (int step = 0; step <= s.last(); ++step) {
    SvgCanvas canvas(1100, 900, light_theme().ground);
    StageEvents events;
    find_lab("gemm")->stage(canvas, {s.run, s.axis, step, {0, 0, 1100, 900}, light_theme(), 1, {}, 0},
                            events);
    int loads = 0;
    for (const auto& t : canvas.texts()) {
      loads += t.text.find("ldmatrix.x4 of warp 0 in a_tile") == 0;
      CHECK(t.text.find("in c_tile") == std::string::npos);
    }
    CAPTURE(step);
    CHECK(loads == 1);
  }
}

TEST_CASE("naive 64^3: the bytes on the tower by hand") {
  // A block of 8 warps makes 32 x 8 sums. Per k a warp reads 32 floats of A in 32 rows (32 sectors) and one
  // of B by all lanes (1 sector); at the end each of its lanes writes a row of its own (32 sectors).
  const Shown s(emulated("naive"));
  const StageInput in = s.at(s.last());
  const auto scene = gemm_scene(in);
  REQUIRE(scene);
  const Traffic t = traffic_until(s.axis, s.last());
  CHECK(t.load.sector_bytes() == 8 * 64 * 33 * 32);
  CHECK(t.load.lane_bytes == 8 * 64 * 2 * 128);
  CHECK(t.store.sector_bytes() == 8 * 32 * 32);
  CHECK(link_text(*scene, kRegisters, kL1) == "1.0 KB/128 KB");
  CHECK(link_text(*scene, kL1, kL2) == "8.0 KB/10.0 KB");  // 32 x 64 floats of A, 64 x 8 of B, once each
  CHECK(link_text(*scene, kRegisters, kShared) == "none");
  const auto levels = gemm_levels(*scene);
  CHECK(levels[kMath].figure + levels[kMath].unit == "32.8 kFLOP");  // 2 x 32 x 8 x 64
  CHECK(levels[kL1].figure == "0.06");                               // 32,768 / 540,672
  CHECK(levels[kL2].figure == "3.20");                               // 32,768 / 10,240
}

TEST_CASE("shared 64^3 with tiles of 16: the bytes on the tower by hand") {
  // 8 warps, 4 trips. Per trip every thread loads an element of A and one of B (4 sectors per warp and
  // matrix), stores both, and then reads 16 of each from shared memory.
  const Shown s(emulated("shared"));
  const StageInput in = s.at(s.last());
  const auto scene = gemm_scene(in);
  REQUIRE(scene);
  const Traffic t = traffic_until(s.axis, s.last());
  CHECK(t.load.sector_bytes() == 8 * 4 * 8 * 32);
  CHECK(t.shared_store.lane_bytes == 256 * 4 * 2 * 4);
  CHECK(t.shared_load.lane_bytes == 256 * 4 * 32 * 4);
  CHECK(link_text(*scene, kRegisters, kShared) == "8.0 KB/128 KB");
  CHECK(link_text(*scene, kRegisters, kL1) == "1.0 KB/8.0 KB");
  CHECK(link_text(*scene, kL1, kL2) == "1.0 KB/8.0 KB");
  const auto levels = gemm_levels(*scene);
  CHECK(levels[kMath].figure + levels[kMath].unit == "32.8 kFLOP");
  CHECK(levels[kShared].figure == "0.25");
  CHECK(levels[kL2].figure == "4.00");  // 32,768 / 8,192: 16 times the 0.25 of a product from global memory
  CHECK(levels[kHbm].figure == "4.00");
}

TEST_CASE("FLOP are those of the sums that the block has at the edge") {
  const Shown s(
      emulated("shared", {{"m", std::int64_t{33}}, {"n", std::int64_t{65}}, {"k", std::int64_t{17}}}, 14));
  const StageInput in = s.at(s.last());  // the last block has one sum
  const TowerLevel math = gemm_levels(*gemm_scene(in))[kMath];
  CHECK(math.figure + math.unit == "34 FLOP");
}

TEST_CASE("async, step 7: one buffer is in use while the other is filled") {
  const Shown s(emulated("async"));
  const StageInput in = s.at(7);
  const auto scene = gemm_scene(in);
  REQUIRE(scene);
  const auto parts = gemm_levels(*scene)[kShared].parts;
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].text == "k = 16..23 filling");
  CHECK(parts[1].text == "k = 8..15 in use");
  const ProductPicture p = product_picture(*scene, {600, 600});
  const auto a = [&](int row, int col) { return p.matrix[0].cells[std::size_t(row * 64 + col)]; };
  CHECK(a(0, 7) == ProductCell::used);
  CHECK(a(31, 8) == ProductCell::in_use);
  CHECK(a(0, 23) == ProductCell::loading);
  CHECK(a(0, 24) == ProductCell::idle);
  CHECK(a(32, 8) == ProductCell::idle);  // another block's row
}

// What the picture says of A and B, strip by strip, is what the events say of their elements.
TEST_CASE("the strips hold exactly the elements that the block has read") {
  for (const char* rung : {"naive", "coalesced", "shared", "reg2d", "async", "warptile", "mma", "ldmatrix"}) {
    const Shown s(
        emulated(rung, {{"m", std::int64_t{40}}, {"n", std::int64_t{72}}, {"k", std::int64_t{24}}}, 1));
    CAPTURE(rung);
    for (int step = 0; step <= s.last(); ++step) {
      const StageInput in = s.at(step);
      const auto scene = gemm_scene(in);
      REQUIRE(scene);
      const ProductPicture p = product_picture(*scene, {600, 600});
      for (std::size_t m : {std::size_t(0), std::size_t(1)}) {
        const ViewInfo& view = m == 0 ? scene->a : scene->b;
        const auto rows = std::int64_t(view.shape[0]), cols = std::int64_t(view.shape[1]);
        const auto state = elements_until(s.axis, step, view, {0, 0, rows, cols});
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
  const auto scene = gemm_scene(in);
  CHECK(scene->owners.of(0, 0) == 0);
  CHECK(scene->owners.of(31, 31) == 63);
  CHECK(scene->owners.elements_of_thread(17) == 16);
  CHECK(scene->owners.of(32, 0) == -1);
  StageInput pinned = in;
  pinned.pinned = {std::uint16_t{2}, std::uint64_t(20 * 64 + 30)};
  const auto told = gemm_scene(pinned);
  CHECK(told->element == std::pair<std::int64_t, std::int64_t>{20, 30});
  CHECK(told->warp == 1);
  const Card card = element_card(*told, 20, 30);
  CHECK(card.lines.front() == "block (0, 0) · warp 1 · lane 15");
  CHECK(element_card(*told, 60, 60).lines.front().find("block (1, 1)") == 0);
}

TEST_CASE("a run that is no product has no picture") {
  Shown s(emulated("naive"));
  s.run.launches.front().views[1].shape = {3, 3};
  CHECK_FALSE(gemm_scene(s.at(0)));
  s.run.launches.front().views.clear();
  CHECK_FALSE(gemm_scene(s.at(0)));
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
